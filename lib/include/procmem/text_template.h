/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Templates of texts: what texts that differ only in their numbers have in common. "order 17 of
 * 0x7f01" and "order 4 of 0x88ac" both have the template "order # of 0x#".
 *
 * A number is one of these: a run of decimal digits; a word of at least four hexadecimal digits
 * (eight if it has more letters than digits), of which one at least is a decimal digit; hexadecimal
 * digits after 0x; a UUID (RFC 9562: 8, 4, 4, 4 and 12 hexadecimal digits).
 *
 * Any number of threads may call these functions at a time.
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
 * Writes the template of a text: the text with `#` for each number.
 *
 * @param text    any bytes; numbers consist of ASCII characters only
 * @param length  bytes of `text`
 * @param output  receives the template; room for `length` bytes; must not overlap `text`
 * @return        bytes written, at most `length`; no terminating NUL is added
 */
PM_PUBLIC size_t pm_text_template_write(const char *text, size_t length, char *output);

/**
 * Writes what represents all texts of an item to which texts were added by their templates: the
 * template if these texts differ, else the text itself.
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
