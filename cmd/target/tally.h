/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counting texts: which there are, and how often each, within a fixed amount of memory.
 *
 * When that is full, the rarest are dropped (lossy counting, Manku and Motwani 2002, with a
 * threshold that follows from the memory instead of an error rate). What is known afterwards stays
 * true: no text that occurs more than tally_bound() times was dropped, and the count of one that is
 * there is low by `missed` at the most.
 *
 * A tally counts texts that are equal, or with tally_add_similar() such as have something in
 * common.
 */
#ifndef CMD_TARGET_TALLY_H
#define CMD_TARGET_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Least and most bytes that a tally may have. */
#define TALLY_MIN ((uint64_t)64 << 10)
/** @see TALLY_MIN */
#define TALLY_MAX ((uint64_t)32 << 30)

/** A tally; opaque. */
struct tally;

/** A text with its count. */
struct tally_item {
	uint64_t hash;   /**< private */
	uint64_t count;  /**< how often it was added since it is there */
	uint64_t missed; /**< how often it may have been added before, at the most */
	uint64_t first;  /**< address of the first of these times */
	uint64_t size;   /**< bytes of all texts that were counted, where they are */
	uint32_t length; /**< bytes of the text */
	uint8_t sort;    /**< as added: texts of different sorts are different */
	bool varied;     /**< texts that are similar only were counted, too */
	char text[];     /**< the text, the first one of similar ones, without a NUL behind */
};

/**
 * Makes an empty tally.
 * @param budget most bytes it may take, TALLY_MIN to TALLY_MAX
 * @return it, for tally_destroy()
 */
struct tally *tally_create(uint64_t budget);

/**
 * Releases a tally.
 * @param tally it or NULL
 */
void tally_destroy(struct tally *tally);

/**
 * Hash of a text, which tally_add() takes: so that several threads can do this part of the work.
 *
 * @param tally   its tally: strangers cannot know which texts collide in it
 * @param sort    of the text
 * @param text    any bytes
 * @param length  how many
 * @return        the hash
 */
uint64_t tally_hash(const struct tally *tally, uint8_t sort, const char *text, size_t length);

/** A text to count. */
struct tally_text {
	uint64_t hash;    /**< tally_hash() of it, or of what similar ones have in common */
	const char *text; /**< any bytes; copied if it is new */
	size_t length;    /**< how many, less than 4 GiB */
	uint64_t first;   /**< where it is, kept if it is new */
	uint64_t size;    /**< bytes that it takes there */
	uint8_t sort;     /**< any number */
};

/**
 * Counts a text.
 * @param tally where
 * @param text what
 */
void tally_add(struct tally *tally, const struct tally_text *text);

/**
 * Counts a text together with those that are similar: of the same sort and hash. That two which are
 * not have the same 64 bits, which depend on a random number, happens once in 30 million tallies of
 * a million texts.
 *
 * @param tally  where; all are counted so or none
 * @param text   what
 */
void tally_add_similar(struct tally *tally, const struct tally_text *text);

/**
 * The text of a sort that was counted last is longer.
 * @param tally where
 * @param sort which @param size bytes more
 */
void tally_lengthen(struct tally *tally, uint8_t sort, uint64_t size);

/**
 * How many different texts there are.
 * @param tally it
 * @return their number
 */
size_t tally_count(const struct tally *tally);

/**
 * How often a text was dropped.
 * @param tally it
 * @return 0: all counts are exact
 */
uint64_t tally_dropped(const struct tally *tally);

/**
 * Most times that a text may have been added and not be there.
 * @param tally it
 * @return 0: all texts are there
 */
uint64_t tally_bound(const struct tally *tally);

/**
 * Puts the texts in order, the most frequent first, then by address; nothing may be added any more.
 * @param tally it
 */
void tally_sort(struct tally *tally);

/**
 * One of the sorted texts.
 * @param tally it
 * @param index less than tally_count()
 * @return the text, valid as long as the tally
 */
const struct tally_item *tally_get(const struct tally *tally, size_t index);

#endif
