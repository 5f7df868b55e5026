/* SPDX-License-Identifier: MIT */
/** @file The texts that the target `markers` placed, to compare them with the memory read. */
#ifndef TESTS_SUPPORT_MARKERS_H
#define TESTS_SUPPORT_MARKERS_H

#include <stddef.h>
#include <stdint.h>

#include "support/target.h"

enum { MARKER_TEXT = 40 };

/** A text. */
struct marker {
	char region[32];            /**< name of its region */
	uint64_t address;           /**< address of its first byte */
	char text[MARKER_TEXT + 1]; /**< as the target printed it */
	char seen[MARKER_TEXT + 1]; /**< as it was read */
};

/** All texts of a target. */
struct markers {
	struct marker *items;
	size_t count;
};

/**
 * Collects the facts `WORD REGION ADDRESS TEXT`.
 * @param markers  filled; release with markers_drop()
 * @param word     "marker" or "file_marker"
 */
void markers_take(struct markers *markers, const struct target *target, const char *word);

/**
 * Stores the parts of markers that are in these bytes.
 * @param address  of the bytes in the target
 */
void markers_feed(struct markers *markers, uint64_t address, const void *bytes, size_t size);

/** Fails the test unless every marker, at least one, was read as the target printed it. */
void markers_expect_all(const struct markers *markers);

/** Clears what was read. */
void markers_forget(struct markers *markers);

/** Releases the markers. */
void markers_drop(struct markers *markers);

#endif
