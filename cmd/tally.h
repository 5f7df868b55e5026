/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counting texts: which there are, and how often each, within a fixed amount of memory.
 *
 * When that is full, the rarest are dropped (lossy counting, Manku and Motwani 2002, with a threshold that follows from the memory instead
 * of an error rate). What is known afterwards stays true: no text that occurs more than tally_bound() times was dropped, and the count of
 * one that is there is low by `missed` at the most.
 */
#ifndef CMD_TALLY_H
#define CMD_TALLY_H

#include <stddef.h>
#include <stdint.h>

/** Least and most bytes that a tally may have. */
#define TALLY_LEAST ((uint64_t)64 << 10)
/** @see TALLY_LEAST */
#define TALLY_MOST ((uint64_t)32 << 30)

/** A tally; opaque. */
struct tally;

/** A text with its count. */
struct tally_item {
	uint64_t hash;   /**< private */
	uint64_t count;  /**< how often it was added since it is there */
	uint64_t missed; /**< how often it may have been added before, at the most */
	uint64_t first;  /**< address of the first of these times */
	uint32_t length; /**< bytes of the text */
	uint8_t sort;    /**< as added: texts of different sorts are different */
	char text[];     /**< the text, without a NUL behind */
};

/** Makes an empty tally. @param budget most bytes it may take, TALLY_LEAST to TALLY_MOST @return it, for tally_destroy() */
struct tally *tally_create(uint64_t budget);

/** Releases a tally. @param tally it or NULL */
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

/**
 * Counts a text.
 *
 * @param tally   where
 * @param hash    tally_hash() of it
 * @param sort    any number
 * @param text    any bytes; copied if it is new
 * @param length  how many, less than 4 GiB
 * @param first   where it is, kept if it is new
 */
void tally_add(struct tally *tally, uint64_t hash, uint8_t sort, const char *text, size_t length, uint64_t first);

/** How many different texts there are. @param tally it @return their number */
size_t tally_count(const struct tally *tally);

/** How often a text was dropped. @param tally it @return 0: all counts are exact */
uint64_t tally_dropped(const struct tally *tally);

/** Most times that a text may have been added and not be there. @param tally it @return 0: all texts are there */
uint64_t tally_bound(const struct tally *tally);

/** Puts the texts in order, the most frequent first, then by address; nothing may be added any more. @param tally it */
void tally_sort(struct tally *tally);

/** One of the sorted texts. @param tally it @param index less than tally_count() @return the text, valid as long as the tally */
const struct tally_item *tally_get(const struct tally *tally, size_t index);

#endif
