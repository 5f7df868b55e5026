/* SPDX-License-Identifier: MIT */
/** @file The HTML report of `procmem why`. */
#ifndef CMD_WHY_HTML_H
#define CMD_WHY_HTML_H

#include "why/report.h"

/**
 * Writes the report to the file of --html.
 *
 * @param report  the findings and what they were made of
 * @param error   PM_ERROR_IO
 * @return        0 or -1
 */
int why_html_write(const struct why_report *report, struct pm_error *error);

#endif
