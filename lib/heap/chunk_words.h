/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The first words of many chunks at once. The lists of a heap can lead from chunk to chunk in any
 * order: reading their links one by one takes several microseconds for each. Private.
 */
#ifndef PM_HEAP_CHUNK_WORDS_H
#define PM_HEAP_CHUNK_WORDS_H

#include "heap/heap.h"

/** The first words of chunks; opaque. Takes 8 bytes for each chunk of the heap. */
struct pm_chunk_words;

/**
 * Reads the word at pm_chunk.start of all chunks up to a size that are in use.
 *
 * @param heap      the heap, after pm_heap_index_finish(); must outlive the words
 * @param size_max  maximum size of a chunk (pm_chunk.size)
 * @param words     receives the words; release with pm_chunk_words_destroy()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO (page states), PM_ERROR_RESOURCES,
 *                  PM_ERROR_CANCELLED
 * @return          0 or -1
 */
int pm_chunk_words_read(struct pm_heap_handle *heap, uint64_t size_max,
                        struct pm_chunk_words **words, struct pm_error *error);

/**
 * Releases words.
 * @param words  the words; may be NULL
 */
void pm_chunk_words_destroy(struct pm_chunk_words *words);

/**
 * Returns the first word of a chunk.
 *
 * @param number  number of the chunk
 * @param word    receives the word
 * @return        false if the word was not read
 */
bool pm_chunk_words_get(const struct pm_chunk_words *words, uint32_t number, uint64_t *word);

#endif
