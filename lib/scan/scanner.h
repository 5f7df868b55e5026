/* SPDX-License-Identifier: MIT */
/** @file What the engine knows about a search: how to look through one window. Private. */
#ifndef PM_SCAN_SCANNER_H
#define PM_SCAN_SCANNER_H

#include "scan/window.h"

/** A hit, by its place in a window. */
struct pm_found {
	size_t start;    /**< first byte */
	size_t size;     /**< how many */
	size_t attempt;  /**< where the search for it began: `start`, except for patterns with \K */
	uint32_t source; /**< which of the patterns it fits; 0 in the search for text */
	uint8_t encoding; /**< enum pm_encoding of the text that was searched for */
	uint8_t stream;   /**< hits of the same stream do not overlap; less than PM_STREAMS */
	bool truncated;   /**< it goes on behind what a window may hold */
	bool changed;     /**< for who takes the hits: the target has other bytes there now */
};

/** Collects the hits of a window. */
struct pm_hits {
	struct pm_found *items; /**< not yet handed on */
	size_t count;           /**< how many */
	size_t capacity;        /**< private */
	/**
	 * Takes the items while the window's bytes are there.
	 * @return 0: go on; 1: stop scanning this window; -1: an error
	 */
	int (*take)(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error);
	void *context; /**< for `take` */
};

/** Hits are handed on at latest when there are so many. */
enum { PM_HITS_MAX = 1024 };

/** Counters of one thread that a scanner keeps besides its hits. */
struct pm_scan_counts {
	uint64_t gave_up; /**< attempts at which matching reached its limits */
	uint64_t skipped; /**< bytes at which no match was tried after that */
};

struct pm_scanner;

/** What a search can do. */
struct pm_scanner_ops {
	/**
	 * Makes what one thread needs.
	 * @return NULL with the error filled when out of memory
	 */
	void *(*open)(const struct pm_scanner *scanner, struct pm_error *error);
	/**
	 * Releases it.
	 * @param thread what `open` returned, or NULL
	 */
	void (*close)(void *thread);
	/**
	 * Looks through a window; flushes the hits before it lets the window grow, and at the end.
	 *
	 * @param thread  what `open` returned
	 * @param window  the window; changed
	 * @param hits    gets the hits
	 * @param counts  added to
	 * @param error   any
	 * @return        0: done; 1: stopped by hits->take; -1: an error
	 */
	int (*scan)(void *thread, struct pm_window *window, struct pm_hits *hits,
	            struct pm_scan_counts *counts, struct pm_error *error);
	/** Releases the search itself. */
	void (*destroy)(struct pm_scanner *scanner);
};

/** A search; the first member of what each sort of search is. */
struct pm_scanner {
	const struct pm_scanner_ops *ops; /**< what it can do */
	size_t lookbehind;                /**< bytes before a window that it wants to see, at most
	                                     PM_LOOKBEHIND_MAX */
	bool starts_in_zeros; /**< hits may start with a NUL byte: pages of zeros must be searched
	                         too */
};

/** Most bytes that a search may look back. */
enum { PM_LOOKBEHIND_MAX = 4096 };

#endif
