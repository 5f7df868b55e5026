/* SPDX-License-Identifier: MIT */
/** @file Writes what `procmem why` reports as an HTML report (--html). */
#ifndef CMD_WHY_HTML_H
#define CMD_WHY_HTML_H

#include "why/report.h"

/**
 * Writes a report.
 *
 * @param report  what is reported; its observation has the moments that --html asks for
 * @param path    the file; with why_options.html_new, it must not exist
 * @param error   as for html_report_write()
 * @return        0 or -1
 */
int why_html_write(const struct why_report *report, const char *path, struct pm_error *error);

#endif
