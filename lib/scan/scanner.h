/* SPDX-License-Identifier: MIT */
/**
 * @file The interface that a scanner implements. A scanner searches one window at a time. Private.
 */
#ifndef PM_SCAN_SCANNER_H
#define PM_SCAN_SCANNER_H

#include "scan/window.h"

/** A hit in a window. */
struct pm_found {
	size_t start;     /**< offset of the first byte */
	size_t size;      /**< size in bytes */
	size_t attempt;   /**< offset at which matching started; equal to `start`, except for
	                     patterns with \K */
	uint32_t source;  /**< index of the pattern; 0 if the scanner searches for text */
	uint8_t encoding; /**< enum pm_encoding of the hit */
	uint8_t stream; /**< number of the stream, below PM_STREAMS; hits of the same stream do not
	                   overlap */
	bool truncated; /**< the hit may be incomplete, because the window could not grow to
	                   contain the whole hit */
	bool changed;   /**< the bytes of the hit in the target have changed since they were
	                   read; set by pm_hits.consume */
};

/** Collects the hits of a window. */
struct pm_hits {
	struct pm_found *items; /**< the hits that have not been consumed yet */
	size_t count;           /**< number of hits */
	size_t capacity;        /**< private */
	/**
	 * Consumes the hits. Called while the bytes of the window are valid.
	 * @return 0: continue; 1: stop scanning this window; -1: an error
	 */
	int (*consume)(struct pm_hits *hits, const struct pm_window *window,
	               struct pm_error *error);
	void *context; /**< used by `consume` */
};

/** Number of hits at which a scanner calls pm_hits_flush(). */
enum { PM_HITS_MAX = 1024 };

/** Counters of a scanner, for one thread. */
struct pm_scan_counts {
	uint64_t gave_up; /**< number of attempts to match that reached a limit */
	uint64_t skipped; /**< number of bytes that were skipped after such attempts */
};

struct pm_scanner;

/** The functions of a scanner. */
struct pm_scanner_ops {
	/**
	 * Allocates the state of one thread.
	 * @return the state; NULL after a failure, which is described in `error`
	 */
	void *(*open)(const struct pm_scanner *scanner, struct pm_error *error);
	/**
	 * Releases the state of a thread.
	 * @param thread  the result of `open`, or NULL
	 */
	void (*close)(void *thread);
	/**
	 * Searches a window. The function must call pm_hits_flush() before each call of
	 * pm_window_grow(), and at the end of the window.
	 *
	 * @param thread  the result of `open`
	 * @param window  the window; modified
	 * @param hits    receives the hits
	 * @param counts  counters; increased by this call
	 * @param error   any error
	 * @return        0: done; 1: stopped by hits->consume or window->stop; -1: an error
	 */
	int (*scan)(void *thread, struct pm_window *window, struct pm_hits *hits,
	            struct pm_scan_counts *counts, struct pm_error *error);
	/** Releases the scanner itself. */
	void (*destroy)(struct pm_scanner *scanner);
};

/** A scanner. The structure of each kind of scanner starts with this structure. */
struct pm_scanner {
	const struct pm_scanner_ops *ops; /**< functions of the scanner */
	size_t lookbehind; /**< maximum number of bytes before a window that the scanner
	                      examines, at most PM_LOOKBEHIND_MAX */
	/**
	 * Number of streams, from stream 0 on, of a scanner whose hits in a window can depend on
	 * the search of the memory before it, even if no hit ends in the window (pm_window.resume).
	 * 0 if this is not possible.
	 */
	uint8_t carries;
	/**
	 * Hits of the same stream can overlap: the search continues at the byte after the start of
	 * a hit, not after its end.
	 */
	bool overlaps;
	bool starts_in_zeros; /**< hits may start with a NUL byte, so pages that contain only
	                         zeros must be searched, too */
};

/** Maximum of pm_scanner.lookbehind in bytes. */
enum { PM_LOOKBEHIND_MAX = 4096 };

#endif
