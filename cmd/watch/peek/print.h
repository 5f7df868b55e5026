/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_WATCH_PEEK_PRINT_H
#define CMD_WATCH_PEEK_PRINT_H

#include "watch/peek/peek.h"

/**
 * Adds what peek_found() tells, in one line without its end: "new strings in 7f3a08000000…:
 * application/grpc ×312".
 *
 * @param watch  the process
 * @param row    one of its rows
 * @param text   gets it; nothing where nothing was looked at
 */
void peek_print_describe(const struct watch *watch, const struct watch_row *row, struct text *text);

/**
 * Adds what peek_found() tells to the object of a row.
 * @param watch the process
 * @param row one of its rows
 * @param object gets it
 */
void peek_print_json(const struct watch *watch, const struct watch_row *row, json_t *object);

/**
 * Adds a string as it is to be shown: escaped, and how often. "application/grpc ×312"
 *
 * @param string   it
 * @param columns  most columns of its text
 * @param text     gets it
 */
void peek_print_string(const struct pm_page_string *string, size_t columns, struct text *text);

#endif
