/* SPDX-License-Identifier: MIT */
/** @file Makes an output line from a string, in the threads of the scan. */
#ifndef CMD_STRINGS_LINE_H
#define CMD_STRINGS_LINE_H

#include <stddef.h>

#include <procmem/scan.h>
#include <procmem/strings_scan.h>

#include "base/text.h"
#include "strings/options.h"

/**
 * Adds the characters of a string to a line: escaped, unless --raw is given. Tabs are kept.
 *
 * @param options  the options
 * @param line     receives the characters
 * @param text     the characters of the string
 * @param length   bytes of `text`
 */
void strings_line_add_text(const struct strings_options *options, struct text *line,
                           const char *text, size_t length);

/**
 * Returns the name of the encoding of a string. If a UTF-8 string has only ASCII characters, this
 * is the name of ASCII.
 *
 * @param encoding  the encoding that was searched for
 * @param text      the characters of the string
 * @param length    bytes of `text`
 * @return          a constant text
 */
const char *strings_line_encoding(enum pm_encoding encoding, const char *text, size_t length);

/**
 * Makes the data of a string that strings_print_deliver() needs: a line, JSON, or the key for -u.
 * The threads of the scan call this function.
 * @see pm_scan_found
 */
int strings_line_found(void *search, unsigned worker, const struct pm_hit *hit,
                       struct pm_scan_batch *batch, struct pm_error *error);

#endif
