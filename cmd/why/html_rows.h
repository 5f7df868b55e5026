/* SPDX-License-Identifier: MIT */
/** @file The tables of the HTML report of `procmem why`. */
#ifndef CMD_WHY_HTML_ROWS_H
#define CMD_WHY_HTML_ROWS_H

#include "html/keep.h"
#include "html/model.h"
#include "why/report.h"

/**
 * Adds the regions, what was before and after, the chunks, the texts, and the processes and the
 * cgroup around the target.
 *
 * @param report  the findings and what they were made of
 * @param keep    owns what the report refers to
 * @param html    receives the rows
 */
void why_html_rows_add(const struct why_report *report, struct html_keep *keep,
                       struct html_report *html);

/** Returns the tone of a verdict: growth without an end is bad. */
enum html_tone why_html_rows_tone(enum pm_verdict verdict);

#endif
