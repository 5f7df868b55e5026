/* SPDX-License-Identifier: MIT */
/** @file Writes a report as one HTML file. */
#ifndef CMD_HTML_REPORT_H
#define CMD_HTML_REPORT_H

#include <procmem/error.h>

#include "html/model.h"

/**
 * Takes the name of the file from an option.
 *
 * @param value  the value of the option
 * @param path   receives the name
 * @param error  PM_ERROR_USAGE if it is empty, or "-": the text of the command goes to stdout
 * @return       0 or -1
 */
int html_report_parse_path(const char *value, const char **path, struct pm_error *error);

/**
 * Writes a report to a file, whose mode is 0600, and which appears whole or not at all.
 *
 * @param report  the report
 * @param path    the file; as for html_document_open()
 * @param error   PM_ERROR_IO
 * @return        0 or -1
 */
int html_report_write(const struct html_report *report, const char *path, struct pm_error *error);

/**
 * Writes a report to a file that must not exist yet.
 * @see html_report_write
 */
int html_report_write_new(const struct html_report *report, const char *path,
                          struct pm_error *error);

/**
 * Checks whether a report can be written, before the time that it takes to make it.
 *
 * @param path   the file
 * @param error  PM_ERROR_IO
 * @return       0 or -1
 */
int html_report_check(const char *path, struct pm_error *error);

#endif
