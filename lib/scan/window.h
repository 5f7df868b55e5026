/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A window: the bytes that a scanner searches at once. Each hit is found in the window in which the
 * hit starts. Windows do not overlap, so no hit is found twice. The bytes after a window are needed
 * to find hits as a whole, and the bytes before it are needed for look-behinds. Private.
 */
#ifndef PM_SCAN_WINDOW_H
#define PM_SCAN_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/**
 * Maximum number of streams of a scanner. Hits of different streams may overlap; hits of the same
 * stream do not.
 */
enum { PM_STREAMS = 8 };

/** Consecutive bytes: `bytes[-before]` to `bytes[size + after - 1]` are readable. */
struct pm_window {
	const uint8_t *bytes; /**< first byte where a hit may start */
	uint64_t address;     /**< address of `bytes` in the target */
	size_t before;        /**< number of readable bytes before `bytes` */
	size_t size;          /**< size of the window in bytes; all hits start before this offset */
	size_t after;         /**< number of readable bytes after the window */
	bool begins; /**< the first readable byte, including `before`, is the first byte of a
	                selected range, or of a region that does not continue another region */
	bool ends;   /**< the last readable byte, including `after`, is the last byte of a selected
	                range, or of a region that no other region continues */
	bool more;   /**< more bytes follow the readable bytes; pm_window_grow() may read these */
	/**
	 * Set to true by another thread to end the scan. A scanner tests it if it searches for a
	 * long time. NULL if there is no such flag.
	 */
	const atomic_bool *stop;
	size_t from[PM_STREAMS]; /**< for each stream, the offset before which hits must not
	                            start, because an earlier hit ends there; 0 if there is
	                            none */
	/**
	 * For each stream, the offset at which the search of the bytes after the window must start.
	 * 0 if the search can start at any offset. Set by a scanner with pm_scanner.carries at the
	 * end of the window.
	 */
	size_t resume[PM_STREAMS];
	/**
	 * Implements pm_window_grow(). `after` becomes at least twice as large, unless fewer bytes
	 * can be read or the limit is reached.
	 * @return 1: done; 0: no more bytes, or the window would be too large; -1: an error
	 */
	int (*grow)(struct pm_window *window, size_t at, struct pm_error *error);
	void *context; /**< used by `grow` */
};

/**
 * Returns the offset after the last readable byte.
 * @param window  the window
 * @return        the offset
 */
static inline size_t pm_window_end(const struct pm_window *window)
{
	return window->size + window->after;
}

/**
 * Reads more bytes after a window, because a hit may extend beyond the readable bytes. The bytes
 * before `at` are dropped, except for those that look-behinds need. Pointers to the old bytes
 * become invalid.
 *
 * @param window  modified on success: the old offset `at` becomes offset 0, and all items of `from`
 *                become 0
 * @param at      offset of the hit, below window->size
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return        1: the window was enlarged; 0: there are no more bytes, or the window would be too
 *                large; -1: an error
 */
static inline int pm_window_grow(struct pm_window *window, size_t at, struct pm_error *error)
{
	if (!window->more || !window->grow)
		return 0;
	return window->grow(window, at, error);
}

#endif
