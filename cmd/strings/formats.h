/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Formats in the memory of a process, such as "item/%08u". A string that fits a format was probably
 * written with it, so the file that contains the format is probably the owner of the string.
 *
 * Formats are collected from the strings of the search, and from the mapped files that the search
 * leaves out. At most 8 MiB of formats are kept; then those that occur once are dropped.
 */
#ifndef CMD_STRINGS_FORMATS_H
#define CMD_STRINGS_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/tally.h>

#include "target/memory.h"

/** The formats that were found. Zeroed: none. */
struct formats {
	struct pm_tally *found; /**< private */
	uint64_t used_us;       /**< private: time that formats_find() took so far */
};

/** A format that fits a string. */
struct format {
	const char *text; /**< the format, not NUL-terminated; owned by struct formats */
	size_t length;    /**< bytes of `text`; 0 if no format fits */
	uint64_t address; /**< address of the text that contains the format */
	bool whole; /**< the format fits the whole string; otherwise only the start of the string */
};

/**
 * Prepares for formats.
 *
 * @param formats  receives an empty collection; release it with formats_deinit()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int formats_init(struct formats *formats, struct pm_error *error);

/**
 * Releases the formats.
 * @param formats  the formats, or a zeroed structure
 */
void formats_deinit(struct formats *formats);

/**
 * Adds the formats in a string.
 *
 * @param formats  the formats
 * @param text     the string
 * @param length   bytes of `text`
 * @param address  address of the string
 */
void formats_note(struct formats *formats, const char *text, size_t length, uint64_t address);

/**
 * Adds the formats in the mapped files that are not part of the search. Ends early if the process
 * ends, or if Ctrl-C is pressed. This is not an error, because formats only explain strings that
 * were found.
 *
 * @param formats  the formats; no format can be added after this
 * @param memory   the memory that was searched
 */
void formats_search(struct formats *formats, struct memory *memory);

/**
 * Finds the format that fits a string best: the one with the most letters and digits outside of its
 * conversions. All calls together take about one second at most; after that, no format is found.
 *
 * @param formats  the formats, after formats_search()
 * @param text     the string
 * @param length   bytes of `text`
 * @return         the format, with length 0 if none fits
 */
struct format formats_find(struct formats *formats, const char *text, size_t length);

#endif
