/* SPDX-License-Identifier: MIT */
#include "heap/size_counts.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

enum {
	UNIT = 16,
	SMALL = 16384,       /* sizes below this number of units are an index */
	PLACES_FIRST = 256,  /* a power of two */
	PLACES_MAX = 262144, /* bounds the memory: 4 MiB */
};

/** Returns the place of a size: its pair, or a free one. */
static int64_t *find_place(const struct pm_size_counts *counts, uint64_t size)
{
	size_t mask = counts->large_capacity - 1;
	size_t at = (size_t)pm_hash_mix(size, PM_HASH_ONE) & mask;

	while (counts->large[at][0] != 0 && (uint64_t)counts->large[at][0] != size)
		at = (at + 1) & mask;
	return counts->large[at];
}

/** Doubles the number of places. */
static int grow(struct pm_size_counts *counts, struct pm_error *error)
{
	struct pm_size_counts larger = { .large_capacity = counts->large_capacity * 2 };

	if (counts->large_capacity == 0)
		larger.large_capacity = PLACES_FIRST;
	larger.large = calloc(larger.large_capacity, sizeof *larger.large);
	if (!larger.large)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < counts->large_capacity; i++) {
		int64_t *place = find_place(&larger, (uint64_t)counts->large[i][0]);

		if (counts->large[i][0] == 0)
			continue;
		place[0] = counts->large[i][0];
		place[1] = counts->large[i][1];
	}

	free(counts->large);
	counts->large = larger.large;
	counts->large_capacity = larger.large_capacity;
	return 0;
}

static int add_large(struct pm_size_counts *counts, uint64_t size, int64_t number,
                     struct pm_error *error)
{
	bool full = counts->large_count * 2 >= counts->large_capacity;

	if (full && counts->large_capacity < PLACES_MAX && grow(counts, error) < 0)
		return -1;

	int64_t *place = find_place(counts, size);
	if (place[0] == 0) {
		if (counts->large_count * 2 >= counts->large_capacity) {
			counts->lost++;
			return 0;
		}
		place[0] = (int64_t)size;
		counts->large_count++;
	}
	place[1] += number;
	return 0;
}

int pm_size_counts_add(struct pm_size_counts *counts, uint64_t size, int64_t number,
                       struct pm_error *error)
{
	if (size % UNIT != 0 || size / UNIT >= SMALL)
		return add_large(counts, size, number, error);

	if (!counts->small) {
		counts->small = calloc(SMALL, sizeof *counts->small);
		if (!counts->small)
			return pm_error_out_of_memory(error);
	}
	counts->small[size / UNIT] += number;
	return 0;
}

int64_t pm_size_counts_get(const struct pm_size_counts *counts, uint64_t size)
{
	if (size % UNIT == 0 && size / UNIT < SMALL)
		return counts->small ? counts->small[size / UNIT] : 0;
	if (counts->large_capacity == 0)
		return 0;

	const int64_t *place = find_place(counts, size);
	return place[0] != 0 ? place[1] : 0;
}

void pm_size_counts_deinit(struct pm_size_counts *counts)
{
	free(counts->small);
	free(counts->large);
	*counts = (struct pm_size_counts){ 0 };
}
