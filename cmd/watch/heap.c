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
#include <procmem/minmax.h>

#include "base/alloc.h"
#include "watch/heap_walk.h"

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

/* Maximum time in seconds for which the first walk delays the live screen. Most walks are shorter:
 * then an error is reported before there is a screen. */
static const double first_wait = 0.5;

/** A class whose number of chunks is followed over time. */
struct followed {
	uint64_t size;
	const struct pm_chunk_type *type;
	struct pm_series series; /* of the number of chunks in use */
};

struct watch_heap {
	double budget;
	double within; /* as in the options */
	struct watch_heap_walk walk;

	bool walked;   /* after the last sample */
	double began;  /* pm_sample.time of the first walk */
	double last;   /* of the last walk */
	double before; /* of the walk before it */
	uint64_t first_bytes;
	struct watch_heap_walks walks;
	struct pm_error failure;

	struct followed followed[FOLLOWED_MAX]; /* by size and type */
	size_t followed_count;
	struct watch_heap_class classes[WATCH_HEAP_CLASSES_MAX];
	struct pm_census_class survivors[WATCH_HEAP_CLASSES_MAX]; /* of `classes`, copied */
	size_t class_count;
};

void watch_heap_open(struct pm_process *process, const struct watch_heap_options *options,
                     struct watch_heap **heap)
{
	struct watch_heap *opened = alloc_array(NULL, 1, sizeof *opened);

	*opened = (struct watch_heap){ .budget = options->budget, .within = options->within };
	watch_heap_walk_init(&opened->walk, process, options->word, options->background);
	opened->walk.keep = options->keep;
	*heap = opened;
}

void watch_heap_close(struct watch_heap *heap)
{
	if (!heap)
		return;

	for (size_t i = 0; i < heap->followed_count; i++)
		pm_series_deinit(&heap->followed[i].series);

	watch_heap_walk_deinit(&heap->walk);
	free(heap);
}

/** Checks whether a walk is due at a time. */
static bool is_due(const struct watch_heap *heap, double now)
{
	double gap = gap_share * (now - heap->began), allowed = heap->walks.allowed;

	if (heap->walks.count == 0)
		return true;
	if (gap > gap_max)
		gap = gap_max;
	/* The first walks are at the start, and after a quarter and a half of the time. */
	if (heap->within > 0 && heap->walks.count < WATCH_HEAP_WALKS_MIN &&
	    allowed > heap->within / 4)
		allowed = heap->within / 4;

	return now - heap->last >= gap && now - heap->last >= allowed;
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
	for (size_t i = 0; i < pm_cohorts_count(heap->walk.cohorts); i++) {
		struct pm_cohort_class class;
		bool found;

		pm_cohorts_get(heap->walk.cohorts, i, &class);
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
	double seconds = pm_cohorts_seconds(heap->walk.cohorts);
	bool found;
	size_t place = place_of(heap, class->survivors, &found);

	if (seconds > 0) {
		judged.rate = (double)class->survivors->count / seconds;
		judged.bytes_rate = (double)class->survivors->bytes / seconds;
	}

	/* After a walk that failed, the figures of the walk before it are shown. */
	if (found && (class->in_use_known || !pm_cohorts_present(heap->walk.cohorts))) {
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

/**
 * Judges the classes with the most bytes of survivors. Their counts are copied, because the next
 * walk changes them while the classes are shown.
 */
static void judge_all(struct watch_heap *heap)
{
	heap->walks.classes = pm_cohorts_count(heap->walk.cohorts);
	heap->class_count = pm_min_size(heap->walks.classes, WATCH_HEAP_CLASSES_MAX);
	for (size_t i = 0; i < heap->class_count; i++) {
		struct pm_cohort_class class;

		pm_cohorts_get(heap->walk.cohorts, i, &class);
		heap->classes[i] = judge(heap, &class);
		heap->survivors[i] = *class.survivors;
		heap->classes[i].survivors = &heap->survivors[i];
	}

	qsort(heap->classes, heap->class_count, sizeof *heap->classes, compare_classes);
}

/** Counts a walk that succeeded. */
static int count_walk(struct watch_heap *heap, double now, struct pm_error *error)
{
	struct watch_heap_walks *walks = &heap->walks;
	const struct pm_census_total total = pm_census_total(
		pm_cohorts_present(heap->walk.cohorts));

	if (walks->count == 0) {
		heap->began = now;
		heap->first_bytes = total.bytes;
	}

	walks->count++;
	walks->gap = now - heap->began;
	walks->seconds = pm_cohorts_seconds(heap->walk.cohorts);
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

/** Counts a walk that failed. */
static int count_failure(struct watch_heap *heap, double now, struct pm_error *error)
{
	/* A process that ended during the walk: the next sample finds out why. */
	if (heap->walk.background && heap->failure.kind == PM_ERROR_GONE)
		return 0;

	if (heap->walks.count == 0) {
		*error = heap->failure;
		return -1;
	}

	heap->last = now;
	if (heap->failure.kind != PM_ERROR_GONE && heap->failure.kind != PM_ERROR_CANCELLED)
		heap->walks.failure = heap->failure.text;

	/* The time of the failed walk is part of the rates (pm_cohorts_walk). */
	heap->walks.seconds = pm_cohorts_seconds(heap->walk.cohorts);
	judge_all(heap);
	return 0;
}

/** Counts a walk that has ended. */
static int finish(struct watch_heap *heap, double now, struct pm_error *error)
{
	struct watch_heap_walk *walk = &heap->walk;
	int result = walk->result;

	heap->failure = walk->error;
	heap->walks.failure = NULL;
	heap->walks.running = false;
	heap->walks.cpu += walk->cpu;
	if (heap->budget > 0)
		heap->walks.allowed = walk->cpu / (heap->budget * budget_share);
	if (result < 0)
		return count_failure(heap, now, error);

	heap->walks.incomplete += !walk->complete;
	if (count_walk(heap, now, error) < 0)
		return -1;

	heap->walked = true;
	return 0;
}

int watch_heap_step(struct watch_heap *heap, const struct pm_sample *sample, struct pm_error *error)
{
	double wait = heap->walks.count == 0 && !heap->walk.runs ? first_wait : 0;

	heap->walked = false;
	if (!heap->walk.runs) {
		if (!is_due(heap, sample->time))
			return 0;
		watch_heap_walk_start(&heap->walk);
		heap->walks.running = true;
	}

	if (!watch_heap_walk_await(&heap->walk, wait))
		return 0;
	return finish(heap, sample->time, error);
}

void watch_heap_cancel(struct watch_heap *heap)
{
	if (heap)
		watch_heap_walk_cancel(&heap->walk);
}

bool watch_heap_walked(const struct watch_heap *heap)
{
	return heap && heap->walked;
}

const struct pm_histogram *watch_heap_chunks(const struct watch_heap *heap)
{
	return &heap->walk.chunks;
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
