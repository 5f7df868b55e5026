/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Formats, and texts that were made with them: "order 17 of shop" fits "order %u of %s". If a text
 * in memory fits a format in a program file, the code of this file has probably written the text.
 *
 * A format is a text with one or more conversions:
 * - those of printf(3), such as `%s`, `%08lx` and `%-10.3f`; `%%` is the character `%`.
 * - a name, a number or nothing in braces, as in Python, Rust and many logging libraries: `{}`,
 *   `{0}`, `{user.name}`, `{:08x}`. Before the brace, there may be a `$` as in JavaScript, or a `#`
 *   as in Ruby.
 *
 * Several threads may call these functions at the same time.
 */
#ifndef PROCMEM_FORMAT_MATCH_H
#define PROCMEM_FORMAT_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum length of a format in bytes. Longer texts are not taken as formats. */
#define PM_FORMAT_MAX 512

/**
 * Finds the next format in a text. A text without quotation marks (`"`, `'` or a backtick) is
 * tested as a whole. In a text with quotation marks, such as a line of source code, only the parts
 * between two equal quotation marks are tested. So a text with a single quotation mark, such as
 * `can't open %s`, has no format.
 *
 * A format has at least one conversion, at least four letters or digits outside of its conversions,
 * and at most PM_FORMAT_MAX bytes.
 *
 * @param text    any bytes
 * @param length  bytes of `text`
 * @param at      where to start, 0 for the first call; receives the offset for the next call;
 *                unchanged if there is no further format
 * @param format  receives the offset of the format in `text`; unchanged if there is none
 * @return        bytes of the format; 0 if there is no further format
 */
PM_PUBLIC size_t pm_format_next(const char *text, size_t length, size_t *at, size_t *format);

/**
 * Tests whether the start of a text looks like output of a format. A conversion of a number, such
 * as `%d`, matches only numbers. Other conversions match any characters.
 *
 * @param format         the format
 * @param format_length  bytes of `format`
 * @param text           any bytes
 * @param length         bytes of `text`; only the first 1,024 bytes are compared
 * @param fitting        receives the length of the longest such prefix in bytes; unchanged if there
 *                       is none. Any bytes may follow the prefix
 * @return               number of letters and digits of the format that are outside of its
 *                       conversions; 0 if there is no such prefix
 */
PM_PUBLIC size_t pm_format_match(const char *format, size_t format_length, const char *text,
                                 size_t length, size_t *fitting);

#ifdef __cplusplus
}
#endif

#endif
