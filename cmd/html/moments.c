/* SPDX-License-Identifier: MIT */
#include "html/moments.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

static uint64_t sum_of(const struct html_moment *moment)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PM_KIND_COUNT; i++)
		sum += moment->bytes[i];
	return sum;
}

/** Adds the smallest and the largest moment of a stretch in the order of time. */
static void keep(struct html_moments *moments, const struct html_moment *smallest,
                 const struct html_moment *largest)
{
	bool falls = largest->time < smallest->time;

	moments->items[moments->count++] = falls ? *largest : *smallest;
	moments->items[moments->count++] = falls ? *smallest : *largest;
}

/** Finds the smallest and the largest of several moments. */
static void find_extremes(const struct html_moment *items, size_t count,
                          const struct html_moment **smallest, const struct html_moment **largest)
{
	*smallest = *largest = &items[0];
	for (size_t i = 1; i < count; i++) {
		uint64_t sum = sum_of(&items[i]);

		if (sum < sum_of(*smallest))
			*smallest = &items[i];
		if (sum >= sum_of(*largest))
			*largest = &items[i];
	}
}

/** Halves the moments: of each four, the smallest and the largest stay. */
static void halve(struct html_moments *moments)
{
	size_t count = moments->count;

	moments->count = 0;
	for (size_t i = 0; i + 4 <= count; i += 4) {
		const struct html_moment *smallest, *largest;

		find_extremes(&moments->items[i], 4, &smallest, &largest);

		struct html_moment low = *smallest, high = *largest;
		keep(moments, &low, &high);
	}
	moments->stretch = moments->stretch > 0 ? moments->stretch * 2 : 4;
}

/** Adds a moment to the stretch that is not whole yet. */
static void add_pending(struct html_moments *moments, const struct html_moment *moment)
{
	uint64_t sum = sum_of(moment);

	if (moments->pending == 0 || sum < sum_of(&moments->smallest))
		moments->smallest = *moment;
	if (moments->pending == 0 || sum >= sum_of(&moments->largest))
		moments->largest = *moment;
	if (++moments->pending < moments->stretch)
		return;

	keep(moments, &moments->smallest, &moments->largest);
	moments->pending = 0;
}

void html_moments_add(struct html_moments *moments, const struct html_moment *moment, double wall)
{
	if (!moments->items)
		moments->items = alloc_array(NULL, HTML_MOMENTS_MAX, sizeof *moments->items);
	if (moments->samples++ == 0) {
		moments->first = *moment;
		moments->start = wall;
	}
	moments->last = *moment;
	moments->end = wall;

	/* A moment is added only if there is room, so exactly HTML_MOMENTS_MAX are all kept. */
	if (moments->pending == 0 && moments->count == HTML_MOMENTS_MAX)
		halve(moments);
	if (moments->stretch == 0)
		moments->items[moments->count++] = *moment;
	else
		add_pending(moments, moment);
}

void html_moments_add_regions(struct html_moments *moments, double time, double wall,
                              const struct pm_regions *regions)
{
	struct html_moment moment = { .time = time };

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		moment.bytes[region->kind] += region->bytes[PM_SIZE_RSS] +
		                              region->bytes[PM_SIZE_SWAP];
	}
	html_moments_add(moments, &moment, wall);
}

const char *html_moments_kind(unsigned kind)
{
	return kind == PM_KIND_UNKNOWN ? "other" : pm_kind_name((enum pm_kind)kind);
}

/** A timeline is being filled. */
struct filling {
	const struct html_moments *moments;
	struct html_moments_arrays *arrays;
	size_t count;
};

/** Adds a moment, unless one of its time is there. */
static void put(struct filling *filling, const struct html_moment *moment)
{
	struct html_moments_arrays *arrays = filling->arrays;
	double time = moment->time - filling->moments->first.time;

	if (filling->count > 0 && time <= arrays->times[filling->count - 1])
		return;
	arrays->times[filling->count] = time;
	for (unsigned i = 0; i < PM_KIND_COUNT; i++)
		arrays->values[i][filling->count] = moment->bytes[i];
	filling->count++;
}

/** Adds the extremes of the stretch that is not whole yet, in the order of time. */
static void put_pending(struct filling *filling)
{
	const struct html_moments *moments = filling->moments;
	bool falls = moments->largest.time < moments->smallest.time;

	if (moments->pending == 0)
		return;
	put(filling, falls ? &moments->largest : &moments->smallest);
	put(filling, falls ? &moments->smallest : &moments->largest);
}

static bool had_memory(const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] > 0)
			return true;
	return false;
}

void html_moments_fill(const struct html_moments *moments, struct html_moments_arrays *arrays,
                       struct html_timeline *timeline)
{
	struct filling filling = { moments, arrays, 0 };
	size_t room = moments->count + 5, kinds = 0;

	*arrays = (struct html_moments_arrays){ 0 };
	if (moments->samples == 0)
		return;

	arrays->times = alloc_array(NULL, room, sizeof *arrays->times);
	for (unsigned i = 0; i < PM_KIND_COUNT; i++)
		arrays->values[i] = alloc_array(NULL, room, sizeof *arrays->values[i]);
	put(&filling, &moments->first);
	for (size_t i = 0; i < moments->count; i++)
		put(&filling, &moments->items[i]);
	put_pending(&filling);
	put(&filling, &moments->last);

	for (unsigned i = 0; i < PM_KIND_COUNT; i++)
		if (had_memory(arrays->values[i], filling.count))
			arrays->kinds[kinds++] = (struct html_kind){ .name = html_moments_kind(i),
				                                     .colour = i,
				                                     .values = arrays->values[i] };

	timeline->times = arrays->times;
	timeline->count = filling.count;
	timeline->samples = moments->samples;
	timeline->start = moments->start;
	timeline->kinds = arrays->kinds;
	timeline->kind_count = kinds;
}

void html_moments_release(struct html_moments_arrays *arrays)
{
	free(arrays->times);
	for (unsigned i = 0; i < PM_KIND_COUNT; i++)
		free(arrays->values[i]);
	*arrays = (struct html_moments_arrays){ 0 };
}

void html_moments_deinit(struct html_moments *moments)
{
	free(moments->items);
	*moments = (struct html_moments){ 0 };
}
