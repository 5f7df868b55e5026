/* SPDX-License-Identifier: MIT */
/**
 * @file Breaks prose into lines that fit a terminal. Tables are not broken; they leave out columns
 * instead (see view/list_fit.c).
 */
#ifndef CMD_BASE_WRAP_H
#define CMD_BASE_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/**
 * Reads the size of the terminal of a descriptor. A terminal that does not report a size has 80
 * columns and 24 lines.
 *
 * @param fd      the descriptor
 * @param width   receives the number of columns, or SIZE_MAX if the descriptor is not a terminal
 * @param height  receives the number of lines, or SIZE_MAX if the descriptor is not a terminal
 * @return        true if the descriptor is a terminal
 */
bool wrap_size(int fd, size_t *width, size_t *height);

/**
 * Adds lines, broken at spaces to fit a width. Where fields are separated by two spaces, lines are
 * preferably broken there. A word that is wider than a line stays whole.
 *
 * @param into    receives the lines
 * @param bytes   escaped text of one or more lines
 * @param length  number of bytes
 * @param width   columns of the terminal, SIZE_MAX not to break lines
 * @param indent  number of spaces at the start of a continuation line
 */
void wrap(struct text *into, const char *bytes, size_t length, size_t width, size_t indent);

#endif
