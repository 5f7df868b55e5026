/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What texts have in common that differ only in their numbers: "order 17 of 0x7f01" and "order 4 of
 * 0x88ac" are both "order # of 0x#".
 *
 * A number is a run of digits; a word of at least four hexadecimal digits (eight where it has more
 * letters than digits), one of which is a decimal digit; such digits behind 0x; and a UUID (RFC
 * 9562: 8, 4, 4, 4 and 12 hexadecimal digits).
 */
#ifndef CMD_TARGET_SIMILARITY_H
#define CMD_TARGET_SIMILARITY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Writes a text with `#` in the place of each number.
 *
 * @param to      room for `length` bytes
 * @param text    any bytes; only those of ASCII can be numbers
 * @param length  how many
 * @return        bytes written, no more than there were
 */
size_t similar_fold(char *to, const char *text, size_t length);

/**
 * Writes the text that stands for one or several.
 *
 * @param varied  whether there are several that differ in their numbers
 * @param to      room for `length` bytes
 * @param text    the first of them
 * @param length  its bytes
 * @return        bytes written
 */
size_t similar_text(bool varied, char *to, const char *text, size_t length);

#endif
