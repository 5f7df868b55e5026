/* SPDX-License-Identifier: MIT */
#include "heap/chunk_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "heap/chunk_heads.h"

struct pm_chunk_words {
	uint64_t size_max;
	uint32_t count;
	uint64_t *read; /* bitmap: the word of this chunk was read */
	uint64_t words[];
};

static int keep(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct pm_chunk_words *words = context;
	if (chunk->size > words->size_max || size < sizeof words->words[0])
		return 0;

	memcpy(&words->words[chunk->number], head, sizeof words->words[0]);
	words->read[chunk->number / 64] |= UINT64_C(1) << chunk->number % 64;
	return 0;
}

static struct pm_chunk_words *create(uint32_t count, uint64_t size_max)
{
	/* The words of most chunks may never be written, and then take no memory. */
	struct pm_chunk_words *words = calloc(1, sizeof *words + count * sizeof words->words[0]);
	if (!words)
		return NULL;

	words->size_max = size_max;
	words->count = count;
	words->read = calloc(count / 64 + 1, sizeof *words->read);
	if (words->read)
		return words;

	free(words);
	return NULL;
}

int pm_chunk_words_read(struct pm_heap_handle *heap, uint64_t size_max,
                        struct pm_chunk_words **words, struct pm_error *error)
{
	struct pm_chunk_heads *heads = pm_chunk_heads_create(heap, error);
	if (!heads)
		return -1;

	struct pm_chunk_words *made = create(heap->index.chunks, size_max);
	int result = made ? 1 : pm_error_out_of_memory(error);

	while (result > 0) {
		result = pm_chunk_heads_next(heads, 1 << PM_CHUNK_IN_USE, error);
		if (result > 0 && pm_chunk_heads_visit(heads, keep, made, error) < 0)
			result = -1;
	}

	pm_chunk_heads_destroy(heads);
	if (result < 0) {
		pm_chunk_words_destroy(made);
		return -1;
	}

	*words = made;
	return 0;
}

void pm_chunk_words_destroy(struct pm_chunk_words *words)
{
	if (words)
		free(words->read);
	free(words);
}

bool pm_chunk_words_get(const struct pm_chunk_words *words, uint32_t number, uint64_t *word)
{
	if (number >= words->count || !(words->read[number / 64] >> number % 64 & 1))
		return false;

	*word = words->words[number];
	return true;
}
