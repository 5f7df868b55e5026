/* SPDX-License-Identifier: MIT */
/** @file REGION words: parsing, and finding their addresses. Private. */
#ifndef PM_REGION_SELECT_WORDS_H
#define PM_REGION_SELECT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** Type of a word. */
enum pm_word_type {
	PM_WORD_ALL,     /**< `all` */
	PM_WORD_KIND,    /**< the name of a kind */
	PM_WORD_NAME,    /**< `[name]` */
	PM_WORD_ADDRESS, /**< an address: the region that contains it */
	PM_WORD_RANGE,   /**< `ADDR-END` or `ADDR+LEN`: exactly those bytes */
};

/** A parsed word. */
struct pm_word {
	enum pm_word_type type; /**< its type */
	enum pm_kind kind;      /**< of PM_WORD_KIND */
	uint64_t start;         /**< of PM_WORD_RANGE; the address of PM_WORD_ADDRESS */
	uint64_t end;           /**< of PM_WORD_RANGE */
	char *text;             /**< the word as given; owned */
};

/** A list of ranges. */
struct pm_ranges {
	struct pm_range *items; /**< the ranges; owned */
	size_t count;           /**< number of ranges */
	size_t capacity;        /**< private */
};

/**
 * Parses a word.
 *
 * @param text   the word
 * @param word   receives the parsed word; the caller frees its text
 * @param error  PM_ERROR_USAGE, the text says what a REGION may be; PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_word_parse(const char *text, struct pm_word *word, struct pm_error *error);

/** As pm_kind_parse(); the error suggests the kind with the most similar name. */
int pm_word_kind(const char *text, enum pm_kind *kind, struct pm_error *error);

/**
 * Adds the addresses of a word to a list.
 *
 * @param word       the word
 * @param regions    the regions
 * @param ranges  the list to add to
 * @param error      PM_ERROR_NOT_FOUND if there is no such region, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_word_resolve(const struct pm_word *word, const struct pm_regions *regions,
                    struct pm_ranges *ranges, struct pm_error *error);

#endif
