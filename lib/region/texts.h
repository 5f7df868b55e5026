/* SPDX-License-Identifier: MIT */
/**
 * @file A store of texts and other data that are released together: names and details of a list of
 * regions. Private.
 */
#ifndef PM_REGION_TEXTS_H
#define PM_REGION_TEXTS_H

#include <stddef.h>

struct pm_texts;

/**
 * Copies a text into a store.
 *
 * @param texts   the store, created if *texts is NULL
 * @param text    the text; need not end in NUL
 * @param length  length of the text in bytes
 * @return        the copy, NUL-terminated, valid until the store is cleared or destroyed; NULL if
 *                out of memory
 */
const char *pm_texts_add(struct pm_texts **texts, const char *text, size_t length);

/**
 * Reserves memory in a store.
 *
 * @param texts  the store, created if *texts is NULL
 * @param size   size in bytes
 * @return       the memory, aligned for pointers and 64-bit numbers, valid until the store is
 *               cleared or destroyed; NULL if out of memory
 */
void *pm_texts_reserve(struct pm_texts **texts, size_t size);

/**
 * Removes all texts, but keeps one block of memory for new texts.
 * @param texts  a store or NULL
 */
void pm_texts_clear(struct pm_texts *texts);

/**
 * Releases a store and all its texts.
 * @param texts  a store or NULL
 */
void pm_texts_destroy(struct pm_texts *texts);

#endif
