/* SPDX-License-Identifier: MIT */
#include "view/spark.h"

#include "base/minmax.h"

enum { LEVELS = 8 };

/* Minimum range of values, in bytes, that fills the full height. As in verdicts, smaller changes
 * are ignored, so that a few pages more or less do not look like a large change. */
static const double min_span = 32 * 1024;

static const char *const blocks[LEVELS] = {
	"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};
static const char *const plain[LEVELS] = { "_", ".", "-", ":", "=", "+", "*", "#" };

/** The lowest and the highest value that are shown. */
struct bounds {
	double lowest, highest;
};

/** Returns the time at the right edge of character `index`; the first character is 1. */
static double time_at(double from, double to, size_t index, size_t width)
{
	return from + (to - from) * (double)index / (double)width;
}

static struct bounds find_bounds(const struct pm_series *series, double from, double to,
                                 size_t width)
{
	struct bounds bounds = { 0, 0 };
	size_t seen = 0;

	for (size_t i = 1; i <= width; i++) {
		double time = time_at(from, to, i, width);
		double value = pm_series_at(series, time);

		if (time < series->points[0].time)
			continue;
		if (seen == 0 || value < bounds.lowest)
			bounds.lowest = value;
		if (seen == 0 || value > bounds.highest)
			bounds.highest = value;
		seen++;
	}

	return bounds;
}

void spark_add(struct text *text, const struct pm_series *series, double from, double to,
               size_t width, bool ascii)
{
	if (series->count == 0)
		return;

	width = pm_min_size(width, (size_t)series->samples);

	struct bounds bounds = find_bounds(series, from, to, width);
	double span = bounds.highest - bounds.lowest;

	if (span < min_span)
		span = min_span;

	for (size_t i = 1; i <= width; i++) {
		double time = time_at(from, to, i, width);

		if (time < series->points[0].time) {
			text_char(text, ' ');
			continue;
		}

		double depth = (bounds.highest - pm_series_at(series, time)) / span;
		size_t below = (size_t)(depth * (LEVELS - 1) + 0.5);
		size_t level = 0;

		/* If all values are 0, draw the curve at the bottom, although 0 is also the
		 * highest value. */
		if (bounds.highest > 0 && below < LEVELS)
			level = LEVELS - 1 - below;
		text_string(text, ascii ? plain[level] : blocks[level]);
	}
}
