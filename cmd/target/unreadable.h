/* SPDX-License-Identifier: MIT */
/** @file Bytes that were asked for and could not be had. */
#ifndef CMD_TARGET_UNREADABLE_H
#define CMD_TARGET_UNREADABLE_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that are lacking for one reason. */
struct lack {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address behind the last byte */
	char *why;      /**< the reason; owned */
};

/** All of them, by ascending address; all zero is none. */
struct lacks {
	struct lack *items; /**< they; owned */
	size_t count;       /**< how many */
	size_t capacity;    /**< room for so many */
	uint64_t bytes;     /**< sum of their sizes */
};

/**
 * Notes bytes that are lacking; neighbours with the same reason become one.
 *
 * @param lacks  the list
 * @param start  first address
 * @param end    address behind the last byte
 * @param why    the reason; copied
 */
void lacks_add(struct lacks *lacks, uint64_t start, uint64_t end, const char *why);

/**
 * Puts the list in order.
 * @param lacks the list
 */
void lacks_sort(struct lacks *lacks);

/**
 * Tells the first of them on stderr, one a line.
 * @param lacks the list
 * @param most how many at the most
 */
void lacks_tell(const struct lacks *lacks, size_t most);

/**
 * Releases the list.
 * @param lacks the list
 */
void lacks_deinit(struct lacks *lacks);

#endif
