/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Bytes in the format of `hexdump -C`, with absolute addresses. Lines equal to the previous one are
 * folded into one `*`. Addresses of 64-bit processes are longer than the offsets of hexdump, so
 * fewer spaces are used, and a line of 16 bytes fits 80 columns. On narrower terminals, a line has
 * 8 bytes.
 */
#ifndef CMD_VIEW_HEX_VIEW_H
#define CMD_VIEW_HEX_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/** Maximum number of bytes of a line. */
enum { HEX_LINE = 16 };

/** A view. Before use, zero the structure except `out` and the marked bytes. */
struct hex_view {
	struct out *out;     /**< receives the lines */
	uint64_t mark_start; /**< first address of the bytes that are shown as a match */
	uint64_t mark_end;   /**< address after the last of these bytes; equal to `mark_start` if
	                        there are none */
	uint64_t address;    /**< address of the next byte */
	bool open;           /**< bytes were shown, and the view has not ended */
	bool folding;        /**< a `*` was printed for lines equal to `last` */
	bool has_last;       /**< `last` contains the line that ends where `line` starts */
	size_t filled;       /**< number of bytes in `line` */
	unsigned char line[HEX_LINE]; /**< the line being collected */
	unsigned char last[HEX_LINE]; /**< the previous line */
};

/**
 * Shows bytes. If they do not follow the previous ones, they start a new line.
 *
 * @param view     the view
 * @param address  address of the first byte
 * @param bytes    the bytes
 * @param size     number of bytes
 */
void hex_view_bytes(struct hex_view *view, uint64_t address, const void *bytes, size_t size);

/**
 * Shows bytes that are 0.
 *
 * @param view     the view
 * @param address  address of the first byte
 * @param size     number of bytes, without a limit
 */
void hex_view_zeros(struct hex_view *view, uint64_t address, uint64_t size);

/**
 * Shows a line for bytes that could not be read.
 *
 * @param view   the view
 * @param start  address of the first byte
 * @param end    address after the last byte
 * @param why    human-readable reason; escaped by this function
 */
void hex_view_unreadable(struct hex_view *view, uint64_t start, uint64_t end, const char *why);

/**
 * Ends the view: prints the last line of bytes, and a line with the address after the last byte.
 * @param view  the view
 */
void hex_view_end(struct hex_view *view);

#endif
