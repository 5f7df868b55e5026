/* SPDX-License-Identifier: MIT */
/** @file Numbers for different byte strings. */
#ifndef CMD_TRACE_NUMBERS_H
#define CMD_TRACE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/** Different byte strings with numbers from 0, by a hash table. A zeroed structure is empty. */
struct trace_numbers {
	struct text *keys; /* owned */
	size_t count;
	size_t *slots; /* number + 1; 0 if the slot is free; owned */
	size_t slot_count;
	uint64_t seed; /* of the hashes: a target cannot choose names with equal ones */
};

/**
 * Finds the number of a byte string, or gives it the next one.
 *
 * @param numbers  the table
 * @param bytes    the byte string
 * @param length   number of bytes
 * @param added    receives whether the byte string is new; may be NULL
 * @return         the number
 */
uint64_t trace_numbers_find(struct trace_numbers *numbers, const char *bytes, size_t length,
                            bool *added);

/** Releases the table. */
void trace_numbers_deinit(struct trace_numbers *numbers);

#endif
