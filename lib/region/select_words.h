/* SPDX-License-Identifier: MIT */
/** @file REGION words: what they may be, and which addresses they mean. Private. */
#ifndef PM_REGION_SELECT_WORDS_H
#define PM_REGION_SELECT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** What sort of word it is. */
enum pm_word_type {
	PM_WORD_ALL,     /**< `all` */
	PM_WORD_KIND,    /**< the name of a kind */
	PM_WORD_NAME,    /**< `[name]` */
	PM_WORD_ADDRESS, /**< one address: the region around it */
	PM_WORD_RANGE,   /**< `ADDR-END` or `ADDR+LEN`: exactly those bytes */
};

/** One word. */
struct pm_word {
	enum pm_word_type type;
	enum pm_kind kind; /**< of PM_WORD_KIND */
	uint64_t start;    /**< of PM_WORD_RANGE; the address of PM_WORD_ADDRESS */
	uint64_t end;      /**< of PM_WORD_RANGE */
	char *text;        /**< as it was given; owned */
};

/** A list of ranges. */
struct pm_ranges {
	struct pm_range *items; /**< owned */
	size_t count;
	size_t capacity;
};

/**
 * Parses a word.
 * @param word filled; its text is to be freed
 * @param error PM_ERROR_USAGE with what a REGION may be
 * @return 0 or -1
 */
int pm_word_parse(const char *text, struct pm_word *word, struct pm_error *error);

/** As pm_kind_parse(), with the nearest kind in the error. */
int pm_word_kind(const char *text, enum pm_kind *kind, struct pm_error *error);

/**
 * Adds the bytes that a word means.
 *
 * @param word       the word
 * @param regions    the regions
 * @param ranges  the list to add to
 * @param error      PM_ERROR_NOT_FOUND where it means none of the regions, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_word_resolve(const struct pm_word *word, const struct pm_regions *regions,
                    struct pm_ranges *ranges, struct pm_error *error);

#endif
