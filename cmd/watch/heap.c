/* SPDX-License-Identifier: MIT */
/*
 * The rate of a class is that of its survivors (cohorts.h), and its verdict follows from the number
 * of chunks in use at each walk: a cache whose chunks live for longer than the time between two
 * walks has survivors, but does not grow.
 */
#include "watch/heap.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/cohorts.h>
#include <procmem/maps.h>
#include <procmem/minmax.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "target/chunk_contents.h"
#include "target/malloc_heap.h"

enum {
	/* Classes whose number of chunks is followed over time. A class is followed once it is
	 * among the first WATCH_HEAP_CLASSES_MAX by bytes of survivors. */
	FOLLOWED_MAX = 512,
};

/* The time between two walks grows with the time since the first one, up to a maximum in seconds:
 * longer intervals find fewer chunks that are freed later, and recordings stay small. */
static const double gap_share = 0.02, gap_max = 60;

/* Share of the budget that the walks may use. */
static const double budget_share = 0.5;

/** A class whose number of chunks is followed over time. */
struct followed {
	uint64_t size;
	const struct pm_chunk_type *type;
	struct pm_series series; /* of the number of chunks in use */
};

struct watch_heap {
	struct pm_process *process;
	const char *word;
	double budget;
	bool keep;

	/* The first walk, whose memory finds the types. Its heap is closed. */
	struct pm_regions regions;
	struct malloc_heap first;
	struct chunk_contents contents;
	struct pm_cohorts *cohorts;

	bool walked;   /* after the last sample */
	double began;  /* pm_sample.time of the first walk */
	double last;   /* of the last walk */
	double before; /* of the walk before it */
	uint64_t first_bytes;
	struct watch_heap_walks walks;
	struct pm_error failure;
	struct pm_histogram chunks;

	struct followed followed[FOLLOWED_MAX]; /* by size and type */
	size_t followed_count;
	struct watch_heap_class classes[WATCH_HEAP_CLASSES_MAX];
	size_t class_count;
};

void watch_heap_open(struct pm_process *process, const char *word, double budget, bool keep,
                     struct watch_heap **heap)
{
	struct watch_heap *opened = alloc_array(NULL, 1, sizeof *opened);

	*opened = (struct watch_heap){
		.process = process, .word = word, .budget = budget, .keep = keep
	};
	pm_regions_init(&opened->regions);
	*heap = opened;
}

void watch_heap_close(struct watch_heap *heap)
{
	if (!heap)
		return;

	for (size_t i = 0; i < heap->followed_count; i++)
		pm_series_deinit(&heap->followed[i].series);

	pm_cohorts_close(heap->cohorts);
	chunk_contents_close(&heap->contents);
	malloc_heap_close(&heap->first);
	pm_regions_deinit(&heap->regions);
	pm_histogram_deinit(&heap->chunks);
	free(heap);
}

/** Checks whether a walk is due at a time. */
static bool is_due(const struct watch_heap *heap, double now)
{
	double gap = gap_share * (now - heap->began);

	if (!heap->cohorts)
		return true;
	if (gap > gap_max)
		gap = gap_max;
	return now - heap->last >= gap && now - heap->last >= heap->walks.allowed;
}

/** Opens the heap for the first time, and what finds the types of all walks. */
static int open_first(struct watch_heap *heap, struct pm_error *error)
{
	struct malloc_heap *first = &heap->first;

	if (pm_maps_read(heap->process, PM_MAPS, &heap->regions, error) < 0 ||
	    malloc_heap_open_process(heap->process, &heap->regions, NULL, first, error) < 0 ||
	    malloc_heap_check(first->heap, NULL, heap->word, error) < 0)
		return -1;

	const struct chunk_contents_target target = { .process = heap->process,
		                                      .memory = &first->source,
		                                      .heap = first->heap };

	if (chunk_contents_open(&heap->contents, &target, error) < 0)
		return -1;
	return pm_cohorts_open(heap->contents.types, &heap->cohorts, error);
}

/** Adds a walk over a heap that was opened. */
static int add_walk(struct watch_heap *heap, struct pm_heap *walked, struct pm_error *error)
{
	if (pm_cohorts_walk(heap->cohorts, walked, error) < 0)
		return -1;

	heap->walks.incomplete += !walked->complete;
	if (!heap->keep)
		return 0;

	pm_histogram_deinit(&heap->chunks);
	return pm_histogram_make(pm_cohorts_present(heap->cohorts), walked, &heap->chunks, error);
}

static int walk(struct watch_heap *heap, struct pm_error *error)
{
	struct pm_regions regions;
	struct malloc_heap opened = { 0 };
	int result = -1;

	if (!heap->cohorts) {
		if (open_first(heap, error) < 0)
			return -1;
		result = add_walk(heap, heap->first.heap, error);
		pm_heap_close(heap->first.heap);
		heap->first.heap = NULL;
		return result;
	}

	pm_regions_init(&regions);
	if (pm_maps_read(heap->process, PM_MAPS, &regions, error) == 0 &&
	    malloc_heap_open_process(heap->process, &regions, NULL, &opened, error) == 0 &&
	    malloc_heap_check(opened.heap, NULL, heap->word, error) == 0)
		result = add_walk(heap, opened.heap, error);

	malloc_heap_close(&opened);
	pm_regions_deinit(&regions);
	return result;
}

static int compare_keys(const struct followed *followed, const struct pm_census_class *class)
{
	if (followed->size != class->size)
		return followed->size < class->size ? -1 : 1;
	if (followed->type != class->type)
		return (uintptr_t)followed->type < (uintptr_t)class->type ? -1 : 1;
	return 0;
}

/**
 * Finds the place of a class among those that are followed.
 * @param found  receives whether it is followed
 */
static size_t place_of(const struct watch_heap *heap, const struct pm_census_class *class,
                       bool *found)
{
	size_t low = 0, high = heap->followed_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_keys(&heap->followed[middle], class) < 0)
			low = middle + 1;
		else
			high = middle;
	}

	*found = low < heap->followed_count && compare_keys(&heap->followed[low], class) == 0;
	return low;
}

/** Starts to follow a class, with its number of chunks in the walk before. */
static int follow(struct watch_heap *heap, size_t place, const struct pm_cohort_class *class,
                  struct pm_error *error)
{
	struct followed *at = &heap->followed[place];

	memmove(at + 1, at, (heap->followed_count - place) * sizeof *at);
	*at = (struct followed){ .size = class->survivors->size, .type = class->survivors->type };
	heap->followed_count++;
	return pm_series_add(&at->series, heap->before, class->before, error);
}

/** Adds the number of chunks of each class that is followed, and follows new classes. */
static int follow_all(struct watch_heap *heap, struct pm_error *error)
{
	for (size_t i = 0; i < pm_cohorts_count(heap->cohorts); i++) {
		struct pm_cohort_class class;
		bool found;

		pm_cohorts_get(heap->cohorts, i, &class);
		size_t place = place_of(heap, class.survivors, &found);
		if (!class.in_use_known || (!found && (i >= WATCH_HEAP_CLASSES_MAX ||
		                                       heap->followed_count == FOLLOWED_MAX)))
			continue;
		if (!found && follow(heap, place, &class, error) < 0)
			return -1;
		if (pm_series_add(&heap->followed[place].series, heap->last, class.in_use, error) <
		    0)
			return -1;
	}

	return 0;
}

/** Checks whether a class grows, or may grow. */
static bool is_growing(const struct watch_heap_class *class)
{
	if (!class->net_known)
		return true;

	switch (class->trend.verdict) {
	case PM_VERDICT_TOO_EARLY:
		return class->net_count > 0;
	case PM_VERDICT_STEADY:
	case PM_VERDICT_STEPS:
	case PM_VERDICT_UNEVEN:
		return true;
	default:
		return false;
	}
}

static struct watch_heap_class judge(const struct watch_heap *heap,
                                     const struct pm_cohort_class *class)
{
	struct watch_heap_class judged = { .survivors = class->survivors };
	double seconds = pm_cohorts_seconds(heap->cohorts);
	bool found;
	size_t place = place_of(heap, class->survivors, &found);

	if (seconds > 0) {
		judged.rate = (double)class->survivors->count / seconds;
		judged.bytes_rate = (double)class->survivors->bytes / seconds;
	}

	/* After a walk that failed, the figures of the walk before it are shown. */
	if (found && (class->in_use_known || !pm_cohorts_present(heap->cohorts))) {
		const struct pm_series *series = &heap->followed[place].series;

		judged.net_known = true;
		judged.in_use = series->points[series->count - 1].value;
		judged.net_count = (int64_t)(judged.in_use - series->points[0].value);
		pm_trend_judge(series, PM_TREND_COUNT, &judged.trend);
	}

	judged.growing = is_growing(&judged);
	return judged;
}

static int compare_classes(const void *left, const void *right)
{
	const struct watch_heap_class *a = left, *b = right;

	if (a->growing != b->growing)
		return a->growing ? -1 : 1;
	if (a->survivors->bytes != b->survivors->bytes)
		return a->survivors->bytes > b->survivors->bytes ? -1 : 1;
	return (a->survivors->example > b->survivors->example) -
	       (a->survivors->example < b->survivors->example);
}

/** Judges the classes with the most bytes of survivors. */
static void judge_all(struct watch_heap *heap)
{
	heap->walks.classes = pm_cohorts_count(heap->cohorts);
	heap->class_count = pm_min_size(heap->walks.classes, WATCH_HEAP_CLASSES_MAX);
	for (size_t i = 0; i < heap->class_count; i++) {
		struct pm_cohort_class class;

		pm_cohorts_get(heap->cohorts, i, &class);
		heap->classes[i] = judge(heap, &class);
	}

	qsort(heap->classes, heap->class_count, sizeof *heap->classes, compare_classes);
}

/** Counts a walk that succeeded. */
static int count_walk(struct watch_heap *heap, double now, struct pm_error *error)
{
	struct watch_heap_walks *walks = &heap->walks;
	const struct pm_census_total total = pm_census_total(pm_cohorts_present(heap->cohorts));

	if (walks->count == 0) {
		heap->began = now;
		heap->first_bytes = total.bytes;
	}

	walks->count++;
	walks->gap = now - heap->began;
	walks->seconds = pm_cohorts_seconds(heap->cohorts);
	walks->chunks = total.count;
	walks->bytes = total.bytes;
	walks->net_bytes = (int64_t)(total.bytes - heap->first_bytes);

	heap->before = heap->last;
	heap->last = now;
	if (follow_all(heap, error) < 0)
		return -1;

	judge_all(heap);
	return 0;
}

int watch_heap_step(struct watch_heap *heap, const struct pm_sample *sample, struct pm_error *error)
{
	double cpu = clock_cpu_seconds();
	bool first = heap->walks.count == 0;
	int result;

	heap->walked = false;
	if (!is_due(heap, sample->time))
		return 0;

	/* The classes refer to what the walk replaces. */
	heap->class_count = 0;
	heap->walks.failure = NULL;
	result = walk(heap, &heap->failure);
	if (result == 0)
		result = count_walk(heap, sample->time, &heap->failure);

	cpu = clock_cpu_seconds() - cpu;
	heap->walks.cpu += cpu;
	if (heap->budget > 0)
		heap->walks.allowed = cpu / (heap->budget * budget_share);
	heap->walked = result == 0;
	if (result == 0)
		return 0;

	if (first) {
		*error = heap->failure;
		return -1;
	}

	heap->last = sample->time;
	if (heap->failure.kind != PM_ERROR_GONE)
		heap->walks.failure = heap->failure.text;
	judge_all(heap);
	return 0;
}

bool watch_heap_walked(const struct watch_heap *heap)
{
	return heap && heap->walked;
}

const struct pm_histogram *watch_heap_chunks(const struct watch_heap *heap)
{
	return &heap->chunks;
}

struct watch_heap_walks watch_heap_walks(const struct watch_heap *heap)
{
	return heap->walks;
}

const struct watch_heap_class *watch_heap_classes(const struct watch_heap *heap, size_t *count)
{
	*count = heap->class_count;
	return heap->classes;
}
