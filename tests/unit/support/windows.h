/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Scans a whole buffer as the engine scans a target: in windows, each with some bytes before and
 * after it, that grow if a hit needs more. Hits that start within the previous hit are dropped.
 */
#ifndef TESTS_SUPPORT_WINDOWS_H
#define TESTS_SUPPORT_WINDOWS_H

#include <procmem/strings_scan.h>

#include "scan/scanner.h"

/** A hit, by its position in the whole buffer. */
struct hit {
	size_t start;      /**< first byte */
	size_t size;       /**< number of bytes */
	unsigned source;   /**< as found */
	unsigned encoding; /**< as found */
	bool truncated;    /**< as found */
};

/** Hits in the order in which they were found. Zero it first. */
struct hit_list {
	struct hit *items;
	size_t count;
	size_t capacity;
};

/** How to divide the buffer into windows. */
struct cut {
	size_t unit;    /**< bytes of a window; 0: one window */
	size_t overlap; /**< bytes before and after a window that are visible from the start */
	size_t most;    /**< bytes after a window by which it can grow; 0: any number */
};

/**
 * Scans a buffer with a scanner. Fails the test on errors.
 * @param hits    receives the hits
 * @param counts  increased; may be NULL
 */
void scan_buffer(const struct pm_scanner *scanner, const uint8_t *bytes, size_t size,
                 uint64_t address, const struct cut *cut, struct hit_list *hits,
                 struct pm_scan_counts *counts);

/** Adds a hit. */
void hit_list_add(struct hit_list *hits, struct hit hit);

/** Releases a list. */
void hit_list_deinit(struct hit_list *hits);

/** Returns the number of equal hits at the start of both lists. */
size_t count_same_hits(const struct hit_list *wanted, const struct hit_list *found);

/**
 * Fails the test unless both lists are equal, and prints the first difference.
 * @param what  name of the comparison, for the message
 */
void assert_same_hits(const struct hit_list *wanted, const struct hit_list *found,
                      const uint8_t *bytes, const char *what);

/** Returns the next pseudo-random number (splitmix64). */
uint64_t random_next(uint64_t *state);

#endif
