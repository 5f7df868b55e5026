/* SPDX-License-Identifier: MIT */
/** @file Texts with repetitions, shortened for listings. */
#ifndef CMD_VIEW_FOLD_H
#define CMD_VIEW_FOLD_H

#include <stddef.h>

#include "base/text.h"

/**
 * Adds a text. A long sequence of equal characters, or of equal groups of up to 32 bytes, is
 * replaced by its start and the number of repetitions: `BBBB… (65,536 × B)`.
 *
 * @param output  receives the text; not escaped
 * @param bytes   any bytes
 * @param length  number of bytes
 */
void fold_repetitions(struct text *output, const char *bytes, size_t length);

#endif
