/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Bytes as `hexdump -C` shows them, with absolute addresses; lines like the one before are folded
 * into one `*`. The addresses of 64-bit processes are longer than the offsets there, so there are
 * fewer blanks: 16 bytes fit into 80 columns, and 8 into a narrower terminal.
 */
#ifndef CMD_VIEW_HEX_VIEW_H
#define CMD_VIEW_HEX_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/** Most bytes of a line. */
enum { HEX_LINE = 16 };

/** A view; start with all zero but `out`. */
struct hex_view {
	struct out *out;              /**< where it goes */
	uint64_t mark_start;          /**< first address of bytes to be shown as a match, and */
	uint64_t mark_end;            /**< the address behind the last; equal for none */
	uint64_t address;             /**< of the next byte */
	bool open;                    /**< something was shown that has no end yet */
	bool folding;                 /**< a `*` stands for lines like `last` */
	bool has_last;                /**< `last` is a line that directly precedes */
	size_t filled;                /**< bytes of `line` */
	unsigned char line[HEX_LINE]; /**< the line being collected */
	unsigned char last[HEX_LINE]; /**< the line before */
};

/**
 * Shows bytes; those that do not follow on the ones before begin a new line.
 *
 * @param view     it
 * @param address  where they are
 * @param bytes    they
 * @param size     how many
 */
void hex_view_bytes(struct hex_view *view, uint64_t address, const void *bytes, size_t size);

/**
 * Shows zeros.
 * @param view it
 * @param address where
 * @param size how many, any number
 */
void hex_view_zeros(struct hex_view *view, uint64_t address, uint64_t size);

/**
 * Says that there are no bytes to show.
 * @param view it
 * @param start, end of the range
 * @param why for people
 */
void hex_view_unreadable(struct hex_view *view, uint64_t start, uint64_t end, const char *why);

/**
 * Ends the view: the last line, and the address behind it.
 * @param view it
 */
void hex_view_end(struct hex_view *view);

#endif
