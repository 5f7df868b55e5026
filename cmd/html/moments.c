/* SPDX-License-Identifier: MIT */
#include "html/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"

/* A distance of this many medians is a gap, if it is at least this part of the whole time. */
static const double gap_medians = 10, gap_parts = 50;

/* The longest time that is drawn, in seconds: 1000 years. */
static const double seconds_max = 1000 * 366 * 86400.0;

static int compare(const void *a, const void *b)
{
	const double *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/** Copies the times. A time that is not a number, or less than the one before, becomes that one. */
static void set_times(struct html_moments *moments, const double *times)
{
	double before = 0;

	for (size_t i = 0; i < moments->count; i++) {
		if (isfinite(times[i]) && times[i] > before)
			before = fmin(times[i], seconds_max);
		moments->times[i] = before;
	}
}

static void set_gap(struct html_moments *moments)
{
	size_t count = moments->count;

	moments->gap = seconds_max;
	if (count < 3)
		return;

	double *distances = alloc_array(NULL, count, sizeof *distances);
	for (size_t i = 1; i < count; i++)
		distances[i - 1] = moments->times[i] - moments->times[i - 1];
	qsort(distances, count - 1, sizeof *distances, compare);

	moments->gap = fmax(gap_medians * distances[(count - 1) / 2],
	                    moments->times[count - 1] / gap_parts);
	free(distances);
}

static void set_totals(struct html_moments *moments, const struct html_timeline *timeline)
{
	for (size_t i = 0; i < moments->count; i++) {
		moments->totals[i] = 0;
		for (size_t k = 0; k < timeline->kind_count; k++)
			moments->totals[i] += (double)timeline->kinds[k].values[i];
	}
}

/** Returns by how much a kind grew, in bytes. */
static double growth(const struct html_kind *kind, size_t count)
{
	return count > 0 ? (double)kind->values[count - 1] - (double)kind->values[0] : 0;
}

/** Sorts the kinds by growth. There are few of them. */
static void set_order(struct html_moments *moments, const struct html_timeline *timeline)
{
	for (size_t i = 0; i < timeline->kind_count; i++) {
		double own = growth(&timeline->kinds[i], moments->count);
		size_t at = i;

		while (at > 0) {
			size_t below = moments->order[at - 1];

			if (growth(&timeline->kinds[below], moments->count) <= own)
				break;
			moments->order[at--] = below;
		}
		moments->order[at] = i;
	}
}

void html_moments_init(struct html_moments *moments, const struct html_timeline *timeline)
{
	size_t count = timeline->count;

	*moments = (struct html_moments){ .count = count };
	moments->times = alloc_array(NULL, count + 1, sizeof *moments->times);
	moments->totals = alloc_array(NULL, count + 1, sizeof *moments->totals);
	moments->order = alloc_array(NULL, timeline->kind_count + 1, sizeof *moments->order);

	set_times(moments, timeline->times);
	set_gap(moments);
	set_totals(moments, timeline);
	set_order(moments, timeline);
}

void html_moments_deinit(struct html_moments *moments)
{
	free(moments->times);
	free(moments->totals);
	free(moments->order);
	*moments = (struct html_moments){ 0 };
}

bool html_moments_gap(const struct html_moments *moments, size_t index)
{
	return index > 0 && moments->times[index] - moments->times[index - 1] > moments->gap;
}

/** Checks whether a moment must be shown: it is the first or the last one, or beside a gap. */
static bool is_needed(const struct html_moments *moments, size_t index)
{
	if (index == 0 || index + 1 == moments->count)
		return true;
	return html_moments_gap(moments, index) || html_moments_gap(moments, index + 1);
}

size_t html_moments_choose(const struct html_moments *moments, size_t buckets, size_t *chosen)
{
	size_t count = moments->count, number = 0;
	bool all = count / 2 <= buckets;

	for (size_t bucket = 0, i = 0; bucket < buckets && i < count; bucket++) {
		size_t end = (bucket + 1) * count / buckets, low = i, high = i;

		for (size_t j = i; j < end; j++) {
			if (moments->totals[j] < moments->totals[low])
				low = j;
			if (moments->totals[j] > moments->totals[high])
				high = j;
		}
		for (; i < end; i++) {
			if (all || i == low || i == high || is_needed(moments, i))
				chosen[number++] = i;
		}
	}
	return number;
}
