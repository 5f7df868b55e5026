/* SPDX-License-Identifier: MIT */
/** @file The distinct matches of `procmem grep --unique`, with their counts. */
#ifndef CMD_GREP_UNIQUE_H
#define CMD_GREP_UNIQUE_H

#include <procmem/tally.h>

#include "grep/line.h"

/**
 * Creates the tally of the matches of one target.
 *
 * @param tally  receives the tally; release it with pm_tally_destroy()
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int grep_unique_create(struct pm_tally **tally, struct pm_error *error);

/**
 * Appends the bytes of a match, in the thread that found it.
 * @see pm_scan_found
 */
int grep_unique_found(void *context, unsigned worker, const struct pm_hit *hit,
                      struct pm_scan_batch *batch, struct pm_error *error);

/**
 * Counts a match.
 *
 * @param tally  the tally
 * @param hit    the match, with the bytes that grep_unique_found() has appended
 */
void grep_unique_add(struct pm_tally *tally, const struct pm_scan_delivery *hit);

/**
 * Returns the encoding of matches.
 * @param item  an item of the tally
 * @return      the encoding
 */
enum pm_encoding grep_unique_encoding(const struct pm_tally_item *item);

/**
 * Checks whether only the starts of matches were compared, because they are longer than 128 KiB or
 * were cut. The rest of these matches may differ.
 * @param item  an item of the tally; its text is the start
 * @return      true or false
 */
bool grep_unique_is_truncated(const struct pm_tally_item *item);

/**
 * Adds the number of distinct matches: " (53 distinct)".
 *
 * @param tally  the tally
 * @param text   receives the words
 */
void grep_unique_add_count(const struct pm_tally *tally, struct text *text);

/**
 * Prints the distinct matches, the most frequent first, as text or as JSON. Reports on stderr if
 * matches were dropped.
 *
 * @param view   how to print
 * @param tally  the tally; sorted by this call
 * @param out    where to print
 */
void grep_unique_print(const struct grep_view *view, struct pm_tally *tally, struct out *out);

#endif
