/* SPDX-License-Identifier: MIT */
/** @file The text of a hit and the text around it, made safe to print. */
#ifndef CMD_VIEW_HIT_TEXT_H
#define CMD_VIEW_HIT_TEXT_H

#include <procmem/scan.h>

#include "base/text.h"

/** The text on one side of a hit: adjacent characters, up to a limit. */
struct hit_side {
	size_t bytes;   /**< number of bytes in memory */
	size_t columns; /**< width after escaping, in terminal columns */
	bool more;      /**< the text continues beyond the limit */
};

/**
 * Measures the text directly before a hit. Tabs belong to the text; other control characters end
 * it.
 *
 * @param hit      the hit
 * @param columns  maximum width in terminal columns
 * @return         the text before the hit
 */
struct hit_side hit_text_before(const struct pm_hit *hit, size_t columns);

/**
 * Measures the text directly after a hit.
 *
 * @param hit      the hit
 * @param columns  maximum width in terminal columns
 * @return         the text after the hit
 */
struct hit_side hit_text_after(const struct pm_hit *hit, size_t columns);

/**
 * Divides the available width between both sides of a hit. A side that needs less than half leaves
 * the rest to the other.
 *
 * @param hit      the hit
 * @param columns  terminal columns for both sides together, not counting the marks for text that is
 *                 cut off
 * @param sides    receives the text before and the text after the hit
 */
void hit_text_around(const struct pm_hit *hit, size_t columns, struct hit_side sides[2]);

/**
 * Adds bytes as escaped UTF-8. UTF-16 is decoded; each byte that is not part of a valid character
 * is escaped.
 *
 * @param encoding  encoding of the bytes, as in the hit
 * @param bytes     the bytes
 * @param size      number of bytes
 * @param text      receives the text
 */
void hit_text_add(enum pm_encoding encoding, const uint8_t *bytes, size_t size, struct text *text);

/**
 * Converts UTF-16 to UTF-8, without escaping. Only bytes that are not part of a valid character are
 * written as `\xHH`.
 *
 * @param encoding  PM_ENCODING_UTF16LE or PM_ENCODING_UTF16BE
 * @param bytes     the bytes
 * @param size      number of bytes
 * @param text      receives the text, which can have control characters
 */
void hit_text_decode(enum pm_encoding encoding, const uint8_t *bytes, size_t size,
                     struct text *text);

#endif
