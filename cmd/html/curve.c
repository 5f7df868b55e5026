/* SPDX-License-Identifier: MIT */
#include "html/curve.h"

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
static void set_times(struct html_curve *curve, const double *times)
{
	double before = 0;

	for (size_t i = 0; i < curve->count; i++) {
		if (isfinite(times[i]) && times[i] > before)
			before = fmin(times[i], seconds_max);
		curve->times[i] = before;
	}
}

static void set_gap(struct html_curve *curve)
{
	size_t count = curve->count;

	curve->gap = seconds_max;
	if (count < 3)
		return;

	double *distances = alloc_array(NULL, count, sizeof *distances);
	for (size_t i = 1; i < count; i++)
		distances[i - 1] = curve->times[i] - curve->times[i - 1];
	qsort(distances, count - 1, sizeof *distances, compare);

	curve->gap = fmax(gap_medians * distances[(count - 1) / 2],
	                  curve->times[count - 1] / gap_parts);
	free(distances);
}

static void set_totals(struct html_curve *curve, const struct html_timeline *timeline)
{
	for (size_t i = 0; i < curve->count; i++) {
		curve->totals[i] = 0;
		for (size_t k = 0; k < timeline->kind_count; k++)
			curve->totals[i] += (double)timeline->kinds[k].values[i];
	}
}

/** Returns by how much a kind grew, in bytes. */
static double growth(const struct html_kind *kind, size_t count)
{
	return count > 0 ? (double)kind->values[count - 1] - (double)kind->values[0] : 0;
}

/** Sorts the kinds by growth. There are few of them. */
static void set_order(struct html_curve *curve, const struct html_timeline *timeline)
{
	for (size_t i = 0; i < timeline->kind_count; i++) {
		double own = growth(&timeline->kinds[i], curve->count);
		size_t at = i;

		while (at > 0) {
			size_t below = curve->order[at - 1];

			if (growth(&timeline->kinds[below], curve->count) <= own)
				break;
			curve->order[at--] = below;
		}
		curve->order[at] = i;
	}
}

void html_curve_init(struct html_curve *curve, const struct html_timeline *timeline)
{
	size_t count = timeline->count;

	*curve = (struct html_curve){ .count = count };
	curve->times = alloc_array(NULL, count + 1, sizeof *curve->times);
	curve->totals = alloc_array(NULL, count + 1, sizeof *curve->totals);
	curve->order = alloc_array(NULL, timeline->kind_count + 1, sizeof *curve->order);

	set_times(curve, timeline->times);
	set_gap(curve);
	set_totals(curve, timeline);
	set_order(curve, timeline);
}

void html_curve_deinit(struct html_curve *curve)
{
	free(curve->times);
	free(curve->totals);
	free(curve->order);
	*curve = (struct html_curve){ 0 };
}

bool html_curve_gap(const struct html_curve *curve, size_t index)
{
	return index > 0 && curve->times[index] - curve->times[index - 1] > curve->gap;
}

/** Checks whether a moment must be shown: it is the first or the last one, or beside a gap. */
static bool is_needed(const struct html_curve *curve, size_t index)
{
	if (index == 0 || index + 1 == curve->count)
		return true;
	return html_curve_gap(curve, index) || html_curve_gap(curve, index + 1);
}

size_t html_curve_choose(const struct html_curve *curve, size_t buckets, size_t *chosen)
{
	size_t count = curve->count, number = 0;
	bool all = count / 2 <= buckets;

	for (size_t bucket = 0, i = 0; bucket < buckets && i < count; bucket++) {
		size_t end = (bucket + 1) * count / buckets, low = i, high = i;

		for (size_t j = i; j < end; j++) {
			if (curve->totals[j] < curve->totals[low])
				low = j;
			if (curve->totals[j] > curve->totals[high])
				high = j;
		}
		for (; i < end; i++) {
			if (all || i == low || i == high || is_needed(curve, i))
				chosen[number++] = i;
		}
	}
	return number;
}
