/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Templates of texts. Texts that differ only in their numbers, or in the length of their filler,
 * have the same template. "order 17 of 0x7f01" and "order 4 of 0x88ac" both have the template
 * "order # of 0x#".
 *
 * A number is one of these:
 * - a sequence of decimal digits
 * - a word of at least four hexadecimal digits, of which at least half are 0-9
 * - a word of at least eight hexadecimal digits, of which at least one is 0-9
 * - a word that consists of 0x and hexadecimal digits
 * - a UUID (RFC 9562: 8, 4, 4, 4 and 12 hexadecimal digits)
 *
 * Filler is a sequence of at least eight equal ASCII characters that are not decimal digits. In the
 * template, only the first of them remains, followed by `…` (U+2026).
 *
 * Several threads may call these functions at the same time.
 */
#ifndef PROCMEM_TEXT_TEMPLATE_H
#define PROCMEM_TEXT_TEMPLATE_H

#include <stddef.h>

#include <procmem/error.h>
#include <procmem/tally.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes the template of a text. Each number is replaced by `#`, or by `0x#` if it starts with 0x.
 * Eight or more equal characters in sequence are replaced by one of them and `…`: `==========`
 * becomes `=…`. The comment of this file describes which characters and numbers are replaced.
 *
 * @param text    any bytes; numbers consist of ASCII characters only
 * @param length  bytes of `text`
 * @param output  receives the template; room for `length` bytes; must not overlap `text`
 * @return        bytes written, at most `length`; no terminating NUL is added
 */
PM_PUBLIC size_t pm_text_template_write(const char *text, size_t length, char *output);

/**
 * Writes the text that represents an item of a tally. If the item counts different texts, this is
 * their template. If all texts of the item are equal, it is the text itself.
 *
 * @param item    the item, counted by pm_tally_add_similar() with hashes of templates, or by
 *                pm_tally_add()
 * @param output  receives the text; room for `item->length` bytes
 * @return        bytes written, at most `item->length`; no terminating NUL is added
 */
PM_PUBLIC size_t pm_text_template_of_item(const struct pm_tally_item *item, char *output);

#ifdef __cplusplus
}
#endif

#endif
