/* SPDX-License-Identifier: MIT */
/** @file FILL line.c */
#ifndef CMD_GREP_LINE_H
#define CMD_GREP_LINE_H

#include "grep/grep.h"

/**
 * Writes a hit as a line. Of -o the newline is left to who knows whether the match goes on.
 *
 * @param view  how
 * @param hit   it
 * @param line  gets it
 * @return      bytes before the match, for -o: the rest of a match has the same, and they are left
 * out there
 */
size_t grep_line(const struct grep_view *view, const struct pm_hit *hit, struct text *line);

/**
 * Bytes around a hit that a view needs.
 * @param view the view
 * @return as pm_scan.around
 */
size_t grep_line_around(const struct grep_view *view);

/**
 * Writes a region as -l and -c do.
 * @param view how
 * @param region it
 * @param count its matches
 * @param out where to
 */
void grep_line_put_region(const struct grep_view *view, const struct pm_region *region,
                          uint64_t count, struct out *out);

#endif
