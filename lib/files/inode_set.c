/* SPDX-License-Identifier: MIT */
#include "files/inode_set.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

enum { FIRST_CAPACITY = 64 };

/** Returns the place of a file, or the free place where it belongs. The table is not full. */
static size_t find_place(const struct pm_inode_set *set, struct pm_inode_key key)
{
	uint64_t hash = pm_hash_mix(set->seed ^ key.device, PM_HASH_ONE);
	size_t mask = set->capacity - 1;
	size_t place = (size_t)pm_hash_mix(hash ^ key.inode, PM_HASH_TWO) & mask;

	while (set->keys[place].device != 0 &&
	       (set->keys[place].device != key.device || set->keys[place].inode != key.inode))
		place = (place + 1) & mask;

	return place;
}

static int grow(struct pm_inode_set *set, struct pm_error *error)
{
	size_t capacity = set->capacity > 0 ? set->capacity * 2 : FIRST_CAPACITY;
	struct pm_inode_set grown = { .capacity = capacity, .count = set->count };

	grown.seed = set->capacity > 0 ? set->seed : pm_hash_seed(set);
	grown.keys = calloc(capacity, sizeof *grown.keys);
	grown.values = calloc(capacity, sizeof *grown.values);
	if (!grown.keys || !grown.values) {
		pm_inode_set_deinit(&grown);
		return pm_error_out_of_memory(error);
	}

	for (size_t i = 0; i < set->capacity; i++) {
		if (set->keys[i].device == 0)
			continue;
		size_t place = find_place(&grown, set->keys[i]);
		grown.keys[place] = set->keys[i];
		grown.values[place] = set->values[i];
	}

	pm_inode_set_deinit(set);
	*set = grown;
	return 0;
}

int pm_inode_set_add(struct pm_inode_set *set, struct pm_inode_key key, size_t value,
                     struct pm_error *error)
{
	/* At least a third of the places stay free, so that searches are short. */
	if (set->count >= set->capacity / 3 * 2 && grow(set, error) < 0)
		return -1;

	size_t place = find_place(set, key);
	if (set->keys[place].device != 0)
		return 0;

	set->keys[place] = key;
	set->values[place] = value;
	set->count++;
	return 1;
}

size_t pm_inode_set_find(const struct pm_inode_set *set, struct pm_inode_key key)
{
	if (set->count == 0 || key.device == 0)
		return SIZE_MAX;

	size_t place = find_place(set, key);
	return set->keys[place].device != 0 ? set->values[place] : SIZE_MAX;
}

void pm_inode_set_deinit(struct pm_inode_set *set)
{
	free(set->keys);
	free(set->values);
	*set = (struct pm_inode_set){ 0 };
}
