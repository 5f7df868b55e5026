/* SPDX-License-Identifier: MIT */
/** @file The texts that the target `markers` placed, to be found again in what was read of it. */
#ifndef TESTS_SUPPORT_MARKERS_H
#define TESTS_SUPPORT_MARKERS_H

#include <stddef.h>
#include <stdint.h>

#include "support/target.h"

enum { MARKER_TEXT = 40 };

/** One text. */
struct marker {
	char region[32];            /**< name of the region it is in */
	uint64_t address;           /**< where it begins */
	char text[MARKER_TEXT + 1]; /**< what the target says */
	char seen[MARKER_TEXT + 1]; /**< what was read */
};

/** All of them. */
struct markers {
	struct marker *items;
	size_t count;
};

/**
 * Takes the facts `WORD REGION ADDRESS TEXT`.
 * @param markers released by markers_drop() @param word "marker" or "file_marker"
 */
void markers_take(struct markers *markers, const struct target *target, const char *word);

/**
 * Keeps the parts of markers that lie in these bytes.
 * @param address where the bytes were read
 */
void markers_feed(struct markers *markers, uint64_t address, const void *bytes, size_t size);

/** Fails the test unless every marker was seen as the target says. There must be at least one. */
void markers_expect_all(const struct markers *markers);

/** Forgets what was seen. */
void markers_forget(struct markers *markers);

/** Releases them. */
void markers_drop(struct markers *markers);

#endif
