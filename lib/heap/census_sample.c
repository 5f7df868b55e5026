/* SPDX-License-Identifier: MIT */
/* A census of a large heap. The index knows all sizes, so the number of chunks of each size is
 * exact. Of each size, evenly distributed chunks are read, and the rest is divided as they are. */
#include <procmem/census_sample.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/census.h"
#include "heap/heap.h"
#include "heap/size_counts.h"

/* Minimum number of chunks of each size that are read. */
enum { READ_MIN = 16 };

/** A sample. */
struct sample {
	struct pm_census *census;
	struct pm_size_counts all;    /* chunks in use by size */
	struct pm_size_counts passed; /* of these, those that were passed */
	struct pm_size_counts read;   /* of these, those that were read */
	uint64_t sizes;               /* number of sizes */
	struct pm_chunk *chunks;      /* that are read */
	size_t count;
	size_t capacity;
	struct pm_error *error;
};

/** Counts the chunks in use by size. */
static int count_sizes(struct sample *sample, const struct pm_heap_index *index)
{
	struct pm_heap_cursor cursor = { 0 };
	struct pm_chunk chunk;

	while (pm_heap_index_next(index, &cursor, &chunk)) {
		if (chunk.state != PM_CHUNK_IN_USE)
			continue;
		sample->sizes += pm_size_counts_get(&sample->all, chunk.size) == 0;
		if (pm_size_counts_add(&sample->all, chunk.size, 1, sample->error) < 0)
			return -1;
	}
	return 0;
}

/** Picks chunks of each size: all if they are few. */
static int pick(struct sample *sample, const struct pm_heap_index *index, uint64_t max)
{
	int64_t allowed = (int64_t)pm_max(max / pm_max(sample->sizes, 1), READ_MIN);
	struct pm_heap_cursor cursor = { 0 };
	struct pm_chunk chunk;

	while (pm_heap_index_next(index, &cursor, &chunk)) {
		if (chunk.state != PM_CHUNK_IN_USE)
			continue;

		int64_t all = pm_size_counts_get(&sample->all, chunk.size);
		int64_t passed = pm_size_counts_get(&sample->passed, chunk.size);
		int64_t step = (all + allowed - 1) / allowed;

		if (pm_size_counts_add(&sample->passed, chunk.size, 1, sample->error) < 0)
			return -1;
		if (step > 1 && passed % step != 0)
			continue;
		if (pm_array_reserve(&sample->chunks, &sample->capacity, sample->count, 1,
		                     sizeof *sample->chunks, sample->error) < 0)
			return -1;
		sample->chunks[sample->count++] = chunk;
	}
	return 0;
}

static int add(void *context, const struct pm_chunk *chunk, const void *head, size_t size)
{
	struct sample *sample = context;

	if (pm_size_counts_add(&sample->read, chunk->size, 1, sample->error) < 0)
		return -1;
	return pm_census_add(sample->census, chunk, head, size, sample->error);
}

/** Returns the number of chunks of a size for each one that was read. */
static double scale_of(void *context, uint64_t size)
{
	const struct sample *sample = context;
	int64_t read = pm_size_counts_get(&sample->read, size);

	return read > 0 ? (double)pm_size_counts_get(&sample->all, size) / (double)read : 1;
}

int pm_census_add_sample(struct pm_census *census, struct pm_heap *heap, uint64_t max,
                         uint64_t *read, struct pm_error *error)
{
	const struct pm_heap_index *index = pm_heap_index_of(heap);
	struct sample sample = { .census = census, .error = error };
	int result = count_sizes(&sample, index);

	if (result == 0)
		result = pick(&sample, index, max);
	if (result == 0 && sample.count > 0)
		result = pm_heap_read_picked(heap, sample.chunks, sample.count, add, &sample,
		                             error);
	if (result == 0) {
		pm_census_scale(census, scale_of, &sample);
		*read = sample.count;
	}

	free(sample.chunks);
	pm_size_counts_deinit(&sample.all);
	pm_size_counts_deinit(&sample.passed);
	pm_size_counts_deinit(&sample.read);
	return result;
}
