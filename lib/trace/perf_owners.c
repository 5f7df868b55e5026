/* SPDX-License-Identifier: MIT */
#include "trace/perf_owners.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

/** Returns the slot of a thread, or the free slot where it belongs. The table is not full. */
static struct pm_perf_owner *slot_of(const struct pm_perf_owners *owners, pid_t tid)
{
	size_t at = (size_t)pm_hash_mix((uint64_t)tid, PM_HASH_ONE);

	while (owners->slots[at & (owners->capacity - 1)].tid != 0 &&
	       owners->slots[at & (owners->capacity - 1)].tid != tid)
		at++;

	return &owners->slots[at & (owners->capacity - 1)];
}

/** Doubles the table when it is half full. */
static int grow(struct pm_perf_owners *owners, struct pm_error *error)
{
	enum { CAPACITY_MIN = 256 };
	struct pm_perf_owners larger = { .capacity = owners->capacity * 2, .count = owners->count };

	if (owners->count * 2 < owners->capacity)
		return 0;

	if (larger.capacity == 0)
		larger.capacity = CAPACITY_MIN;
	larger.slots = calloc(larger.capacity, sizeof *larger.slots);
	if (!larger.slots)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < owners->capacity; i++)
		if (owners->slots[i].tid != 0)
			*slot_of(&larger, owners->slots[i].tid) = owners->slots[i];

	free(owners->slots);
	*owners = larger;
	return 0;
}

int pm_perf_owners_add(struct pm_perf_owners *owners, pid_t tid, uint32_t owner,
                       struct pm_error *error)
{
	if (tid <= 0)
		return 0;
	if (grow(owners, error) < 0)
		return -1;

	struct pm_perf_owner *slot = slot_of(owners, tid);
	if (slot->tid == 0)
		owners->count++;
	slot->tid = tid;
	if (owner < slot->owner)
		return 0;

	slot->owner = owner;
	return 1;
}

uint32_t pm_perf_owners_find(const struct pm_perf_owners *owners, pid_t tid)
{
	if (owners->capacity == 0 || tid <= 0)
		return 0;

	return slot_of(owners, tid)->owner;
}

void pm_perf_owners_forget(struct pm_perf_owners *owners, pid_t tid)
{
	/* The slot stays in use, so that threads after it are found. */
	if (owners->capacity > 0 && tid > 0)
		slot_of(owners, tid)->owner = 0;
}

void pm_perf_owners_clear(struct pm_perf_owners *owners)
{
	free(owners->slots);
	*owners = (struct pm_perf_owners){ 0 };
}
