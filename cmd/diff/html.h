/* SPDX-License-Identifier: MIT */
/** @file Writes a difference as an HTML report (--html). */
#ifndef CMD_DIFF_HTML_H
#define CMD_DIFF_HTML_H

#include "diff/chunks.h"
#include "diff/rows.h"
#include "diff/sites.h"

/**
 * Writes a report: both samples side by side, and what changed.
 *
 * @param rows    the difference
 * @param chunks  the difference of the chunks of malloc
 * @param sites   the difference of the call sites
 * @param path    the file; as for html_report_write()
 * @param error   as for html_report_write() and pm_select_apply()
 * @return        0 or -1
 */
int diff_html_write(const struct diff_rows *rows, const struct diff_chunks *chunks,
                    const struct diff_sites *sites, const char *path, struct pm_error *error);

#endif
