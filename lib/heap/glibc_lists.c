/* SPDX-License-Identifier: MIT */
/*
 * Each link of a list leads to a chunk, which must conform to the rule of the list. Links that were
 * saved during the walk over the heap are not read again.
 */
#include "heap/glibc_lists.h"

#include "base/array.h"
#include "base/minmax.h"
#include "base/search.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_find.h"
#include "heap/lookup.h"

/**
 * Adds the chunk at an address to the entries, if it conforms to the rule. The first word of a
 * header can belong to the chunk before it, so chunks are looked up by the second word.
 */
static int add_entry(struct pm_glibc_lists *lists, uint64_t address,
                     const struct pm_glibc_rule *rule)
{
	struct pm_chunk chunk;

	if (address % PM_GLIBC_ALIGNMENT != 0 ||
	    !pm_heap_index_find(&lists->glibc->heap->index, address + 8, &chunk) ||
	    chunk.address != address || chunk.state != PM_CHUNK_IN_USE ||
	    chunk.size < rule->size_min || chunk.size > rule->size_max ||
	    (rule->arena != PM_CHUNK_MAPPED && chunk.arena != rule->arena) ||
	    chunk.arena >= lists->glibc->count)
		return 0;

	if (pm_array_reserve(&lists->entries, &lists->capacity, lists->count, 1,
	                     sizeof *lists->entries, lists->error) < 0)
		return -1;
	lists->entries[lists->count++] = (struct pm_glibc_entry){ address, chunk.size,
		                                                  chunk.arena };
	return 1;
}

/** Returns whether the chunk at an address was allocated after the walk: as a free chunk, or from
 * one or from a top chunk. */
static bool is_newer(const struct pm_glibc_lists *lists, uint64_t address)
{
	struct pm_chunk chunk;

	return lists->newer && address % PM_GLIBC_ALIGNMENT == 0 &&
	       pm_heap_index_find(&lists->glibc->heap->index, address + 8, &chunk) &&
	       (chunk.state == PM_CHUNK_TOP || chunk.state == PM_CHUNK_FREE);
}

/** Reads the link at an address, unless it was saved. */
static int read_link(struct pm_glibc_lists *lists, uint64_t place, uint64_t *word)
{
	const struct pm_glibc *glibc = lists->glibc;
	size_t run = pm_first_above(glibc->runs, glibc->run_count, sizeof *glibc->runs,
	                            offsetof(struct pm_glibc_run, address), place);

	if (run > 0 && glibc->runs[run - 1].count > 0 && !lists->again) {
		const struct pm_glibc_run *links = &glibc->runs[run - 1];
		const struct pm_glibc_link *first = glibc->saved + links->first;
		size_t index = pm_first_above(first, links->count, sizeof *first,
		                              offsetof(struct pm_glibc_link, address), place);
		if (index > 0 && first[index - 1].address == place) {
			*word = first[index - 1].word;
			return 1;
		}
	}

	return pm_glibc_read_now(lists->glibc, place, word, sizeof *word, lists->error);
}

/**
 * Follows a list, and appends its chunks to the entries.
 * @return 1 if all of its chunks conform to the rule; 0 if not, with the entries unchanged unless
 *         `partial` is set; -1 on error
 */
static int follow(struct pm_glibc_lists *lists, uint64_t head, const struct pm_glibc_rule *rule,
                  enum pm_glibc_links links)
{
	const uint64_t max = pm_min(rule->count, lists->glibc->heap->index.chunks);
	const size_t before = lists->count;
	uint64_t at = head, left_out = 0;
	int good = 1;

	while (good > 0 && at != 0) {
		uint64_t raw, place = at + PM_GLIBC_HEADER - rule->user;

		if (lists->budget == 0 || lists->count - before + left_out >= max) {
			good = 0;
			break;
		}
		lists->budget--;
		good = add_entry(lists, at - rule->user, rule);
		if (good == 0 && is_newer(lists, at - rule->user)) {
			left_out++;
			good = 1;
		}
		if (good > 0)
			good = read_link(lists, place, &raw);
		if (good > 0)
			at = pm_glibc_link_of(raw, place, links);
	}

	if (good > 0 && rule->count != UINT64_MAX &&
	    lists->count - before + left_out != rule->count)
		good = 0;
	if (good <= 0 && !lists->partial)
		lists->count = before;
	return good;
}

int pm_glibc_lists_follow(struct pm_glibc_lists *lists, uint64_t head,
                          const struct pm_glibc_rule *rule, enum pm_glibc_links *links)
{
	if (*links != PM_GLIBC_LINKS_UNKNOWN)
		return follow(lists, head, rule, *links);

	int good = follow(lists, head, rule, PM_GLIBC_LINKS_SAFE);
	if (good > 0)
		*links = PM_GLIBC_LINKS_SAFE;
	if (good != 0)
		return good;

	good = follow(lists, head, rule, PM_GLIBC_LINKS_PLAIN);
	if (good > 0)
		*links = PM_GLIBC_LINKS_PLAIN;
	return good;
}

void pm_glibc_lists_mark(struct pm_glibc_lists *lists, bool fast)
{
	struct pm_heap_handle *heap = lists->glibc->heap;

	for (size_t i = 0; i < lists->count; i++) {
		const struct pm_glibc_entry *entry = &lists->entries[i];
		struct pm_heap_arena *arena = &heap->result.arenas[entry->arena];
		struct pm_chunk chunk;

		/* A damaged list can contain a chunk twice. */
		if (!pm_heap_index_find(&heap->index, entry->address + 8, &chunk) ||
		    chunk.state != PM_CHUNK_IN_USE)
			continue;

		pm_heap_index_set_state(&heap->index, entry->address, PM_CHUNK_CACHED);
		arena->in_use -= entry->size;
		arena->chunks--;
		arena->cached += entry->size;
		arena->cached_count++;
		arena->fast += fast ? entry->size : 0;
		arena->fast_count += fast;
	}

	lists->count = 0;
}

int pm_glibc_lists_damage(struct pm_glibc_lists *lists, uint32_t arena, uint64_t address,
                          uint64_t previous, const char *why)
{
	struct pm_heap_index *index = &lists->glibc->heap->index;
	bool unseen = index->unseen;
	int result = pm_glibc_damage(lists->glibc, arena, address, previous, why, lists->error);

	index->unseen = unseen;
	return result;
}
