/* SPDX-License-Identifier: MIT */
#include "trace/thread_stacks.h"

#include <stdlib.h>

#include <procmem/stacks.h>

#include "base/array.h"
#include "base/hash.h"

/** A pair that is searched for. */
struct wanted {
	const struct pm_trace_thread_stacks *pairs;
	struct pm_trace_thread_stack pair;
};

static bool is_wanted(const void *context, uint32_t position)
{
	const struct wanted *wanted = context;
	const struct pm_trace_thread_stack *item = &wanted->pairs->items[position];

	return item->stack == wanted->pair.stack && item->tid == wanted->pair.tid;
}

int pm_trace_thread_stacks_add(struct pm_trace_thread_stacks *pairs,
                               struct pm_trace_thread_stack pair, uint32_t *number,
                               struct pm_error *error)
{
	const struct wanted wanted = { pairs, pair };
	uint32_t position;

	*number = PM_STACK_NONE;
	if (pair.stack == PM_STACK_NONE)
		return 0;
	if (pairs->seed == 0)
		pairs->seed = pm_hash_seed(pairs) | 1;

	uint64_t both = (uint64_t)pair.stack << 32 | (uint32_t)pair.tid;
	const struct pm_stack_key key = { pm_hash_mix(both ^ pairs->seed, PM_HASH_ONE), is_wanted,
		                          &wanted };

	if (!pm_stack_table_find(&pairs->table, &key, &position)) {
		if (pm_array_reserve(&pairs->items, &pairs->capacity, pairs->count, 1,
		                     sizeof *pairs->items, error) < 0)
			return -1;

		position = (uint32_t)pairs->count;
		pairs->items[position] = pair;
		if (pm_stack_table_add(&pairs->table, key.hash, position, error) < 0)
			return -1;
		pairs->count++;
	}

	*number = position + 1;
	return 0;
}

/** Returns the stack of a pair; PM_STACK_NONE if there is no such pair. */
static uint32_t stack_of(const struct pm_trace_thread_stacks *pairs, uint32_t number)
{
	if (number == PM_STACK_NONE || number > pairs->count)
		return PM_STACK_NONE;
	return pairs->items[number - 1].stack;
}

void pm_trace_thread_stacks_replace(const struct pm_trace_thread_stacks *pairs,
                                    struct pm_trace_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		result->sites[i].stack = stack_of(pairs, result->sites[i].stack);
}

void pm_trace_thread_stacks_deinit(struct pm_trace_thread_stacks *pairs)
{
	pm_stack_table_deinit(&pairs->table);
	free(pairs->items);
	*pairs = (struct pm_trace_thread_stacks){ 0 };
}
