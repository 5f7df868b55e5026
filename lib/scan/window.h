/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The bytes that a scanner works on at a time. A hit belongs to the window in which it starts, so
 * every byte of a target is the start of hits in one window only; the bytes around it are there so
 * that hits are found whole, and with what stands before them. Private.
 */
#ifndef PM_SCAN_WINDOW_H
#define PM_SCAN_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/**
 * Most sorts of hits of one search that may overlap each other; hits of the same sort (a stream)
 * never do.
 */
enum { PM_STREAMS = 8 };

/** Bytes that belong together: `bytes[-before]` to `bytes[size + after - 1]` may be read. */
struct pm_window {
	const uint8_t *bytes; /**< first byte where a hit may start */
	uint64_t address;     /**< its address in the target */
	size_t before;        /**< how many bytes are there before, continuous with `bytes` */
	size_t size;          /**< hits start before this one */
	size_t after;         /**< how many bytes are there from `size` on */
	bool begins; /**< the first readable byte is the first of its region, which continues no
	                other */
	bool ends;   /**< the last readable byte is the last of its region, which no other continues
	              */
	bool more;   /**< behind the last readable byte are further ones: see pm_window_grow() */
	const atomic_bool *stop; /**< becomes true when the scan is to end; NULL: never. For what
	                            may take long */
	size_t from[PM_STREAMS]; /**< hits of each stream start here or behind: a hit of the window
	                            before reaches up to here */
	/**
	 * How to get them: makes `bytes + at` the new begin and at least doubles what is behind
	 * `size`.
	 *
	 * @return 1: done; 0: it would be too large; -1
	 */
	int (*grow)(struct pm_window *window, size_t at, struct pm_error *error);
	void *context; /**< for `grow` */
};

/**
 * End of the readable bytes.
 * @param window the window
 * @return its offset
 */
static inline size_t pm_window_end(const struct pm_window *window)
{
	return window->size + window->after;
}

/**
 * Gets more bytes behind a window that proved to be too short for a hit. What is before `at` is
 * given up, except for what looking back needs; pointers into the old bytes become invalid.
 *
 * @param window  changed on success: its begin is what was at offset `at`, and `from` is 0
 * @param at      start of the hit, less than window->size
 * @param error   PM_ERROR_GONE, PM_ERROR_CANCELLED, PM_ERROR_RESOURCES
 * @return        1: the window is larger; 0: there is no more, or it would be too large; -1: an
 * error
 */
static inline int pm_window_grow(struct pm_window *window, size_t at, struct pm_error *error)
{
	return window->more && window->grow ? window->grow(window, at, error) : 0;
}

#endif
