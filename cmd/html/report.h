/* SPDX-License-Identifier: MIT */
/** @file Writes a report as one HTML file. */
#ifndef CMD_HTML_REPORT_H
#define CMD_HTML_REPORT_H

#include <procmem/error.h>

#include "html/model.h"

/**
 * Writes a report to a file, whose mode is 0600, and which appears whole or not at all.
 *
 * @param report  the report
 * @param path    the file; as for html_document_open()
 * @param error   PM_ERROR_IO
 * @return        0 or -1
 */
int html_report_write(const struct html_report *report, const char *path, struct pm_error *error);

#endif
