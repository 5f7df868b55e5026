/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Comma-separated values (RFC 4180, but lines end with a newline only): for output that is not a
 * list of view/list.h. Control characters in texts are escaped as in all output, so a field never
 * has several lines.
 */
#ifndef CMD_VIEW_CSV_H
#define CMD_VIEW_CSV_H

#include <stdint.h>

#include "base/out.h"
#include "base/text.h"

/** A row being written. Zero it, and set `out`. */
struct csv {
	struct out *out;  /**< receives the rows */
	struct text line; /**< the fields so far */
	bool begun;       /**< the row has a field */
};

/**
 * Adds a text, escaped, in quotes if it contains a comma or a quote.
 * @param csv     the row
 * @param bytes   the text; may be NULL if `length` is 0
 * @param length  length in bytes
 */
void csv_bytes(struct csv *csv, const char *bytes, size_t length);

/**
 * Adds a text that ends with a NUL; see csv_bytes().
 * @param csv     the row
 * @param string  the text; NULL for an empty field
 */
void csv_string(struct csv *csv, const char *string);

/**
 * Adds a number.
 * @param csv    the row
 * @param value  the number
 */
void csv_number(struct csv *csv, uint64_t value);

/**
 * Adds a number that can be negative.
 * @param csv    the row
 * @param value  the number
 */
void csv_signed(struct csv *csv, int64_t value);

/**
 * Adds a number that need not be an integer, rounded to three decimals, with a dot.
 * @param csv    the row
 * @param value  the number
 */
void csv_real(struct csv *csv, double value);

/**
 * Adds an address in hexadecimal, without 0x, as in the lists.
 * @param csv      the row
 * @param address  the address
 */
void csv_address(struct csv *csv, uint64_t address);

/**
 * Adds an empty field: the value is not known, or the item has none.
 * @param csv  the row
 */
void csv_none(struct csv *csv);

/**
 * Ends a row, and writes it.
 * @param csv  the row; empty afterwards
 */
void csv_end(struct csv *csv);

/**
 * Releases a row.
 * @param csv  the row
 */
void csv_deinit(struct csv *csv);

#endif
