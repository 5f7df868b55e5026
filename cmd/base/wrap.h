/* SPDX-License-Identifier: MIT */
/** @file Lines of words that fit a terminal. Tables have columns that go instead: list_fit.c. */
#ifndef CMD_BASE_WRAP_H
#define CMD_BASE_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Finds out how large the terminal behind a descriptor is.
 *
 * @param fd      the descriptor
 * @param width   set to its columns, SIZE_MAX where there is no terminal
 * @param height  set to its lines, likewise
 * @return        whether it is a terminal
 */
bool wrap_size(int fd, size_t *width, size_t *height);

/**
 * Adds lines, broken at blanks where the terminal ends: where fields are two blanks apart, rather
 * between these. A word that has no room in a line of its own stays whole.
 *
 * @param into    gets them
 * @param bytes   escaped text of one or more lines
 * @param length  its bytes
 * @param width   columns of the terminal, SIZE_MAX where there is none
 * @param indent  blanks before what goes on with a line
 */
void wrap(struct text *into, const char *bytes, size_t length, size_t width, size_t indent);

#endif
