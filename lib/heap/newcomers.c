/* SPDX-License-Identifier: MIT */
#include "heap/newcomers.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "heap/census.h"
#include "heap/content.h"
#include "heap/heap.h"
#include "heap/turnover.h"

/* Number of chunks whose contents are read. To read them takes up to 0.1 s. */
enum { SAMPLE_MAX = 65536, HEADER = 16 };

/** Bits of a header of glibc: the chunk before is in use; all flags. */
enum { PREVIOUS_IN_USE = 1, FLAGS = 7 };

/* Share of the new chunks that must stay so that no chance is involved, and the significance that
 * is needed otherwise, in standard deviations. */
static const double stay_min = 0.7, deviations = 4;

/** What the visitors need. */
struct visit {
	struct pm_newcomers *newcomers;
	const struct pm_heap_index *before;
	struct pm_error *error;
	size_t at; /* index of the next chunk of the sample */
	struct pm_heap *heap;
	struct pm_chunk_types *types;
	struct pm_census *census;
};

/** Returns a random number below a limit. The numbers are the same in each run. */
static uint64_t random_below(struct pm_newcomers *newcomers, uint64_t limit)
{
	newcomers->random = newcomers->random * UINT64_C(6364136223846793005) + 1;
	return pm_hash_mix(newcomers->random, PM_HASH_ONE) % limit;
}

/** Keeps a chunk: all of them as long as there is room, and later each with the same chance. */
static void keep(struct pm_newcomers *newcomers, const struct pm_chunk *chunk)
{
	newcomers->found++;
	if (newcomers->count < SAMPLE_MAX) {
		newcomers->chunks[newcomers->count++] = *chunk;
		return;
	}

	uint64_t place = random_below(newcomers, newcomers->found);
	if (place < SAMPLE_MAX)
		newcomers->chunks[place] = *chunk;
}

/** A chunk has appeared. What the walk before did not see is not new. */
static int appeared(void *context, const struct pm_chunk *chunk)
{
	const struct visit *to = context;

	if (pm_heap_index_has_skipped(to->before, chunk->start))
		return 0;
	keep(to->newcomers, chunk);
	return pm_size_counts_add(&to->newcomers->nets, chunk->size, 1, to->error);
}

static int disappeared(void *context, const struct pm_chunk *chunk)
{
	const struct visit *to = context;

	if (pm_heap_index_has_skipped(to->before, chunk->start))
		return 0;
	return pm_size_counts_add(&to->newcomers->nets, chunk->size, -1, to->error);
}

static int by_start(const void *left, const void *right)
{
	const struct pm_chunk *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

static int hash(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct visit *to = context;

	(void)chunk;
	to->newcomers->hashes[to->at++] = pm_head_hash_lasting(head, size, to->newcomers->main);
	return 0;
}

int pm_newcomers_find(struct pm_newcomers *newcomers, struct pm_heap *before, struct pm_heap *after,
                      struct pm_error *error)
{
	const struct pm_heap_index *old = pm_heap_index_of(before), *new = pm_heap_index_of(after);
	struct visit context = { .newcomers = newcomers, .before = old, .error = error };

	newcomers->chunks = malloc(SAMPLE_MAX * sizeof *newcomers->chunks);
	newcomers->hashes = malloc(SAMPLE_MAX * sizeof *newcomers->hashes);
	if (!newcomers->chunks || !newcomers->hashes)
		return pm_error_out_of_memory(error);

	if (pm_heap_turnover(new, old, appeared, &context) != 0)
		return -1;
	/* What this walk did not see has not disappeared. */
	context.before = new;
	if (pm_heap_turnover(old, new, disappeared, &context) != 0)
		return -1;

	qsort(newcomers->chunks, newcomers->count, sizeof *newcomers->chunks, by_start);
	if (newcomers->count == 0)
		return 0;
	return pm_heap_read_picked(after, newcomers->chunks, newcomers->count, hash, &context,
	                           error);
}

/**
 * Tests by the headers of glibc whether a chunk is in use: its own, and the one after it. A chunk
 * in a tcache or a fastbin passes; malloc has changed its content.
 * @return 1; 0 if not; -1 on error
 */
static int is_in_use(struct pm_heap *heap, const struct pm_chunk *chunk, struct pm_error *error)
{
	struct pm_heap_handle *handle = pm_heap_handle(heap);
	uint64_t size = 0, next = 0;

	if (handle->index.header != HEADER || chunk->arena == PM_CHUNK_MAPPED)
		return 1;

	int got = pm_heap_window_word(handle->window, chunk->address + 8, &size, error);
	if (got > 0)
		got = pm_heap_window_word(handle->window, chunk->address + chunk->size + 8, &next,
		                          error);
	if (got <= 0)
		return got;
	return (size & ~(uint64_t)FLAGS) == chunk->size && (next & PREVIOUS_IN_USE);
}

static int count_lasting(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct visit *to = context;
	struct pm_newcomers *newcomers = to->newcomers;
	struct pm_chunk_item item = { .chunk = *chunk, .head = head, .size = size };

	if (pm_size_counts_add(&newcomers->read, chunk->size, 1, to->error) < 0)
		return -1;
	bool same = newcomers->hashes[to->at++] ==
	            pm_head_hash_lasting(head, size, newcomers->main);
	int used = is_in_use(to->heap, chunk, to->error);
	if (used <= 0)
		return used;
	if (pm_size_counts_add(&newcomers->occupied, chunk->size, 1, to->error) < 0)
		return -1;
	if (!same)
		return 0;
	if (pm_chunk_types_find(to->types, head, size, &item.type, to->error) < 0 ||
	    pm_size_counts_add(&newcomers->stay, chunk->size, 1, to->error) < 0)
		return -1;
	if (item.type->content != PM_CONTENT_ZEROS &&
	    pm_size_counts_add(&newcomers->nonzero, chunk->size, 1, to->error) < 0)
		return -1;
	return pm_census_add_item(to->census, &item, to->error);
}

/** Counts all chunks in use by size. */
static int count_all(struct pm_newcomers *newcomers, struct pm_heap *heap, struct pm_error *error)
{
	struct pm_heap_cursor cursor = { 0 };
	struct pm_chunk chunk;

	while (pm_heap_index_next(pm_heap_index_of(heap), &cursor, &chunk))
		if (chunk.state == PM_CHUNK_IN_USE &&
		    pm_size_counts_add(&newcomers->all, chunk.size, 1, error) < 0)
			return -1;
	return 0;
}

int pm_newcomers_count(struct pm_newcomers *newcomers, struct pm_heap *heap,
                       struct pm_chunk_types *types, struct pm_census *census,
                       struct pm_error *error)
{
	struct visit context = { .newcomers = newcomers,
		                 .error = error,
		                 .heap = heap,
		                 .types = types,
		                 .census = census };

	if (newcomers->count == 0)
		return 0;
	if (pm_heap_read_picked(heap, newcomers->chunks, newcomers->count, count_lasting, &context,
	                        error) < 0)
		return -1;
	return pm_census_count(census) > 0 ? count_all(newcomers, heap, error) : 0;
}

bool pm_newcomers_have_grown(const struct pm_newcomers *newcomers, uint64_t size)
{
	double net = (double)pm_size_counts_get(&newcomers->nets, size);
	double read = (double)pm_size_counts_get(&newcomers->read, size);
	double nonzero = (double)pm_size_counts_get(&newcomers->nonzero, size);
	double occupied = (double)pm_size_counts_get(&newcomers->occupied, size);
	double all = (double)pm_size_counts_get(&newcomers->all, size);

	if (occupied < stay_min * read)
		return false;
	/* The squares are compared. */
	return nonzero >= stay_min * read ||
	       (net > 0 && net * net >= deviations * deviations * 2 * all);
}

double pm_newcomers_scale(const struct pm_newcomers *newcomers)
{
	if (newcomers->count == 0)
		return 1;
	return (double)newcomers->found / (double)newcomers->count;
}

void pm_newcomers_deinit(struct pm_newcomers *newcomers)
{
	free(newcomers->chunks);
	free(newcomers->hashes);
	pm_size_counts_deinit(&newcomers->nets);
	pm_size_counts_deinit(&newcomers->read);
	pm_size_counts_deinit(&newcomers->occupied);
	pm_size_counts_deinit(&newcomers->stay);
	pm_size_counts_deinit(&newcomers->nonzero);
	pm_size_counts_deinit(&newcomers->all);
	*newcomers = (struct pm_newcomers){ 0 };
}
