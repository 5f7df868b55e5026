/* SPDX-License-Identifier: MIT */
#include "view/spark.h"

enum { LEVELS = 8 };

/* Changes below this mean nothing, as in verdicts: a page that comes and goes shall not look like a
 * cliff. */
static const double min_span = 32 * 1024;

static const char *const blocks[LEVELS] = {
	"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	"\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88",
};
static const char *const plain[LEVELS] = { "_", ".", "-", ":", "=", "+", "*", "#" };

void spark_add(struct text *text, const struct pm_series *series, double from, double to,
               size_t width, bool ascii)
{
	double lowest = 0, highest = 0;
	size_t seen = 0;

	if (series->count == 0)
		return;

	if (width > series->samples)
		width = (size_t)series->samples;
	for (size_t i = 1; i <= width; i++) {
		double time = from + (to - from) * (double)i / (double)width,
		       value = pm_series_at(series, time);
		if (time < series->points[0].time)
			continue;
		lowest = seen == 0 || value < lowest ? value : lowest;
		highest = seen == 0 || value > highest ? value : highest;
		seen++;
	}

	double span = highest - lowest > min_span ? highest - lowest : min_span;
	for (size_t i = 1; i <= width; i++) {
		double time = from + (to - from) * (double)i / (double)width;
		if (time < series->points[0].time) {
			text_char(text, ' ');
			continue;
		}
		size_t below = (size_t)((highest - pm_series_at(series, time)) / span *
		                                (LEVELS - 1) +
		                        0.5);
		/* Nothing is not as much as it can be. */
		size_t level = highest > 0 && below < LEVELS ? LEVELS - 1 - below : 0;
		text_string(text, ascii ? plain[level] : blocks[level]);
	}
}
