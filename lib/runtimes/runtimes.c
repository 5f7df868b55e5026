/* SPDX-License-Identifier: MIT */
/*
 * Runs all readers, then sorts the ranges that they added. Where ranges overlap, the one that was
 * added first is kept: a reader adds what it knows best first.
 */
#include <procmem/runtimes.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "base/search.h"
#include "runtimes/context.h"
#include "runtimes/readers.h"

/* Allocators come last: memory of a runtime can be inside a block of an allocator. */
static pm_runtime_reader *const readers[] = {
	pm_runtime_read_hotspot,    pm_runtime_read_python, pm_runtime_read_v8,
	pm_runtime_read_chromium,   pm_runtime_read_go,     pm_runtime_read_others,
	pm_runtime_read_allocators,
};

/** A range, and when it was added. */
struct ordered {
	struct pm_owner_range range;
	size_t place;
};

static int by_start(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;

	if (a->range.range.start != b->range.range.start)
		return a->range.range.start > b->range.range.start ? 1 : -1;
	return (a->place > b->place) - (a->place < b->place);
}

/** Copies the ranges, sorted by address. Returns NULL if memory is exhausted. */
static struct ordered *sorted(const struct pm_runtimes *runtimes)
{
	struct ordered *items = malloc((runtimes->range_count + 1) * sizeof *items);

	for (size_t i = 0; items && i < runtimes->range_count; i++)
		items[i] = (struct ordered){ runtimes->ranges[i], i };
	if (items && runtimes->range_count > 0)
		qsort(items, runtimes->range_count, sizeof *items, by_start);

	return items;
}

/** The ranges that contain the current address, as a heap (by place) of indices. */
struct active {
	size_t *items;
	size_t count;
};

static void active_add(struct active *active, const struct ordered *ranges, size_t index)
{
	size_t at = active->count++;

	while (at > 0 && ranges[active->items[(at - 1) / 2]].place > ranges[index].place) {
		active->items[at] = active->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	active->items[at] = index;
}

static void active_remove_first(struct active *active, const struct ordered *ranges)
{
	size_t last = active->items[--active->count], at = 0;

	for (;;) {
		size_t child = 2 * at + 1;
		if (child >= active->count)
			break;
		if (child + 1 < active->count &&
		    ranges[active->items[child + 1]].place < ranges[active->items[child]].place)
			child++;
		if (ranges[active->items[child]].place > ranges[last].place)
			break;
		active->items[at] = active->items[child];
		at = child;
	}
	active->items[at] = last;
}

/** Appends a part of a range, or extends the last part. */
static int append(struct pm_runtimes_context *context, const struct pm_owner_range *from,
                  uint64_t start, uint64_t end, struct pm_error *error)
{
	struct pm_runtimes *result = context->result;
	struct pm_owner_range *last = NULL;

	if (end <= start)
		return 0;
	if (result->range_count > 0)
		last = &result->ranges[result->range_count - 1];
	if (last && last->range.end == start && last->owner == from->owner &&
	    last->proof == from->proof) {
		last->range.end = end;
		return 0;
	}

	if (pm_array_reserve(&result->ranges, &context->range_capacity, result->range_count, 1,
	                     sizeof *result->ranges, error) < 0)
		return -1;

	last = &result->ranges[result->range_count++];
	*last = *from;
	last->range = (struct pm_range){ start, end };
	return 0;
}

/**
 * Replaces the ranges by ranges without overlaps.
 *
 * @param ranges  the ranges by ascending start
 * @param count   number of ranges
 * @param active  room for `count` indices
 */
static int resolve(struct pm_runtimes_context *context, const struct ordered *ranges, size_t count,
                   struct active *active, struct pm_error *error)
{
	uint64_t at = 0;
	size_t next = 0;

	context->result->range_count = 0;
	while (next < count || active->count > 0) {
		if (active->count == 0)
			at = pm_max(at, ranges[next].range.range.start);
		while (next < count && ranges[next].range.range.start <= at)
			active_add(active, ranges, next++);

		const struct pm_owner_range *first = &ranges[active->items[0]].range;
		if (first->range.end <= at) {
			active_remove_first(active, ranges);
			continue;
		}

		uint64_t end = first->range.end;
		if (next < count)
			end = pm_min(end, ranges[next].range.range.start);
		if (append(context, first, at, end, error) < 0)
			return -1;
		at = end;
	}

	return 0;
}

static int sort_ranges(struct pm_runtimes_context *context, struct pm_error *error)
{
	size_t count = context->result->range_count;
	struct ordered *ranges = sorted(context->result);
	struct active active = { .items = malloc((count + 1) * sizeof *active.items) };
	int result;

	if (ranges && active.items)
		result = resolve(context, ranges, count, &active, error);
	else
		result = pm_error_out_of_memory(error);

	free(ranges);
	free(active.items);
	return result;
}

static int run(struct pm_runtimes_context *context, struct pm_error *error)
{
	const volatile sig_atomic_t *cancel = context->source->cancel;

	for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
		if (readers[i](context, error) < 0)
			return -1;
		if (context->failure.kind != PM_ERROR_NONE) {
			if (error)
				*error = context->failure;
			return -1;
		}
		if (cancel && *cancel)
			return pm_error_set(error, PM_ERROR_CANCELLED, 0, "interrupted");
	}

	return sort_ranges(context, error);
}

int pm_runtimes_open(const struct pm_runtimes_source *source, struct pm_runtimes **runtimes,
                     struct pm_error *error)
{
	const uint64_t began = pm_clock_ns(CLOCK_MONOTONIC);
	struct pm_runtimes_context context;

	if (pm_runtime_context_open(source, &context, error) < 0)
		return -1;

	int result = run(&context, error);
	if (result == 0) {
		context.result->microseconds = (pm_clock_ns(CLOCK_MONOTONIC) - began) / 1000;
		*runtimes = context.result;
		context.result = NULL;
	}

	pm_runtime_context_close(&context);
	return result;
}

void pm_runtimes_close(struct pm_runtimes *runtimes)
{
	if (!runtimes)
		return;

	for (size_t i = 0; i < runtimes->thread_count; i++)
		free((char *)runtimes->threads[i].name);
	free(runtimes->threads);
	free(runtimes->items);
	free(runtimes->ranges);
	free(runtimes);
}

size_t pm_runtimes_range_index(const struct pm_runtimes *runtimes, uint64_t address)
{
	size_t low = 0, high = runtimes->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (runtimes->ranges[middle].range.end <= address)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

const char *pm_runtime_limit_name(enum pm_runtime_limit_kind kind)
{
	static const char *const names[PM_RUNTIME_LIMIT_COUNT] = {
		[PM_RUNTIME_LIMIT_JAVA_HEAP] = "java_heap",
		[PM_RUNTIME_LIMIT_JAVA_METASPACE] = "java_metaspace",
		[PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE] = "java_class_space",
		[PM_RUNTIME_LIMIT_JAVA_CODE] = "java_code",
		[PM_RUNTIME_LIMIT_JAVA_DIRECT] = "java_direct",
		[PM_RUNTIME_LIMIT_V8_OLD_SPACE] = "v8_old_space",
		[PM_RUNTIME_LIMIT_GO_MEMORY] = "go_memory",
	};

	return (unsigned)kind < PM_RUNTIME_LIMIT_COUNT ? names[kind] : "";
}
