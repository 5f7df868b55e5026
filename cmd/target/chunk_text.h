/* SPDX-License-Identifier: MIT */
/** @file Chunks of malloc as text. */
#ifndef CMD_TARGET_CHUNK_TEXT_H
#define CMD_TARGET_CHUNK_TEXT_H

#include <procmem/chunk_type.h>
#include <procmem/heap.h>

#include "base/text.h"

/**
 * Returns the state of a chunk in words.
 * @param state  enum pm_chunk_state
 * @return       a constant text, such as "in use"
 */
const char *chunk_text_state(unsigned state);

/**
 * Adds the name of an arena: "main", a number as `map` shows it, or "mapped" for PM_CHUNK_MAPPED.
 *
 * @param heap   the heap
 * @param arena  index of the arena, or PM_CHUNK_MAPPED
 * @param text   receives the name
 */
void chunk_text_arena(const struct pm_heap *heap, uint32_t arena, struct text *text);

/**
 * Adds where a chunk is: "in the main arena", "in arena 3", or "mapped separately".
 *
 * @param heap   the heap
 * @param arena  index of the arena, or PM_CHUNK_MAPPED
 * @param text   receives the words
 */
void chunk_text_place(const struct pm_heap *heap, uint32_t arena, struct text *text);

/**
 * Adds what chunks contain: the name of a class, `-> variable`, a text in quotes, or a word such as
 * "pointers".
 *
 * @param type    the type; NULL if the types differ
 * @param bytes   the text in the chunks
 * @param length  number of bytes of the text, 0 if there is none
 * @param cut     whether the text continues
 * @param text    receives the words, unescaped
 */
void chunk_text_what(const struct pm_chunk_type *type, const char *bytes, size_t length, bool cut,
                     struct text *text);

#endif
