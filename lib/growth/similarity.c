/* SPDX-License-Identifier: MIT */
#include "growth/similarity.h"

#include <stdlib.h>

#include "base/array.h"

/* Constants of the hash function FNV-1a with 64 bits. */
static const uint64_t basis = UINT64_C(0xcbf29ce484222325), prime = UINT64_C(0x100000001b3);

static uint64_t mix(uint64_t key, uint64_t value)
{
	for (int i = 0; i < 8; i++, value >>= 8)
		key = (key ^ (value & 0xff)) * prime;
	return key;
}

/**
 * Adds a name to a hash, without its digits: `worker-1` and `worker-12` are similar, and so are
 * `/tmp/part.000017` and `/tmp/part.000018`.
 */
static uint64_t mix_name(uint64_t key, const char *name)
{
	for (const char *at = name; *at; at++)
		if (*at < '0' || *at > '9')
			key = (key ^ (unsigned char)*at) * prime;
	return mix(key, 0);
}

/**
 * Returns the class of a size: sizes from a power of four up to the next power of four, exclusive,
 * are in the same class.
 */
static uint64_t size_class(uint64_t size)
{
	uint64_t result = 0;

	for (; size > 0; size >>= 2)
		result++;
	return result;
}

uint64_t pm_similarity_class(const struct pm_region *region)
{
	uint64_t size = pm_region_chunk_max(region);
	uint64_t key = mix(basis, region->kind);

	/*
	 * For a region of malloc chunks, use the size of the largest chunk. The number of chunks in
	 * a region is random, because it depends on the holes in the address space.
	 */
	if (size == 0)
		size = pm_region_size(region);

	key = mix(key, region->perms);
	return mix(key, size_class(size));
}

/**
 * Adds the names of the threads that have their stack in a region to a hash, and whether there are
 * several. For a detail that is only text, adds the text without its digits.
 */
static uint64_t mix_threads(uint64_t key, const struct pm_detail *detail)
{
	key = mix(key, detail->type);
	if (detail->type == PM_DETAIL_TEXT)
		return mix_name(key, detail->text);
	if (detail->type != PM_DETAIL_THREADS)
		return key;

	key = mix(key, detail->count > 1);
	for (uint32_t i = 0; i < detail->listed; i++)
		key = mix_name(key, detail->threads[i].name);

	return key;
}

uint64_t pm_similarity_key(const struct pm_region *region)
{
	uint64_t key = mix_name(pm_similarity_class(region), region->mapping);

	if (region->kind == PM_KIND_STACK)
		key = mix_threads(key, &region->detail);
	return key;
}

/**
 * Returns the place of the track with a key in the table, or the free place to which such a track
 * has to be added. The search starts at the low bits of the key, because a key is a hash already.
 */
static struct pm_followed **find_place(const struct pm_similarity_table *table, uint64_t key)
{
	size_t at = (size_t)key & (table->count - 1);

	while (table->places[at] && table->places[at]->key != key)
		at = (at + 1) & (table->count - 1);
	return &table->places[at];
}

int pm_similarity_table_init(struct pm_similarity_table *table, const struct pm_tracker *tracker,
                             size_t more, struct pm_error *error)
{
	size_t max = more, count = 16;

	for (size_t i = 0; i < tracker->count; i++)
		max += tracker->tracks[i]->key != 0;
	while (count / 2 <= max)
		count *= 2;

	table->places = calloc(count, sizeof(struct pm_followed *));
	if (!table->places)
		return pm_error_out_of_memory(error);

	table->count = count;
	for (size_t i = 0; i < tracker->count; i++)
		if (tracker->tracks[i]->key != 0)
			pm_similarity_table_add(table, tracker->tracks[i]);

	return 0;
}

void pm_similarity_table_deinit(struct pm_similarity_table *table)
{
	free(table->places);
	*table = (struct pm_similarity_table){ 0 };
}

void pm_similarity_table_add(struct pm_similarity_table *table, struct pm_followed *followed)
{
	struct pm_followed **place = find_place(table, followed->key);

	if (!*place)
		*place = followed;
}

struct pm_followed *pm_similarity_table_find(const struct pm_similarity_table *table, uint64_t key)
{
	return *find_place(table, key);
}
