/* SPDX-License-Identifier: MIT */
/** @file Prints the strings of new pages. */
#ifndef CMD_WATCH_PEEK_PRINT_H
#define CMD_WATCH_PEEK_PRINT_H

#include "base/text.h"
#include "view/json.h"
#include "watch/peek/peek.h"

/**
 * Adds the strings that were found in a row as one line, without a newline: "new strings in
 * 7f3a08000000…: application/grpc ×312".
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
