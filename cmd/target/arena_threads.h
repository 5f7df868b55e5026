/* SPDX-License-Identifier: MIT */
/** @file The threads of an arena of malloc as text and as JSON. */
#ifndef CMD_TARGET_ARENA_THREADS_H
#define CMD_TARGET_ARENA_THREADS_H

#include <procmem/arena_threads.h>

#include "base/text.h"
#include "view/json.h"

/**
 * Adds the threads that use an arena: "4712 worker, 4713 writer".
 *
 * @param threads  all threads
 * @param arena    index of the arena
 * @param text     receives the TIDs and names, unescaped; nothing if there are no threads
 */
void arena_threads_text(const struct pm_arena_threads *threads, uint32_t arena, struct text *text);

/**
 * Adds the threads that use an arena or, if there are none, the name of the arena.
 *
 * @param threads  all threads
 * @param heap     the heap
 * @param arena    index of the arena, or PM_CHUNK_MAPPED
 * @param text     receives the words, unescaped
 */
void arena_threads_label(const struct pm_arena_threads *threads, const struct pm_heap *heap,
                         uint32_t arena, struct text *text);

/**
 * Makes a list of the threads that use an arena: objects with `tid` and, if it is known, `name`.
 *
 * @param threads  all threads
 * @param arena    index of the arena
 * @return         the list, empty if there are no threads; the caller owns it
 */
json_t *arena_threads_json(const struct pm_arena_threads *threads, uint32_t arena);

#endif
