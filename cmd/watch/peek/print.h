/* SPDX-License-Identifier: MIT */
/** @file Prints the strings of new pages. */
#ifndef CMD_WATCH_PEEK_PRINT_H
#define CMD_WATCH_PEEK_PRINT_H

#include <jansson.h>

#include "base/text.h"
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
 * Adds the strings that were found to the JSON object of a row.
 * @param result the strings that were found
 * @param object receives members
 */
void peek_print_json(const struct peek_result *result, json_t *object);

#endif
