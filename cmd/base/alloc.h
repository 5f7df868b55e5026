/* SPDX-License-Identifier: MIT */
/**
 * @file Memory for the commands: it is there, or the program ends with a message. The library never
 * does that; a command may.
 */
#ifndef CMD_BASE_ALLOC_H
#define CMD_BASE_ALLOC_H

#include <stddef.h>
#include <stdnoreturn.h>

/** Exits with the message that there is no memory. */
noreturn void alloc_failed(void);

/**
 * Resizes an array; exits with an error message when there is no memory.
 *
 * @param old    the array, NULL for a new one
 * @param count  items it shall have room for
 * @param size   bytes of an item
 * @return       the array, never NULL; free() releases it
 */
void *alloc_array(void *old, size_t count, size_t size);

/**
 * Copies a string; exits with an error message when there is no memory.
 * @param string ends in NUL
 * @return the copy, for free()
 */
char *alloc_string(const char *string);

#endif
