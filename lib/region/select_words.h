/* SPDX-License-Identifier: MIT */
/** @file Parsing of REGION words, and finding the addresses that they denote. Private. */
#ifndef PM_REGION_SELECT_WORDS_H
#define PM_REGION_SELECT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** Types of REGION words. */
enum pm_word_type {
	PM_WORD_ALL,     /**< `all` */
	PM_WORD_KIND,    /**< the name of a kind */
	PM_WORD_NAME,    /**< `[name]` */
	PM_WORD_ADDRESS, /**< an address, which selects the region that contains it */
	PM_WORD_RANGE,   /**< `ADDR-END` or `ADDR+LEN`, which selects exactly these bytes */
};

/** A parsed REGION word. */
struct pm_word {
	enum pm_word_type type; /**< type of the word */
	enum pm_kind kind;      /**< the kind of a PM_WORD_KIND */
	/** First address of a PM_WORD_RANGE; the address of a PM_WORD_ADDRESS */
	uint64_t start;
	uint64_t end; /**< address after the last byte of a PM_WORD_RANGE */
	char *text;   /**< the word as the user wrote it; owned */
};

/** A list of ranges. */
struct pm_ranges {
	struct pm_range *items; /**< the ranges; owned */
	size_t count;           /**< number of ranges */
	size_t capacity;        /**< number of allocated ranges */
};

/**
 * Parses a word.
 *
 * @param text   the word
 * @param word   receives the parsed word; the caller frees its text
 * @param error  PM_ERROR_USAGE, with a text that lists the forms of a REGION; PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_word_parse(const char *text, struct pm_word *word, struct pm_error *error);

/**
 * Parses the name of a kind, as pm_kind_parse() does. If there is a kind with a similar name, the
 * error suggests this kind, otherwise the error lists all kinds.
 */
int pm_word_kind(const char *text, enum pm_kind *kind, struct pm_error *error);

/**
 * Parses the name of an owner, or of a family, for all its owners.
 *
 * @param text    the name
 * @param owners  receives the bits 1 << owner, in addition to those that are set
 * @param error   PM_ERROR_USAGE, with the nearest name
 * @return        0 or -1
 */
int pm_word_owners(const char *text, uint64_t *owners, struct pm_error *error);

/**
 * Adds the addresses that a word denotes to a list.
 *
 * @param word     the word
 * @param regions  the regions
 * @param ranges   the list to add to
 * @param error    PM_ERROR_NOT_FOUND if no region matches the word, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_word_resolve(const struct pm_word *word, const struct pm_regions *regions,
                    struct pm_ranges *ranges, struct pm_error *error);

#endif
