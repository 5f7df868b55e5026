/* SPDX-License-Identifier: MIT */
/** @file The interface of scanners: how to search one window. Private. */
#ifndef PM_SCAN_SCANNER_H
#define PM_SCAN_SCANNER_H

#include "scan/window.h"

/** A hit, by its offset in a window. */
struct pm_found {
	size_t start;    /**< offset of the first byte */
	size_t size;     /**< size in bytes */
	size_t attempt;  /**< offset where matching started: `start`, except for patterns with \K */
	uint32_t source; /**< index of the pattern; 0 in the search for text */
	uint8_t encoding; /**< enum pm_encoding of the text that was searched for */
	uint8_t stream;   /**< hits of the same stream do not overlap; below PM_STREAMS */
	bool truncated;   /**< the hit continues after the maximum size of a window */
	bool changed;     /**< for `consume`: the target has other bytes there now */
};

/** Collects the hits of a window. */
struct pm_hits {
	struct pm_found *items; /**< hits that were not consumed yet */
	size_t count;           /**< number of hits */
	size_t capacity;        /**< private */
	/**
	 * Consumes the hits, as long as the bytes of the window are valid.
	 * @return 0: continue; 1: stop scanning this window; -1: an error
	 */
	int (*consume)(struct pm_hits *hits, const struct pm_window *window,
	               struct pm_error *error);
	void *context; /**< for `consume` */
};

/** Number of hits after which a scanner flushes them. */
enum { PM_HITS_MAX = 1024 };

/** Counters of a scanner, for one thread. */
struct pm_scan_counts {
	uint64_t gave_up; /**< attempts at which matching reached its limits */
	uint64_t skipped; /**< bytes at which no match was tried after that */
};

struct pm_scanner;

/** The functions of a scanner. */
struct pm_scanner_ops {
	/**
	 * Allocates the state of one thread.
	 * @return the state, or NULL with the error filled
	 */
	void *(*open)(const struct pm_scanner *scanner, struct pm_error *error);
	/**
	 * Releases the state of a thread.
	 * @param thread  the result of `open`, or NULL
	 */
	void (*close)(void *thread);
	/**
	 * Searches a window. Flushes the hits before it lets the window grow, and at the end.
	 *
	 * @param thread  the result of `open`
	 * @param window  the window; modified
	 * @param hits    receives the hits
	 * @param counts  counters, which are increased
	 * @param error   any error
	 * @return        0: done; 1: stopped by hits->consume; -1: an error
	 */
	int (*scan)(void *thread, struct pm_window *window, struct pm_hits *hits,
	            struct pm_scan_counts *counts, struct pm_error *error);
	/** Releases the scanner itself. */
	void (*destroy)(struct pm_scanner *scanner);
};

/** A scanner. Each sort of scanner has this as its first member. */
struct pm_scanner {
	const struct pm_scanner_ops *ops; /**< its functions */
	size_t lookbehind;    /**< bytes before a window that it needs, at most PM_LOOKBEHIND_MAX */
	bool starts_in_zeros; /**< hits may start with a NUL byte: pages of zeros must be searched
	                         too */
};

/** Maximum of pm_scanner.lookbehind in bytes. */
enum { PM_LOOKBEHIND_MAX = 4096 };

#endif
