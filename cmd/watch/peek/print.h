/* SPDX-License-Identifier: MIT */
/** @file Prints the strings of new pages. */
#ifndef CMD_WATCH_PEEK_PRINT_H
#define CMD_WATCH_PEEK_PRINT_H

#include "base/out.h"
#include "base/text.h"
#include "view/json.h"
#include "watch/peek/peek.h"

/**
 * Prints the strings that were found in a row, each in its own line after its count, below a line
 * that names the row.
 * @param result the strings that were found
 * @param row the row
 * @param out the output
 */
void peek_print(const struct peek_result *result, const struct watch_row *row, struct out *out);

/**
 * Adds the strings that were found in a row as one line, without a newline, for the live screen:
 * "new strings in 7f3a08000000…: application/grpc ×312".
 *
 * @param result  the strings that were found
 * @param row     the row
 * @param text    receives the line, escaped
 */
void peek_print_describe(const struct peek_result *result, const struct watch_row *row,
                         struct text *text);

/**
 * Writes the members `peek`, `appeared` and `searched` of the JSON object of a row.
 *
 * @param result  the strings that were found
 * @param json    the output, within the object
 */
void peek_print_json(const struct peek_result *result, struct json *json);

#endif
