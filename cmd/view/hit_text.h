/* SPDX-License-Identifier: MIT */
/** @file The text of a hit, and the text around it, made safe to print. */
#ifndef CMD_VIEW_HIT_TEXT_H
#define CMD_VIEW_HIT_TEXT_H

#include <procmem/scan.h>

#include "base/text.h"

/** Text on one side of a hit: characters without a gap, up to a limit. */
struct hit_side {
	size_t bytes;   /**< how many bytes of memory it has */
	size_t columns; /**< how wide it is once it is escaped */
	bool more;      /**< the text goes on */
};

/**
 * Measures the text that directly precedes a hit. A tab belongs to text, other controls end it.
 *
 * @param hit      it
 * @param columns  how wide the text may become
 * @return         the side
 */
struct hit_side hit_text_before(const struct pm_hit *hit, size_t columns);

/**
 * The same for the text that directly follows.
 * @param hit it
 * @param columns the limit
 * @return the side
 */
struct hit_side hit_text_after(const struct pm_hit *hit, size_t columns);

/**
 * Gives two sides as much room as there is; what one does not need the other gets.
 *
 * @param hit     it
 * @param columns for both, marks of what is cut off not counted
 * @param sides   filled: before and after
 */
void hit_text_around(const struct pm_hit *hit, size_t columns, struct hit_side sides[2]);

/**
 * Adds bytes as escaped UTF-8. UTF-16 is decoded; of what is no character there each byte is
 * escaped.
 *
 * @param encoding  what they are, as in the hit
 * @param bytes     they
 * @param size      how many
 * @param text      gets them
 */
void hit_text_add(enum pm_encoding encoding, const uint8_t *bytes, size_t size, struct text *text);

#endif
