/* SPDX-License-Identifier: MIT */
/** @file Matches and regions as lines of text. */
#ifndef CMD_GREP_LINE_H
#define CMD_GREP_LINE_H

#include <sys/types.h>

#include <procmem/region.h>
#include <procmem/scan.h>

#include "base/out.h"
#include "base/text.h"
#include "grep/options.h"

/** How hits are written down; the threads of a scan share it. */
struct grep_view {
	const struct grep_options *options; /**< the user's */
	const struct pm_regions *regions;   /**< of the target */
	const struct out *out; /**< its colours and width are heeded, nothing is written to it */
	const char *prefix;    /**< what stands before each line: "PID:", or "" */
	pid_t pid;             /**< PID for JSON, 0 for none */
	enum grep_options_form form; /**< what is printed */
};

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
