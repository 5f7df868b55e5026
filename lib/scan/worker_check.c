/* SPDX-License-Identifier: MIT */
/* Looking at hits again: most stand alone, so many pieces of the target are read by one call; a
 * call for each would cost as much as the search. */
#include "scan/worker_check.h"

#include <string.h>

#include "base/minmax.h"
#include "scan/worker.h"

enum {
	CHECK_APART =
		1024, /* bytes between hits that are read too rather than begin another range */
	RANGES_MAX = 256,
};

/** Hits that are looked at together: what to read into worker->check. */
struct look {
	struct pm_range ranges[RANGES_MAX];
	size_t count;
	size_t size; /* of all together */
};

/**
 * Where a hit stands, as far as it can be read: at its end may be memory that was never touched.
 */
static struct pm_range range_of(const struct pm_worker *worker, const struct pm_window *window,
                                const struct pm_found *found)
{
	struct pm_range range = { .start = window->address + found->start };
	range.end = pm_min(range.start + pm_min(found->size, PM_CHECK_ROOM),
	                   pm_max(worker->limit, range.start));
	return range;
}

/**
 * Adds a hit that stands behind the begin of all others.
 * @return whether there is room for it
 */
static bool add(struct look *look, const struct pm_range *range)
{
	struct pm_range *last = look->count > 0 ? &look->ranges[look->count - 1] : NULL;
	bool joins = last && range->start <= last->end + CHECK_APART;
	uint64_t known = joins ? last->end : range->start;
	uint64_t more = pm_max(range->end, known) - known;

	if (look->size + more > PM_CHECK_ROOM || (!joins && look->count == RANGES_MAX))
		return false;

	if (joins)
		last->end += more;
	else
		look->ranges[look->count++] = *range;

	look->size += (size_t)more;
	return true;
}

/**
 * Compares a hit with the bytes that are there now.
 * @param good how many of them could be read
 */
static bool differs(const struct pm_window *window, const struct pm_found *found,
                    struct pm_range range, const uint8_t *now, size_t good)
{
	size_t size = (size_t)pm_range_size(range);
	return good < size || memcmp(now, window->bytes + found->start, size) != 0;
}

/**
 * Looks at one hit by itself.
 * @return 0 or -1
 */
static int check_alone(struct pm_worker *worker, const struct pm_window *window,
                       struct pm_found *found, struct pm_error *error)
{
	const struct pm_range range = range_of(worker, window, found);
	size_t good;
	if (pm_gather_more(&worker->scan->source, worker->job, range.start, worker->check,
	                   (size_t)pm_range_size(range), &good, error) < 0)
		return -1;

	found->changed = differs(window, found, range, worker->check, good);
	return 0;
}

/**
 * Looks at some hits.
 * @return how many, 0: an error
 */
static size_t check_some(struct pm_worker *worker, const struct pm_window *window,
                         struct pm_found *items, size_t count, struct pm_error *error)
{
	struct pm_reader *target = worker->scan->source.target;
	struct look look = { .count = 0 };
	struct pm_range range;
	size_t some = 0, done = 0, at = 0, begin = 0;

	while (some < count && (range = range_of(worker, window, &items[some]), add(&look, &range)))
		some++;

	if (target->ops->read(target->context, look.ranges, look.count, worker->check, &done,
	                      error) < 0)
		return 0;

	for (size_t i = 0; i < some; i++) {
		range = range_of(worker, window, &items[i]);
		while (range.start >= look.ranges[at].end && at + 1 < look.count)
			begin += (size_t)pm_range_size(look.ranges[at++]);

		size_t offset = begin + (size_t)(range.start - look.ranges[at].start);
		size_t size = (size_t)pm_range_size(range);
		if (offset + size <= done)
			items[i].changed = differs(window, &items[i], range, worker->check + offset,
			                           size);
		/* Behind a byte that could not be read, nothing of the look is there. */
		else if (check_alone(worker, window, &items[i], error) < 0)
			return 0;
	}

	return some;
}

int pm_worker_check(struct pm_worker *worker, const struct pm_window *window, struct pm_hits *hits,
                    struct pm_error *error)
{
	for (size_t i = 0; i < hits->count;) {
		size_t some = check_some(worker, window, hits->items + i, hits->count - i, error);
		if (some == 0)
			return -1;
		i += some;
	}
	return 0;
}
