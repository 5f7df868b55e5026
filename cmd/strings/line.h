/* SPDX-License-Identifier: MIT */
/** @file FILL line.c */
#ifndef CMD_STRINGS_LINE_H
#define CMD_STRINGS_LINE_H

#include "strings/strings.h"

/**
 * Adds characters, escaped unless --raw is given; tabs stay.
 *
 * @param options  the user's
 * @param line     gets them
 * @param text     they
 * @param length   how many bytes
 */
void strings_line_add_text(const struct strings_options *options, struct text *line,
                           const char *text, size_t length);

/**
 * The name of a string's encoding; without a character beyond ASCII it is that.
 *
 * @param encoding  the one that was searched for
 * @param text      its characters
 * @param length    how many bytes
 * @return          a constant text
 */
const char *strings_line_encoding(enum pm_encoding encoding, const char *text, size_t length);

/**
 * Writes a string down as a line, in JSON or for -u. Called by the threads of the scan. @see
 * pm_scan_found
 */
int strings_line_found(void *search, unsigned worker, const struct pm_hit *hit,
                       struct pm_scan_batch *batch, struct pm_error *error);

#endif
