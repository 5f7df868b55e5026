/* SPDX-License-Identifier: MIT */
/*
 * A walk delivers chunks in ascending address order, so walks are compared like sorted lists: the
 * first walk is stored; the second one is compared while it runs, and only its new chunks are
 * stored; the third one is compared with these.
 */
#include <procmem/survivors.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "heap/census.h"
#include "heap/chunk_type.h"
#include "heap/content.h"
#include "heap/heap.h"
#include "heap/newcomers.h"

/** A chunk of a walk. */
struct record {
	uint64_t start;
	uint64_t size;
	uint64_t hash; /* of its content */
};

/** Chunks in ascending address order. */
struct records {
	struct record *items;
	size_t count;
	size_t capacity;
	size_t at; /* index of the first item that the walk has not passed */
};

struct pm_survivors {
	struct pm_chunk_types *types;
	struct pm_chunk_filter *filter;
	unsigned walks;               /* number of walks so far */
	uint64_t begun[2];            /* start of the first two walks, CLOCK_MONOTONIC, in ns */
	struct pm_range main;         /* addresses of the main arena, now and when it has grown */
	struct records first;         /* chunks of the first walk */
	struct records fresh;         /* chunks of the second walk that were not in the first */
	struct pm_heap_index skipped; /* only what the first walk did not see */
	struct pm_census *censuses[PM_SURVIVORS_WALKS]; /* of all chunks */
	struct pm_census *found;                        /* of the survivors */
	struct pm_census_total totals[PM_SURVIVORS_WALKS];

	/* If only the contents of new chunks are compared: */
	bool sparse;
	struct pm_heap *before; /* the heap of the first walk; NULL after the second one */
	struct pm_newcomers newcomers;
};

static int create_census(const struct pm_survivors *survivors, struct pm_census **census,
                         struct pm_error *error)
{
	const struct pm_census_options options = {
		.keys = PM_CENSUS_SIZE | PM_CENSUS_TYPE,
		.types = survivors->types,
	};
	return pm_census_create(&options, census, error);
}

int pm_survivors_open(struct pm_chunk_types *types, struct pm_chunk_filter *filter,
                      struct pm_survivors **survivors, struct pm_error *error)
{
	struct pm_survivors *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->types = types;
	made->filter = filter;
	int result = create_census(made, &made->found, error);
	for (unsigned i = 0; result == 0 && i < PM_SURVIVORS_WALKS; i++)
		result = create_census(made, &made->censuses[i], error);
	if (result < 0) {
		pm_survivors_close(made);
		return -1;
	}

	*survivors = made;
	return 0;
}

static void release(struct records *records)
{
	free(records->items);
	*records = (struct records){ 0 };
}

void pm_survivors_close(struct pm_survivors *survivors)
{
	if (!survivors)
		return;

	release(&survivors->first);
	release(&survivors->fresh);
	pm_heap_index_deinit(&survivors->skipped);
	pm_newcomers_deinit(&survivors->newcomers);
	for (unsigned i = 0; i < PM_SURVIVORS_WALKS; i++)
		pm_census_destroy(survivors->censuses[i]);
	pm_census_destroy(survivors->found);
	free(survivors);
}

static int append(struct records *records, const struct record *record, struct pm_error *error)
{
	if (pm_array_reserve(&records->items, &records->capacity, records->count, 1,
	                     sizeof *records->items, error) < 0)
		return -1;

	records->items[records->count++] = *record;
	return 0;
}

/** Moves past all items below a chunk. Tests whether the chunk is there and has not changed. */
static bool contains(struct records *records, const struct record *record)
{
	while (records->at < records->count && records->items[records->at].start < record->start)
		records->at++;
	if (records->at == records->count)
		return false;

	const struct record *item = &records->items[records->at];
	return item->start == record->start && item->size == record->size &&
	       item->hash == record->hash;
}

void pm_survivors_set_sparse(struct pm_survivors *survivors)
{
	survivors->sparse = true;
}

/** Sets the addresses of the main arena, and those that the first walk did not see. */
static int note_addresses(struct pm_survivors *survivors, struct pm_heap *heap,
                          struct pm_error *error)
{
	const struct pm_heap_index *index = pm_heap_index_of(heap);
	/* Free address space after the main arena, into which it can grow between the walks. */
	const uint64_t growth = (uint64_t)64 << 20;

	for (size_t i = 0; i < index->count && survivors->main.end == 0; i++) {
		const struct pm_heap_segment *segment = &index->segments[i];
		uint64_t size = segment->end - segment->start;
		if (segment->arena == 0)
			survivors->main = (struct pm_range){ segment->start,
				                             segment->end + size + growth };
	}

	survivors->skipped.unseen = index->unseen;
	for (size_t i = 0; i < index->skipped_count; i++)
		if (pm_heap_index_skip(&survivors->skipped, index->skipped[i].start,
		                       index->skipped[i].end, error) < 0)
			return -1;
	return 0;
}

/** Prepares the first walk. */
static int begin_first(struct pm_survivors *survivors, struct pm_heap *heap, struct pm_error *error)
{
	if (note_addresses(survivors, heap, error) < 0)
		return -1;

	/* Reserve the memory at once: while an array grows, it exists twice. The kernel provides
	 * pages only as they are used. */
	return pm_array_reserve(&survivors->first.items, &survivors->first.capacity, 0,
	                        heap->chunk_count, sizeof *survivors->first.items, error);
}

/** Compares a chunk with those of the walk before, and stores it if a later walk needs it. */
static int compare(struct pm_survivors *survivors, const struct pm_chunk_item *item,
                   struct pm_error *error)
{
	const struct record record = {
		.start = item->chunk.start,
		.size = item->chunk.size,
		.hash = pm_head_hash_lasting(item->head, item->size, survivors->main),
	};

	switch (survivors->walks) {
	case 0:
		return append(&survivors->first, &record, error);
	case 1:
		if (contains(&survivors->first, &record) ||
		    pm_heap_index_has_skipped(&survivors->skipped, record.start))
			return 0;
		return append(&survivors->fresh, &record, error);
	default:
		if (!contains(&survivors->fresh, &record))
			return 0;
		return pm_census_add_item(survivors->found, item, error);
	}
}

/** What visit() needs. */
struct visit {
	struct pm_survivors *survivors;
	struct pm_error *error;
};

/** Receives the chunks of all walks; a pm_chunk_item_visitor. */
static int visit(void *context, const struct pm_chunk_item *item)
{
	const struct visit *to = context;
	struct pm_survivors *survivors = to->survivors;
	struct pm_census_total *total = &survivors->totals[survivors->walks];
	struct pm_census *census = survivors->censuses[survivors->walks];

	total->count++;
	total->bytes += item->chunk.size;
	total->zeros += item->type->content == PM_CONTENT_ZEROS;
	if (pm_census_add_item(census, item, to->error) < 0)
		return -1;

	return compare(survivors, item, to->error);
}

/** Releases what the next walk does not need. */
static int end_walk(struct pm_survivors *survivors, struct pm_error *error)
{
	survivors->walks++;
	if (survivors->walks == 2)
		release(&survivors->first);
	if (survivors->walks < PM_SURVIVORS_WALKS)
		return 0;

	release(&survivors->fresh);
	return pm_census_sort(survivors->found, PM_CENSUS_BY_BYTES, error);
}

static const struct pm_regions *regions_of(struct pm_heap *heap)
{
	return pm_heap_handle(heap)->source.regions;
}

/** Adds up the chunks in use, without reading them. */
static struct pm_census_total total_of(const struct pm_heap *heap)
{
	return (struct pm_census_total){ .count = heap->total.chunks + heap->mapped_count,
		                         .bytes = heap->total.in_use + heap->mapped };
}

/** Makes a walk of which only the new chunks are read. */
static int walk_sparsely(struct pm_survivors *survivors, struct pm_heap *heap,
                         struct pm_error *error)
{
	struct pm_newcomers *newcomers = &survivors->newcomers;

	survivors->totals[survivors->walks] = total_of(heap);
	if (survivors->walks < 2)
		survivors->begun[survivors->walks] = pm_heap_handle(heap)->opened_ns;
	switch (survivors->walks) {
	case 0:
		survivors->before = heap;
		return note_addresses(survivors, heap, error);
	case 1:
		newcomers->main = survivors->main;
		if (pm_newcomers_find(newcomers, survivors->before, heap, error) < 0)
			return -1;
		survivors->before = NULL;
		return 0;
	default:
		return pm_newcomers_count(newcomers, heap, survivors->types, survivors->found,
		                          error);
	}
}

int pm_survivors_walk(struct pm_survivors *survivors, struct pm_heap *heap, struct pm_error *error)
{
	struct visit context = { survivors, error };

	if (survivors->walks == PM_SURVIVORS_WALKS)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "survivors are found by three walks, which were made already");

	if (survivors->walks < 2)
		survivors->begun[survivors->walks] = pm_clock_ns(CLOCK_MONOTONIC);
	if (survivors->walks == 0 && !survivors->sparse && begin_first(survivors, heap, error) < 0)
		return -1;
	if (survivors->walks > 0 &&
	    pm_chunk_types_update(survivors->types, regions_of(heap), error) < 0)
		return -1;
	int result = survivors->sparse ? walk_sparsely(survivors, heap, error)
	                               : pm_chunk_list(heap, survivors->types, survivors->filter,
	                                               visit, &context, error);
	if (result < 0)
		return -1;

	return end_walk(survivors, error);
}

size_t pm_survivors_count(const struct pm_survivors *survivors)
{
	return survivors->walks == PM_SURVIVORS_WALKS ? pm_census_count(survivors->found) : 0;
}

bool pm_survivors_are_certain(const struct pm_survivors *survivors)
{
	return !survivors->skipped.unseen;
}

double pm_survivors_seconds(const struct pm_survivors *survivors)
{
	const double second = 1e9;
	if (survivors->walks < 2)
		return 0;
	return (double)(survivors->begun[1] - survivors->begun[0]) / second;
}

/** Counts of a class in a walk. */
struct counts {
	int64_t count;
	int64_t bytes;
	bool known; /* false: the class may have been dropped */
};

static struct counts counts_of(struct pm_census *census, const struct pm_census_class *class)
{
	const struct pm_census_class *found = pm_census_find(census, class->size, class->type);
	if (!found)
		return (struct counts){ .known = pm_census_bound(census) == 0 };

	return (struct counts){
		.count = (int64_t)found->count,
		.bytes = (int64_t)found->bytes,
		.known = found->missed == 0,
	};
}

/** Fills a class of which only a sample was read. */
static void get_sparse(const struct pm_survivors *survivors, struct pm_survivor_class *result)
{
	const struct pm_newcomers *newcomers = &survivors->newcomers;
	const struct pm_census_class *class = result->chunks;
	int64_t stay = pm_size_counts_get(&newcomers->stay, class->size);
	double share = stay > 0 ? (double)class->count / (double)stay : 0;
	double net = share * (double)pm_size_counts_get(&newcomers->nets, class->size);

	result->rate *= pm_newcomers_scale(newcomers);
	result->net_known = newcomers->nets.lost == 0 &&
	                    pm_newcomers_have_grown(newcomers, class->size);
	if (result->net_known) {
		result->net_count = (int64_t)net;
		result->net_bytes = result->net_count * (int64_t)class->size;
	}
}

void pm_survivors_get(const struct pm_survivors *survivors, size_t index,
                      struct pm_survivor_class *result)
{
	const struct pm_census_class *class = pm_census_get(survivors->found, index);
	double seconds = pm_survivors_seconds(survivors);

	*result = (struct pm_survivor_class){ .chunks = class };
	if (seconds > 0)
		result->rate = (double)class->count / seconds;
	if (survivors->sparse) {
		get_sparse(survivors, result);
		return;
	}

	struct counts before = counts_of(survivors->censuses[0], class);
	struct counts between = counts_of(survivors->censuses[1], class);
	struct counts after = counts_of(survivors->censuses[2], class);

	result->net_known = before.known && after.known;
	if (result->net_known) {
		result->net_count = after.count - before.count;
		result->net_bytes = after.bytes - before.bytes;
	}
	if (result->net_known && between.known) {
		int64_t first = before.count - between.count, second = between.count - after.count;
		int64_t most = first > second ? first : second;

		result->fall_count = most > 0 ? most : 0;
	}
}

struct pm_census_total pm_survivors_total(const struct pm_survivors *survivors, unsigned walk)
{
	if (walk >= survivors->walks)
		return (struct pm_census_total){ 0 };
	return survivors->totals[walk];
}
