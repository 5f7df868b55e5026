/* SPDX-License-Identifier: MIT */
#include "why/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "why/evidence_around.h"
#include "why/evidence_chunks.h"
#include "why/names.h"
#include "why/trends.h"

/* Sizes of the arrays. More is not judged: the largest and the fastest come first. */
enum { REGIONS_MAX = 4096, TEXTS_MAX = 64 };

const char *why_evidence_keep(struct why_evidence *made, const char *bytes, size_t length)
{
	char *copy = alloc_array(NULL, length + 1, 1);

	memcpy(copy, bytes, length);
	copy[length] = '\0';
	made->names = alloc_array(made->names, made->name_count + 1, sizeof *made->names);
	made->names[made->name_count++] = copy;
	return copy;
}

/** Adds the sizes of the regions of smaps that are in a track's region. */
static void add_sizes(const struct why_observation *observation, struct pm_evidence_region *region)
{
	for (size_t i = 0; i < observation->size_count; i++) {
		const struct why_sizes *sizes = &observation->sizes[i];

		if (sizes->start >= region->end)
			break;
		if (sizes->end <= region->start)
			continue;
		region->huge += sizes->huge;
		region->locked += sizes->locked;
		region->swap += sizes->swap;
		region->shared += sizes->shared;
	}
}

static void add_reserve(const struct why_observation *observation,
                        struct pm_evidence_region *region)
{
	size_t count;
	const struct pm_reserve *const *reserves = pm_reserves_list(observation->rates.reserves,
	                                                            &count);

	for (size_t i = 0; i < count; i++) {
		const struct pm_reserve *reserve = reserves[i];

		if (reserve->start > region->start ||
		    region->start >= reserve->start + reserve->used)
			continue;
		region->reserve = pm_reserve_size(reserve) - reserve->used;
		region->length = why_trends_of(observation, &reserve->series, PM_TREND_BYTES);
	}
}

/** Finds the arena of a track. */
static const struct why_arena *arena_of(const struct why_observation *observation,
                                        const struct pm_track *track)
{
	const struct why_walks *walks = &observation->walks;
	bool in_heap = track->kind == PM_KIND_ARENA && pm_detail_has_heaps(&track->detail) &&
	               track->detail.listed > 0;

	for (size_t i = 0; i < walks->arena_count; i++) {
		const struct why_arena *arena = &walks->arenas[i];

		if (in_heap && arena->last.address == track->detail.heaps[0].arena)
			return arena;
		if (track->kind == PM_KIND_HEAP && arena->last.main)
			return arena;
	}

	return NULL;
}

static void fill_region(const struct why_observation *observation, const struct pm_track *track,
                        struct pm_evidence_region *region)
{
	const struct why_arena *arena = arena_of(observation, track);

	*region = (struct pm_evidence_region){
		.start = track->start,
		.end = track->end,
		.kind = track->kind,
		.perms = track->perms,
		.mapping = track->mapping,
		.thread = track->thread,
		.thread_name = "",
		.chunk_min = track->block_min,
		.chunk_max = track->block_max,
		.size = track->size,
		.memory = { .known = track->series.samples > 1,
		            .first = track->baseline,
		            .last = track->weight },
		.count = { .known = track->counts.samples > 1,
		           .first = track->baseline_regions,
		           .last = track->regions },
	};

	why_trends_judge_track(observation, track, region);
	region->memory.known = observation->samples > 1;
	region->count.known = observation->samples > 1;

	if (arena) {
		region->arena = arena->last.number;
		if (arena->threads == 1) {
			region->thread = arena->thread.tid;
			region->thread_name = arena->thread.name;
		}
	} else if (pm_detail_has_threads(&track->detail) && track->detail.listed > 0) {
		region->thread_name = track->detail.threads[0].name;
	}

	add_sizes(observation, region);
	add_reserve(observation, region);
}

static enum pm_owner owner_by_kind(const struct pm_evidence_region *region)
{
	switch (region->kind) {
	case PM_KIND_HEAP:
	case PM_KIND_ARENA:
	case PM_KIND_MALLOC:
		return PM_OWNER_MALLOC;
	case PM_KIND_STACK:
		return PM_OWNER_STACK;
	case PM_KIND_SHM:
		return PM_OWNER_SHARED;
	case PM_KIND_CODE:
	case PM_KIND_RODATA:
	case PM_KIND_DATA:
	case PM_KIND_BSS:
	case PM_KIND_FILE:
		return PM_OWNER_FILE;
	default:
		return PM_OWNER_UNKNOWN;
	}
}

/** Sets the owner of a region. */
static void set_owner(const struct why_observation *observation, struct pm_evidence_region *region)
{
	const struct why_region_owner *owner = why_owners_find(&observation->owners, region->start);

	region->owner = owner ? (enum pm_owner)owner->owner : owner_by_kind(region);
	region->owner_certain = owner ? owner->proven : region->owner != PM_OWNER_UNKNOWN;
}

static int by_memory(const void *left, const void *right)
{
	const struct pm_track *const *a = left, *const *b = right;

	if ((*a)->weight != (*b)->weight)
		return (*a)->weight < (*b)->weight ? 1 : -1;
	return ((*a)->index > (*b)->index) - ((*a)->index < (*b)->index);
}

/** Adds the texts in new pages of a track. */
static void add_texts(struct why_evidence *made, const struct why_observation *observation,
                      const struct pm_track *track, size_t region, struct pm_evidence_text *texts)
{
	size_t added = 0;

	for (size_t i = 0; i < observation->texts.count; i++) {
		const struct why_track_texts *item = &observation->texts.items[i];

		if (item->track != track || observation->options->no_text)
			continue;
		for (size_t t = 0; t < item->found.count && added < WHY_TEXTS &&
		                   made->evidence.text_count < TEXTS_MAX;
		     t++) {
			const struct pm_page_string *string = &item->found.strings[t];

			if (string->count < 2)
				continue;
			added++;
			texts[made->evidence.text_count++] = (struct pm_evidence_text){
				.region = region,
				.text = why_evidence_keep(made, string->bytes, string->length),
				.count = string->count,
				.stride = string->stride,
			};
		}
	}
}

static void add_regions(struct why_evidence *made, const struct why_observation *observation)
{
	size_t count = 0, kept = 0;
	const struct pm_track *const *tracks = pm_tracker_tracks(observation->rates.tracker,
	                                                         &count);
	const struct pm_track **sorted = alloc_array(NULL, count + 1, sizeof(struct pm_track *));
	struct pm_evidence_text *texts = alloc_array(NULL, TEXTS_MAX, sizeof *texts);

	for (size_t i = 0; i < count; i++)
		if (tracks[i]->regions > 0)
			sorted[kept++] = tracks[i];
	qsort(sorted, kept, sizeof(struct pm_track *), by_memory);
	kept = pm_min_size(kept, REGIONS_MAX);

	struct pm_evidence_region *regions = alloc_array(NULL, kept + 1, sizeof *regions);
	for (size_t i = 0; i < kept; i++) {
		fill_region(observation, sorted[i], &regions[i]);
		set_owner(observation, &regions[i]);
		add_texts(made, observation, sorted[i], i, texts);
	}

	made->evidence.regions = regions;
	made->evidence.region_count = kept;
	made->evidence.texts = texts;
	free(sorted);
}

/** Adds what the runtime of an owner counts itself. */
static void add_own_counts(const struct why_observation *observation,
                           struct pm_evidence_owner *owner)
{
	const struct why_owners *owners = &observation->owners;
	const struct headroom_rates *rates = &observation->rates;

	if (owner->owner == PM_OWNER_JAVA_HEAP) {
		owner->collections = why_trends_of(observation, &owners->java_collections,
		                                   PM_TREND_COUNT);
		owner->old_collections = why_trends_of(observation, &owners->java_old_collections,
		                                       PM_TREND_COUNT);
		owner->used = why_trends_of(observation, &owners->java_used, PM_TREND_BYTES);
		owner->used_max = owners->java_used_max;
	} else if (owner->owner == PM_OWNER_GO_HEAP) {
		owner->collections = why_trends_of(observation, &owners->go_collections,
		                                   PM_TREND_COUNT);
		owner->used = why_trends_of(observation, &owners->go_used, PM_TREND_BYTES);
		owner->live = why_trends_of(observation, &owners->go_live, PM_TREND_BYTES);
	}

	for (size_t i = 0; i < observation->headroom.count; i++) {
		const struct pm_limit *limit = &observation->headroom.limits[i];
		const struct pm_series *used = limit_counters_find(&rates->counters, limit);

		if (limit->kind != PM_LIMIT_V8_OLD_SPACE || owner->owner != PM_OWNER_V8_HEAP)
			continue;
		owner->used_max = limit->max;
		if (used)
			owner->used = why_trends_of(observation, used, PM_TREND_BYTES);
	}
}

static void add_owners(struct why_evidence *made, const struct why_observation *observation)
{
	const struct why_owners *owners = &observation->owners;
	struct pm_evidence_owner *items = alloc_array(NULL, PM_OWNER_COUNT, sizeof *items);
	size_t count = 0;

	for (unsigned i = 0; owners->known && i < PM_OWNER_COUNT; i++) {
		const struct pm_owner_sum *sum = &owners->last.items[i];

		if (pm_owner_sum_weight(sum) == 0)
			continue;
		items[count++] = (struct pm_evidence_owner){
			.owner = (enum pm_owner)i,
			.certain = sum->inferred == 0,
			.memory = why_trends_of(observation, &owners->series[i], PM_TREND_BYTES),
		};
		add_own_counts(observation, &items[count - 1]);
	}

	made->evidence.owners = items;
	made->evidence.owner_count = count;
}

static int by_growth(const void *left, const void *right)
{
	const struct pm_evidence_type *a = left, *b = right;
	double first = a->rate * (double)a->bytes / (double)pm_max(a->count, 1);
	double second = b->rate * (double)b->bytes / (double)pm_max(b->count, 1);

	return (first < second) - (first > second);
}

/** Adds the types of Python, those that grow most first. */
static void add_types(struct why_evidence *made, const struct why_owners *owners)
{
	const struct pm_python_heap *last = owners->last_types;
	double seconds = owners->last_time - owners->first_time;
	struct pm_evidence_type *types;

	if (!last || seconds <= 0)
		return;

	types = alloc_array(NULL, last->type_count + 1, sizeof *types);
	for (size_t i = 0; i < last->type_count; i++) {
		const struct pm_runtime_type *type = &last->types[i];
		const struct pm_runtime_type *before = pm_python_heap_type(owners->first_types,
		                                                           type->name);
		double grown = (double)type->count - (before ? (double)before->count : 0);

		types[i] = (struct pm_evidence_type){ .owner = PM_OWNER_PYTHON_OBJECTS,
			                              .type = type->name,
			                              .count = type->count,
			                              .bytes = type->bytes,
			                              .rate = grown / seconds };
	}

	qsort(types, last->type_count, sizeof *types, by_growth);
	made->evidence.types = types;
	made->evidence.type_count = last->type_count;
}

void why_evidence_make(struct why_evidence *made, const struct why_observation *observation)
{
	const struct headroom_rates *rates = &observation->rates;
	struct pm_evidence *evidence = &made->evidence;

	*made = (struct why_evidence){ 0 };
	evidence->source = observation->source;
	evidence->file = observation->file;
	evidence->pid = observation->info.pid;
	evidence->comm = observation->info.comm;
	evidence->seconds = observation->seconds;
	evidence->samples = observation->samples;
	evidence->memory = why_trends_of(observation, &rates->memory, PM_TREND_BYTES);
	evidence->kept = why_trends_of(observation, &rates->kept, PM_TREND_BYTES);
	evidence->unique = observation->unique;
	evidence->descriptors_max = observation->descriptors_max;
	evidence->swapped = observation->info.vm_swap;
	evidence->numbers[PM_EVIDENCE_THREADS] = why_trends_of(observation, &rates->threads,
	                                                       PM_TREND_COUNT);
	evidence->numbers[PM_EVIDENCE_MAPPINGS] = why_trends_of(observation, &observation->mappings,
	                                                        PM_TREND_COUNT);
	evidence->numbers[PM_EVIDENCE_DESCRIPTORS] = why_trends_of(
		observation, &observation->descriptors, PM_TREND_COUNT);

	add_regions(made, observation);
	why_evidence_chunks_add_arenas(made, &observation->walks);
	why_evidence_chunks_add(made, observation);
	add_owners(made, observation);
	add_types(made, &observation->owners);
	why_evidence_around_add(made, observation);
	why_names_add(made, observation);
}

void why_evidence_deinit(struct why_evidence *made)
{
	struct pm_evidence *evidence = &made->evidence;

	for (size_t i = 0; i < made->name_count; i++)
		free(made->names[i]);
	free(made->names);
	free((void *)evidence->regions);
	free((void *)evidence->texts);
	free((void *)evidence->arenas);
	free((void *)evidence->chunks);
	free((void *)evidence->owners);
	free((void *)evidence->types);
	free((void *)evidence->processes);
	free((void *)evidence->parts);
	free((void *)evidence->tmpfs);
	free((void *)evidence->shared);
	free((void *)evidence->limits);
	*made = (struct why_evidence){ 0 };
}
