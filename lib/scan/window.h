/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A window: the bytes that a scanner searches at once. A hit belongs to the window in which it
 * starts, and windows do not overlap, so no hit is found twice. The bytes after a window are needed
 * to find hits as a whole, the bytes before it for look-behinds. Private.
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
	size_t size;          /**< size in bytes; all hits start before this offset */
	size_t after;         /**< number of readable bytes after these */
	bool begins; /**< the first readable byte is the first byte of its region, and the region
	                does not continue another one */
	bool ends;   /**< the last readable byte is the last byte of its region, and no other region
	                continues it */
	bool more;   /**< more bytes follow the last readable one; pm_window_grow() may read them */
	const atomic_bool *stop; /**< set by another thread to end the scan; for scanners that take
	                            long; may be NULL */
	size_t from[PM_STREAMS]; /**< for each stream, the offset at which the last hit of earlier
	                            windows ends; hits must not start before it */
	/**
	 * Reads more bytes after the window. `bytes + at` becomes the start of the window, and
	 * `after` at least doubles, as far as there are bytes.
	 * @return 1: done; 0: no more bytes, or the window would be too large; -1: an error
	 */
	int (*grow)(struct pm_window *window, size_t at, struct pm_error *error);
	void *context; /**< used by `grow` */
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
 * Reads more bytes after a window, because a hit may extend beyond its end. The bytes before `at`
 * are dropped, except for those that look-behinds need. Pointers to the old bytes become invalid.
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
