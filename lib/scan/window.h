/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The bytes that a scanner searches at once. A hit belongs to the window in which it starts, so
 * that each byte of a target is the start of hits in one window only. The bytes around the window
 * are there so that hits are found as a whole, and for look-behinds. Private.
 */
#ifndef PM_SCAN_WINDOW_H
#define PM_SCAN_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/**
 * Maximum number of streams of a scanner. Hits of different streams may overlap, hits of the same
 * stream never do.
 */
enum { PM_STREAMS = 8 };

/** Consecutive bytes: `bytes[-before]` to `bytes[size + after - 1]` are readable. */
struct pm_window {
	const uint8_t *bytes; /**< first byte where a hit may start */
	uint64_t address;     /**< its address in the target */
	size_t before;        /**< readable bytes before `bytes` */
	size_t size;          /**< offset before which hits start */
	size_t after;         /**< readable bytes from `size` on */
	bool begins; /**< the first readable byte is the first of its region, which does not
	                continue another one */
	bool ends;   /**< the last readable byte is the last of its region, which no other continues
	              */
	bool more;   /**< more bytes follow the last readable one: see pm_window_grow() */
	const atomic_bool *stop; /**< becomes true when the scan is to end, for scanners that take
	                            long; NULL: never */
	size_t from[PM_STREAMS]; /**< offset from which hits of each stream start: a hit of the
	                            window before extends up to it */
	/**
	 * Reads more bytes: `bytes + at` becomes the start, and `after` at least doubles.
	 * @return 1: done; 0: the window would be too large; -1: an error
	 */
	int (*grow)(struct pm_window *window, size_t at, struct pm_error *error);
	void *context; /**< for `grow` */
};

/**
 * Returns the offset of the end of the readable bytes.
 * @param window  the window
 * @return        the offset
 */
static inline size_t pm_window_end(const struct pm_window *window)
{
	return window->size + window->after;
}

/**
 * Reads more bytes after a window that is too short for a hit. The bytes before `at` are dropped,
 * except for those that look-behinds need. Pointers to the old bytes become invalid.
 *
 * @param window  modified on success: offset 0 is then what was offset `at`, and `from` is 0
 * @param at      offset of the hit, below window->size
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return        1: the window is larger; 0: there are no more bytes, or it would be too large; -1:
 *                an error
 */
static inline int pm_window_grow(struct pm_window *window, size_t at, struct pm_error *error)
{
	if (!window->more || !window->grow)
		return 0;
	return window->grow(window, at, error);
}

#endif
