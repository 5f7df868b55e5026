/* SPDX-License-Identifier: MIT */
/*
 * The group of a track is found by the name of its representative region when the track is first
 * seen, and kept. A group exists for each key from the start, so that its history is complete when
 * a second name appears.
 */
#include "watch/similar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/** A file name of a group, for counting. */
struct name {
	struct watch_similar_group *group;
	uint64_t hash;
};

struct watch_similar {
	struct watch_similar_group **groups; /* owned */
	size_t count, capacity;
	void *tree;                      /* tree of similar_name_find(), by kind and key */
	struct watch_similar_group **of; /* the group of each track, by pm_track.index */
	bool *chosen;                    /* the tracks of the last sum, by pm_track.index */
	size_t known;                    /* number of elements of `of` and `chosen` */
	double last;                     /* time of the last sample in the histories */
};

struct watch_similar *watch_similar_create(void)
{
	struct watch_similar *similar = alloc_array(NULL, 1, sizeof *similar);

	*similar = (struct watch_similar){ .last = -INFINITY };
	return similar;
}

static void destroy_group(struct watch_similar_group *group)
{
	similar_name_deinit(&group->names);
	text_deinit(&group->pattern);
	pm_series_deinit(&group->weights);
	pm_series_deinit(&group->counts);
	free(group);
}

void watch_similar_destroy(struct watch_similar *similar)
{
	if (!similar)
		return;

	for (size_t i = 0; i < similar->count; i++)
		destroy_group(similar->groups[i]);

	similar_name_free_tree(similar->tree);
	free(similar->groups);
	free(similar->of);
	free(similar->chosen);
	free(similar);
}

static struct watch_similar_group *add_group(struct watch_similar *similar, enum pm_kind kind)
{
	struct watch_similar_group *group = alloc_array(NULL, 1, sizeof *group);

	*group = (struct watch_similar_group){ 0 };
	group->track = (struct pm_track){ .kind = kind, .mapping = "", .since = INFINITY };
	group->track.born = true;

	if (similar->count == similar->capacity) {
		similar->capacity = similar->capacity ? similar->capacity * 2 : 16;
		similar->groups = alloc_array(similar->groups, similar->capacity,
		                              sizeof(struct watch_similar_group *));
	}

	similar->groups[similar->count++] = group;
	return group;
}

/** Finds or makes the group of a track. @return NULL if the name of the track has no key */
static struct watch_similar_group *find_group(struct watch_similar *similar,
                                              const struct pm_track *track)
{
	void **group = similar_name_find(&similar->tree, track->mapping, track->kind);

	if (!group)
		return NULL;
	if (!*group)
		*group = add_group(similar, track->kind);

	return *group;
}

/** Makes room for a track in the arrays. */
static void reserve(struct watch_similar *similar, size_t index)
{
	size_t count = index + 1;

	if (count <= similar->known)
		return;
	if (count < similar->known * 2)
		count = similar->known * 2;

	similar->of = alloc_array(similar->of, count, sizeof(struct watch_similar_group *));
	similar->chosen = alloc_array(similar->chosen, count, sizeof *similar->chosen);
	for (size_t i = similar->known; i < count; i++) {
		similar->of[i] = NULL;
		similar->chosen[i] = false;
	}

	similar->known = count;
}

void watch_similar_begin(struct watch_similar *similar)
{
	for (size_t i = 0; i < similar->count; i++) {
		struct pm_track *track = &similar->groups[i]->track;

		track->regions = track->baseline_regions = 0;
		track->weight = track->size = track->baseline = track->baseline_size = 0;
		track->delta = 0;
		similar->groups[i]->has_row = false;
		similar->groups[i]->most = INT64_MIN;
	}

	for (size_t i = 0; i < similar->known; i++)
		similar->chosen[i] = false;
}

/** Makes the region of a track the representative region of the group. */
static void represent(struct watch_similar_group *group, const struct pm_track *track)
{
	group->track.start = track->start;
	group->track.end = track->end;
	group->track.own = track->own;
	group->track.perms = track->perms;
	group->track.thread = track->thread;
}

void watch_similar_add(struct watch_similar *similar, const struct pm_track *track, bool has_row)
{
	reserve(similar, track->index);

	struct watch_similar_group **of = &similar->of[track->index];
	bool known = *of && (*of)->track.kind == track->kind;

	if (!known && track->regions > 0)
		*of = find_group(similar, track);
	if (!*of)
		return;

	struct watch_similar_group *group = *of;
	struct pm_track *sum = &group->track;
	int64_t growth = (int64_t)(track->weight - track->baseline);

	similar->chosen[track->index] = true;
	if (growth > group->most && (track->regions > 0 || sum->regions == 0)) {
		group->most = growth;
		represent(group, track);
	}

	sum->regions += track->regions;
	sum->weight += track->weight;
	sum->size += track->size;
	sum->baseline += track->baseline;
	sum->baseline_size += track->baseline_size;
	sum->baseline_regions += track->baseline_regions;
	sum->delta += track->delta;
	sum->born &= track->born;
	if (track->since < sum->since)
		sum->since = track->since;
	group->has_row |= has_row;
}

static int compare_names(const void *one, const void *other)
{
	const struct name *a = one, *b = other;

	if (a->group != b->group)
		return (uintptr_t)a->group < (uintptr_t)b->group ? -1 : 1;

	return (a->hash > b->hash) - (a->hash < b->hash);
}

/** Computes the hash of a name: FNV-1a with 64 bits. */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);

	return hash;
}

/** Finds the group of a region among the tracks of the last sum. */
static struct watch_similar_group *group_of_region(const struct watch_similar *similar,
                                                   const struct pm_tracker *tracker, size_t region)
{
	const struct pm_track *track = pm_tracker_owner(tracker, region);

	if (track->index >= similar->known || !similar->chosen[track->index])
		return NULL;

	return similar->of[track->index];
}

/** Adds the names of all regions to their groups, and counts the different names of each group. */
static void count_files(struct watch_similar *similar, const struct pm_tracker *tracker,
                        const struct pm_regions *regions)
{
	struct name *names = alloc_array(NULL, regions->count + 1, sizeof *names);
	size_t count = 0;

	for (size_t i = 0; i < regions->count; i++) {
		const char *mapping = regions->items[i].mapping;
		struct watch_similar_group *group = group_of_region(similar, tracker, i);

		if (!group || *mapping == '\0')
			continue;
		similar_name_add(&group->names, mapping);
		names[count++] = (struct name){ group, hash_name(mapping) };
	}

	for (size_t i = 0; i < similar->count; i++)
		similar->groups[i]->files = 0;

	qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || compare_names(&names[i - 1], &names[i]) != 0)
			names[i].group->files++;

	free(names);
}

/** Updates the pattern of a group, and its part of the track. */
static void describe(struct watch_similar_group *group)
{
	group->shown = group->names.varied;
	if (!group->names.first)
		return;

	text_clear(&group->pattern);
	similar_name_pattern(&group->names, &group->pattern);
	group->track.mapping = text_terminate(&group->pattern);
}

/**
 * Adds a value to a series. The series of a group that appeared after the first sample starts with
 * 0 at the sample before.
 */
static int add_value(const struct watch_similar *similar, struct pm_series *series, double time,
                     uint64_t value, struct pm_error *error)
{
	if (series->count == 0 && isfinite(similar->last) &&
	    pm_series_add(series, similar->last, 0, error) < 0)
		return -1;

	return pm_series_add(series, time, value, error);
}

/** Adds the sums of a group to its history. The track has only series that changed. */
static int add_to_history(const struct watch_similar *similar, struct watch_similar_group *group,
                          double time, struct pm_error *error)
{
	struct pm_track *track = &group->track;

	if (add_value(similar, &group->weights, time, track->weight, error) < 0 ||
	    add_value(similar, &group->counts, time, track->regions, error) < 0)
		return -1;

	track->series = track->counts = (struct pm_series){ 0 };
	if (group->weights.count > 1)
		track->series = group->weights;
	if (group->counts.count > 1)
		track->counts = group->counts;

	if (track->regions > track->max_regions)
		track->max_regions = track->regions;

	return 0;
}

int watch_similar_end(struct watch_similar *similar, const struct pm_tracker *tracker,
                      const struct pm_sample *sample, struct pm_error *error)
{
	bool is_new = sample->time > similar->last;

	/* If the regions were not measured, the figures are those of an earlier sample. */
	if (sample->held_back || !is_new)
		return 0;

	if (sample->fresh && similar->count > 0)
		count_files(similar, tracker, sample->regions);

	for (size_t i = 0; i < similar->count; i++) {
		describe(similar->groups[i]);
		if (add_to_history(similar, similar->groups[i], sample->time, error) < 0)
			return -1;
	}

	similar->last = sample->time;
	return 0;
}

const struct watch_similar_group *watch_similar_of(const struct watch_similar *similar,
                                                   const struct pm_track *track)
{
	if (!similar || track->index >= similar->known || !similar->chosen[track->index])
		return NULL;

	const struct watch_similar_group *group = similar->of[track->index];
	return group && group->shown ? group : NULL;
}

const struct watch_similar_group *watch_similar_at(const struct watch_similar *similar,
                                                   size_t index)
{
	return index < similar->count ? similar->groups[index] : NULL;
}

void watch_similar_rebase(struct watch_similar *similar)
{
	for (size_t i = 0; i < similar->count; i++) {
		struct pm_track *track = &similar->groups[i]->track;

		track->baseline = track->weight;
		track->baseline_regions = track->regions;
		track->baseline_size = track->size;
	}
}
