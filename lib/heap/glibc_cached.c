/* SPDX-License-Identifier: MIT */
/*
 * The fastbins of an arena are singly linked lists in malloc_state. Their chunks, like those of a
 * tcache, are freed, but malloc still marks them as used.
 */
#include "heap/glibc_cached.h"

#include <stdlib.h>

#include "base/words.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_find.h"
#include "heap/glibc_lists.h"
#include "heap/glibc_tcache.h"
#include "heap/glibc_trim.h"
#include "heap/lookup.h"

/** Reads a fastbin of an arena, again if it changes. */
static int follow_fastbin(struct pm_glibc_lists *lists, uint32_t arena, unsigned bin)
{
	struct pm_glibc *glibc = lists->glibc;
	const struct pm_glibc_arena *state = &glibc->arenas[arena];
	const uint64_t size = PM_GLIBC_CHUNK_MIN + UINT64_C(16) * bin;
	const uint64_t place = state->address + glibc->layout->fastbins + UINT64_C(8) * bin;
	const struct pm_glibc_rule rule = { 0, size, size, UINT64_MAX, arena };
	const unsigned tries = pm_glibc_can_change(glibc) ? PM_GLIBC_LISTS_TRIES : 1;
	uint64_t head = state->fastbins[bin];
	int good = pm_glibc_lists_follow(lists, head, &rule, &glibc->links);

	for (unsigned i = 1; good == 0 && i < tries; i++) {
		good = pm_glibc_read_now(glibc, place, &head, sizeof head, lists->error);
		lists->partial = i + 1 == tries;
		lists->again = true;
		if (good > 0)
			good = pm_glibc_lists_follow(lists, head, &rule, &glibc->links);
	}
	lists->partial = lists->again = false;
	return good;
}

/** Marks the chunks of the fastbins of an arena. */
static int read_fastbins(struct pm_glibc_lists *lists, uint32_t arena)
{
	struct pm_glibc *glibc = lists->glibc;

	for (unsigned bin = 0; bin < PM_GLIBC_FASTBINS; bin++) {
		uint64_t head = glibc->arenas[arena].fastbins[bin];
		if (head == 0)
			continue;

		int good = follow_fastbin(lists, arena, bin);
		if (good < 0)
			return -1;
		pm_glibc_lists_mark(lists, true);
		if (good > 0)
			continue;

		glibc->heap->result.arenas[arena].complete = false;
		if (pm_glibc_lists_damage(lists, arena, head, glibc->arenas[arena].address,
		                          "the list of a fastbin is not valid") < 0)
			return -1;
	}
	return 0;
}

static int read_all_fastbins(struct pm_glibc_lists *lists)
{
	struct pm_glibc *glibc = lists->glibc;

	if (glibc->layout->fastbins == 0)
		return 0;
	if (pm_glibc_can_change(glibc))
		pm_heap_window_forget(lists->window);

	for (uint32_t arena = 0; arena < glibc->count; arena++) {
		if (pm_glibc_can_change(glibc) &&
		    pm_glibc_find_again(glibc, arena, lists->error) < 0)
			return -1;
		if (read_fastbins(lists, arena) < 0)
			return -1;
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct pm_glibc_run *one = a, *other = b;
	return (one->address > other->address) - (one->address < other->address);
}

/** Reports bins that are not valid. The chunks were found without the bins. */
static int check_bins(struct pm_glibc_lists *lists)
{
	const struct pm_glibc *glibc = lists->glibc;

	for (uint32_t arena = 0; arena < glibc->count; arena++) {
		const struct pm_glibc_arena *state = &glibc->arenas[arena];
		if (state->bad_bin != 0 &&
		    pm_glibc_lists_damage(lists, arena, state->bad_bin, state->address,
		                          "a bin does not contain addresses of chunks") < 0)
			return -1;
	}
	return 0;
}

int pm_glibc_cached_read(struct pm_glibc *glibc, struct pm_error *error)
{
	struct pm_glibc_lists lists = {
		.glibc = glibc,
		.window = glibc->heap->window,
		.budget = (UINT64_C(1) << 20) + UINT64_C(4) * glibc->heap->index.chunks,
		.error = error,
	};

	if (glibc->run_count > 0)
		qsort(glibc->runs, glibc->run_count, sizeof *glibc->runs, by_address);

	int result = check_bins(&lists);
	if (result == 0)
		result = read_all_fastbins(&lists);
	if (result == 0)
		result = pm_glibc_trim_merged(glibc, error);
	if (result == 0)
		result = pm_glibc_tcache_read(&lists);

	struct pm_heap_handle *heap = glibc->heap;
	if (heap->keyed_count > 0)
		qsort(heap->keyed, heap->keyed_count, sizeof *heap->keyed, pm_compare_words);

	free(lists.entries);
	return result;
}
