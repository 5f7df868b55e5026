/* SPDX-License-Identifier: MIT */
/** @file Matches and regions as JSON. */
#ifndef CMD_GREP_JSON_H
#define CMD_GREP_JSON_H

#include <procmem/tally.h>

#include "grep/line.h"

/**
 * Adds a match as a JSON object, without the closing brace and the fields that are known only when
 * the match is delivered.
 *
 * @param view   how to print
 * @param hit    the match
 * @param chunk  the chunk of malloc that contains the match; NULL to write no chunk
 * @param line   receives the object
 */
void grep_json(const struct grep_view *view, const struct pm_hit *hit,
               const struct pm_chunk_parts *chunk, struct text *line);

/**
 * Adds a number that --next has read again as a line with a JSON object.
 *
 * @param view  how to print
 * @param hit   the number
 * @param line  receives the line
 */
void grep_json_next(const struct grep_view *view, const struct pm_next_hit *hit, struct text *line);

/**
 * Adds a line that has a region as a JSON object, for -l and -c.
 *
 * @param view    how to print
 * @param region  the region
 * @param count   number of its matches
 * @param line    receives the line
 */
void grep_json_region(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                      struct text *line);

/**
 * Adds a line that has a kind and a count as a JSON object, for -c --by kind.
 *
 * @param view   how to print
 * @param kind   the kind
 * @param count  number of matches in regions of this kind
 * @param line   receives the line
 */
void grep_json_kind(const struct grep_view *view, enum pm_kind kind, uint64_t count,
                    struct text *line);

/**
 * Adds a line that has a distinct match and its count as a JSON object, for --unique.
 *
 * @param view  how to print
 * @param item  the match; its category is the encoding
 * @param line  receives the line
 */
void grep_json_unique(const struct grep_view *view, const struct pm_tally_item *item,
                      struct text *line);

#endif
