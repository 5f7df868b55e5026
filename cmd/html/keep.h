/* SPDX-License-Identifier: MIT */
/** @file Memory that a report refers to, and that is released with it. */
#ifndef CMD_HTML_KEEP_H
#define CMD_HTML_KEEP_H

#include <stddef.h>

#include "base/text.h"

/** What is kept. A zeroed structure is empty. */
struct html_keep {
	void **items;    /**< private: owned */
	size_t count;    /**< private: number of elements */
	size_t capacity; /**< private: number of elements there is room for */
};

/**
 * Makes an array.
 *
 * @param keep   owns the array
 * @param count  number of elements; 0 is valid
 * @param size   size of an element in bytes
 * @return       the array, zeroed
 */
void *html_keep_array(struct html_keep *keep, size_t count, size_t size);

/**
 * Keeps a text as a string.
 *
 * @param keep  owns the string
 * @param text  the text without NUL; empty afterwards, and its memory can be used again
 * @return      the string
 */
const char *html_keep_text(struct html_keep *keep, struct text *text);

/**
 * Keeps formatted text.
 *
 * @param keep    owns the string
 * @param format  format of printf(3)
 * @return        the string
 */
const char *html_keep_format(struct html_keep *keep, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Releases everything. */
void html_keep_deinit(struct html_keep *keep);

#endif
