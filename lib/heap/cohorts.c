/* SPDX-License-Identifier: MIT */
/*
 * A walk delivers chunks in ascending address order, so it is compared with the walk before as two
 * sorted lists are. Each chunk is stored with a mark if it is new, which means that it was not
 * there in the walk before. A chunk with this mark that is found again is a survivor.
 *
 * A walk that did not see all chunks does not show what is new: the addresses that it skipped are
 * stored, and chunks at these addresses are never new in the next walk. If other chunks may be
 * missing, no chunk is new.
 */
#include <procmem/cohorts.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "heap/census.h"
#include "heap/chunk_type.h"
#include "heap/content.h"
#include "heap/heap.h"

/** A chunk of a walk. */
struct record {
	uint64_t start;
	uint64_t size; /* bit 0: the chunk is new; sizes are even */
	uint64_t hash; /* of its content */
};

/** Bit of record.size. */
static const uint64_t new_bit = 1;

/** A walk. Zeroed: there was none. */
struct walk {
	struct record *items; /* ascending */
	size_t count;
	size_t capacity;
	size_t at;      /* index of the first item that the walk after it has not passed */
	uint64_t begun; /* CLOCK_MONOTONIC, in ns; 0: no walk */
	struct pm_heap_index skipped; /* only `skipped` and `unseen` are used */
	struct pm_census *census;     /* owned */
};

struct pm_cohorts {
	struct pm_chunk_types *types;
	struct walk last;       /* the last walk */
	struct walk now;        /* the walk that is being made */
	uint64_t last_interval; /* ns between the last walk and the one before it; 0 if no chunk of
	                           the last walk can be new */
	struct pm_census *before; /* census of the walk before the last one; owned */
	struct pm_census *found;  /* all survivors; owned */
	double seconds;
	bool walked;          /* there was a walk */
	struct pm_range main; /* addresses of the main arena, now and when it has grown */
};

static int create_census(struct pm_chunk_types *types, struct pm_census **census,
                         struct pm_error *error)
{
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE | PM_CENSUS_TYPE,
		                                   .types = types };
	return pm_census_create(&options, census, error);
}

int pm_cohorts_open(struct pm_chunk_types *types, struct pm_cohorts **cohorts,
                    struct pm_error *error)
{
	struct pm_cohorts *made = calloc(1, sizeof *made);

	if (!made)
		return pm_error_out_of_memory(error);

	made->types = types;
	if (create_census(types, &made->found, error) < 0) {
		free(made);
		return -1;
	}

	*cohorts = made;
	return 0;
}

static void release(struct walk *walk)
{
	free(walk->items);
	pm_census_destroy(walk->census);
	pm_heap_index_deinit(&walk->skipped);
	*walk = (struct walk){ 0 };
}

void pm_cohorts_close(struct pm_cohorts *cohorts)
{
	if (!cohorts)
		return;

	release(&cohorts->last);
	release(&cohorts->now);
	pm_census_destroy(cohorts->before);
	pm_census_destroy(cohorts->found);
	free(cohorts);
}

/**
 * Finds the addresses of the main arena. Hashes must not depend on which chunks exist, so the
 * range is that of the first walk, with address space into which the arena can grow.
 */
static void find_main(struct pm_cohorts *cohorts, struct pm_heap *heap)
{
	const struct pm_heap_index *index = pm_heap_index_of(heap);
	const uint64_t growth = (uint64_t)1 << 32;

	for (size_t i = 0; i < index->count && cohorts->main.end == 0; i++) {
		const struct pm_heap_segment *segment = &index->segments[i];
		if (segment->arena == 0)
			cohorts->main = (struct pm_range){ segment->start, segment->end + growth };
	}
}

/** Stores what a walk did not see. */
static int note_skipped(struct walk *walk, struct pm_heap *heap, struct pm_error *error)
{
	const struct pm_heap_index *index = pm_heap_index_of(heap);

	walk->skipped.unseen = index->unseen;
	for (size_t i = 0; i < index->skipped_count; i++)
		if (pm_heap_index_skip(&walk->skipped, index->skipped[i].start,
		                       index->skipped[i].end, error) < 0)
			return -1;
	return 0;
}

/** Tests whether a walk may not have seen an address. */
static bool was_skipped(const struct walk *walk, uint64_t address)
{
	return walk->skipped.unseen || pm_heap_index_has_skipped(&walk->skipped, address);
}

/** Moves past all items below a chunk. Returns the item of the chunk, or NULL if there is none or
 * if the chunk has changed. */
static const struct record *find(struct walk *walk, const struct record *record)
{
	while (walk->at < walk->count && walk->items[walk->at].start < record->start)
		walk->at++;
	if (walk->at == walk->count)
		return NULL;

	const struct record *item = &walk->items[walk->at];
	bool same = item->start == record->start && (item->size & ~new_bit) == record->size &&
	            item->hash == record->hash;
	return same ? item : NULL;
}

/** What visit() needs. */
struct visit {
	struct pm_cohorts *cohorts;
	struct pm_error *error;
};

/** Receives the chunks of a walk; a pm_chunk_item_visitor. */
static int visit(void *context, const struct pm_chunk_item *item)
{
	const struct visit *to = context;
	struct pm_cohorts *cohorts = to->cohorts;
	struct walk *last = &cohorts->last, *now = &cohorts->now;
	struct record record = {
		.start = item->chunk.start,
		.size = item->chunk.size & ~new_bit,
		.hash = pm_head_hash_lasting(item->head, item->size, cohorts->main),
	};

	const struct record *old = find(last, &record);
	if (old && (old->size & new_bit) && pm_census_add_item(cohorts->found, item, to->error) < 0)
		return -1;
	if (!old && last->begun > 0 && !was_skipped(last, record.start))
		record.size |= new_bit;

	if (pm_array_reserve(&now->items, &now->capacity, now->count, 1, sizeof record, to->error) <
	    0)
		return -1;
	now->items[now->count++] = record;
	return pm_census_add_item(now->census, item, to->error);
}

static int walk(struct pm_cohorts *cohorts, struct pm_heap *heap, struct pm_error *error)
{
	struct visit context = { cohorts, error };
	struct walk *now = &cohorts->now;
	const struct pm_regions *regions = pm_heap_handle(heap)->source.regions;

	/* Reserve the memory at once: while an array grows, it exists twice. The kernel provides
	 * pages only as they are used. */
	if (pm_chunk_types_update(cohorts->types, regions, error) < 0 ||
	    create_census(cohorts->types, &now->census, error) < 0 ||
	    pm_array_reserve(&now->items, &now->capacity, 0, heap->chunk_count, sizeof *now->items,
	                     error) < 0)
		return -1;

	if (note_skipped(now, heap, error) < 0)
		return -1;
	if (pm_chunk_list(heap, cohorts->types, NULL, visit, &context, error) < 0 ||
	    pm_census_sort(now->census, PM_CENSUS_BY_BYTES, error) < 0)
		return -1;

	return pm_census_sort(cohorts->found, PM_CENSUS_BY_BYTES, error);
}

/** Replaces the last walk by the walk that was just made. */
static void advance(struct pm_cohorts *cohorts)
{
	struct walk *last = &cohorts->last, *now = &cohorts->now;

	cohorts->seconds += (double)cohorts->last_interval / 1e9;
	cohorts->last_interval = 0;
	if (last->begun > 0 && !last->skipped.unseen)
		cohorts->last_interval = now->begun - last->begun;

	pm_census_destroy(cohorts->before);
	cohorts->before = last->census;
	last->census = NULL;
	release(last);
	*last = *now;
	*now = (struct walk){ 0 };
}

int pm_cohorts_walk(struct pm_cohorts *cohorts, struct pm_heap *heap, struct pm_error *error)
{
	find_main(cohorts, heap);
	cohorts->last.at = 0;
	cohorts->walked = true;
	cohorts->now.begun = pm_clock_ns(CLOCK_MONOTONIC);
	if (walk(cohorts, heap, error) == 0) {
		advance(cohorts);
		return 0;
	}

	/* Some of the survivors may have been found. The whole time is added nevertheless, so that
	 * their rate is not too high. */
	cohorts->seconds += (double)cohorts->last_interval / 1e9;
	cohorts->last_interval = 0;
	release(&cohorts->now);
	release(&cohorts->last);
	pm_census_sort(cohorts->found, PM_CENSUS_BY_BYTES, NULL);
	return -1;
}

const struct pm_census *pm_cohorts_present(const struct pm_cohorts *cohorts)
{
	return cohorts->last.census;
}

size_t pm_cohorts_count(const struct pm_cohorts *cohorts)
{
	return cohorts->walked ? pm_census_count(cohorts->found) : 0;
}

/** Returns the number of chunks of a class in a walk, and whether it is known. */
static bool count_of(struct pm_census *census, const struct pm_census_class *class, uint64_t *count)
{
	const struct pm_census_class *found = NULL;

	if (!census)
		return false;

	found = pm_census_find(census, class->size, class->type);
	*count = found ? found->count : 0;
	return found ? found->missed == 0 : pm_census_bound(census) == 0;
}

void pm_cohorts_get(const struct pm_cohorts *cohorts, size_t index, struct pm_cohort_class *result)
{
	struct pm_cohort_class class = { .survivors = pm_census_get(cohorts->found, index) };

	class.in_use_known = count_of(cohorts->last.census, class.survivors, &class.in_use) &&
	                     count_of(cohorts->before, class.survivors, &class.before);
	if (!class.in_use_known)
		class.in_use = class.before = 0;
	*result = class;
}

double pm_cohorts_seconds(const struct pm_cohorts *cohorts)
{
	return cohorts->seconds;
}
