/* SPDX-License-Identifier: MIT */
/** @file Matches and regions as lines of text. */
#ifndef CMD_GREP_LINE_H
#define CMD_GREP_LINE_H

#include <sys/types.h>

#include <procmem/chunk_parts.h>
#include <procmem/next_hits.h>
#include <procmem/region.h>
#include <procmem/scan.h>

#include "base/out.h"
#include "base/text.h"
#include "grep/options.h"

/** How matches are printed. The threads of a scan share this structure and do not change it. */
struct grep_view {
	const struct grep_options *options; /**< options of the command line */
	const struct pm_regions *regions;   /**< regions of the target */
	const struct out *out; /**< the output. Only its colours and width are used; nothing is
	                          written to it */
	const char *prefix;    /**< start of each line: "PID:", or "" */
	pid_t pid;             /**< PID of the target if several are searched, otherwise 0 */
	enum grep_options_form form; /**< what is printed */
};

/**
 * Adds the line of a match. With -o, no newline is added, because the match may continue in another
 * hit.
 *
 * @param view   how to print
 * @param hit    the match
 * @param chunk  the chunk of malloc that contains the match; NULL to print no chunk
 * @param line   receives the line
 * @return       with -o, the number of bytes in the line before the match; if the hit is the rest
 *               of a truncated match, these bytes must not be printed. Without -o, 0
 */
size_t grep_line(const struct grep_view *view, const struct pm_hit *hit,
                 const struct pm_chunk_parts *chunk, struct text *line);

/**
 * Adds the line of a number that --next has read again.
 *
 * @param view  how to print
 * @param hit   the number
 * @param line  receives the line
 */
void grep_line_next(const struct grep_view *view, const struct pm_next_hit *hit, struct text *line);

/**
 * Returns the number of bytes before and after a match that are needed to print its line.
 * @param view  how to print
 * @return      number of bytes on each side, for pm_scan.around
 */
size_t grep_line_around(const struct grep_view *view);

/**
 * Prints the first line of the CSV of -c.
 *
 * @param view  how to print
 * @param out   where to print
 */
void grep_line_csv_header(const struct grep_view *view, struct out *out);

/**
 * Prints a region for -l or -c, as text, CSV or JSON.
 *
 * @param view    how to print
 * @param region  the region
 * @param count   number of its matches
 * @param out     where to print
 */
void grep_line_put_region(const struct grep_view *view, const struct pm_region *region,
                          uint64_t count, struct out *out);

/**
 * Prints a kind for -c --by kind, as text or as JSON.
 *
 * @param view   how to print
 * @param kind   the kind
 * @param count  number of matches in regions of this kind
 * @param out    where to print
 */
void grep_line_put_kind(const struct grep_view *view, enum pm_kind kind, uint64_t count,
                        struct out *out);

#endif
