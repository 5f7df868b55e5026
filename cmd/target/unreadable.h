/* SPDX-License-Identifier: MIT */
/** @file Bytes that were asked for and could not be had. */
#ifndef CMD_TARGET_UNREADABLE_H
#define CMD_TARGET_UNREADABLE_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that are lacking for one reason. */
struct unreadable_range {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address behind the last byte */
	char *why;      /**< the reason; owned */
};

/** All of them, by ascending address; all zero is none. */
struct unreadable {
	struct unreadable_range *items; /**< they; owned */
	size_t count;                   /**< how many */
	size_t capacity;                /**< room for so many */
	uint64_t bytes;                 /**< sum of their sizes */
};

/**
 * Notes bytes that are lacking; neighbours with the same reason become one.
 *
 * @param unreadable  the list
 * @param start  first address
 * @param end    address behind the last byte
 * @param why    the reason; copied
 */
void unreadable_add(struct unreadable *unreadable, uint64_t start, uint64_t end, const char *why);

/**
 * Puts the list in order.
 * @param unreadable the list
 */
void unreadable_sort(struct unreadable *unreadable);

/**
 * Tells the first of them on stderr, one a line.
 * @param unreadable the list
 * @param most how many at the most
 */
void unreadable_report(const struct unreadable *unreadable, size_t most);

/**
 * Releases the list.
 * @param unreadable the list
 */
void unreadable_deinit(struct unreadable *unreadable);

#endif
