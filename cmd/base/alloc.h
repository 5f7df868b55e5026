/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Allocation for the commands. If memory runs out, the program exits with an error message. Only
 * commands may do that; the library returns an error instead.
 */
#ifndef CMD_BASE_ALLOC_H
#define CMD_BASE_ALLOC_H

#include <stddef.h>
#include <stdnoreturn.h>

/** Exits with the error message that memory has run out. */
noreturn void alloc_failed(void);

/**
 * Resizes an array, or exits with an error message if memory runs out.
 *
 * @param old    the array, NULL for a new one
 * @param count  number of items that the array must have room for
 * @param size   size of an item in bytes
 * @return       the array, never NULL; release it with free()
 */
void *alloc_array(void *old, size_t count, size_t size);

/**
 * Copies a string, or exits with an error message if memory runs out.
 *
 * @param string  NUL-terminated string
 * @return        the copy; release it with free()
 */
char *alloc_string(const char *string);

#endif
