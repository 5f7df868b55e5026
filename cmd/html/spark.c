/* SPDX-License-Identifier: MIT */
#include "html/spark.h"

#include <math.h>

#include "base/minmax.h"

/* The coordinates, which are stretched to the size of the cell, and the room above the highest
 * value and below 0 for the width of the line. */
enum { WIDE = 200, HIGH = 48, ROOM = 3 };

/* The values are divided into this number of parts; two of each are drawn. */
enum { BUCKETS = 30 };

/** A curve that is being drawn. `value` returns the value of a point. */
struct curve {
	const double *times;    /* of `values` */
	const uint64_t *values; /* or: */
	const struct pm_point *points;
	size_t count;
	double from, seconds;
	double max;
	struct text *text;
};

static double value_at(const struct curve *curve, size_t i)
{
	return (double)(curve->values ? curve->values[i] : curve->points[i].value);
}

static double time_at(const struct curve *curve, size_t i)
{
	return curve->times ? curve->times[i] : curve->points[i].time;
}

/** Adds a point. Times outside of the curve, and those that are not numbers, are at its ends. */
static void put_point(const struct curve *curve, double time, double value)
{
	double x = curve->seconds > 0 ? (time - curve->from) / curve->seconds * WIDE : 0;

	text_format(curve->text, "%.0f,%.0f ", fmax(0, fmin(WIDE, x)),
	            HIGH - ROOM - value / curve->max * (HIGH - 2 * ROOM));
}

/** Adds the points with the lowest and the highest value of each part, and the first point. */
static void put_points(const struct curve *curve)
{
	for (size_t bucket = 0, i = 0; bucket < BUCKETS && i < curve->count; bucket++) {
		size_t end = (bucket + 1) * curve->count / BUCKETS, low = i, high = i;

		for (size_t j = i; j < end; j++) {
			if (value_at(curve, j) < value_at(curve, low))
				low = j;
			if (value_at(curve, j) > value_at(curve, high))
				high = j;
		}
		for (; i < end; i++) {
			if (i == 0 || i == low || i == high)
				put_point(curve, time_at(curve, i), value_at(curve, i));
		}
	}
}

static void put_curve(struct curve *curve)
{
	double last = 0;

	curve->max = 1;
	for (size_t i = 0; i < curve->count; i++) {
		last = value_at(curve, i);
		curve->max = fmax(curve->max, last);
	}

	text_format(curve->text,
	            "<svg class=\"sp\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
	            "aria-hidden=\"true\"><polyline points=\"",
	            WIDE, HIGH);
	put_points(curve);
	/* A single value is a line, and the last value holds until the end. */
	put_point(curve, curve->from + curve->seconds, last);
	if (curve->seconds <= 0)
		text_format(curve->text, "%d,%.0f ", WIDE,
		            HIGH - ROOM - last / curve->max * (HIGH - 2 * ROOM));
	curve->text->length--;
	text_string(curve->text, "\"/></svg>");
}

void html_spark_put_values(struct text *text, const double *times, const uint64_t *values,
                           size_t count)
{
	struct curve curve = { .times = times, .values = values, .count = count, .text = text };

	if (count == 0)
		return;
	curve.from = times[0];
	curve.seconds = times[count - 1] - times[0];
	put_curve(&curve);
}

void html_spark_put(struct html_document *document, const struct pm_series *series, double from,
                    double to)
{
	/* The line of a constant is in the middle, because its value is not known here. */
	static const struct pm_point middle[] = { { 0, 1 } };
	struct text text = { 0 };
	struct curve curve = { .from = from, .seconds = to - from, .text = &text };

	if (!isfinite(curve.seconds) || curve.seconds < 0)
		curve.seconds = 0;
	curve.points = series && series->count > 0 ? series->points : middle;
	curve.count = series && series->count > 0 ? series->count : 1;
	put_curve(&curve);

	html_document_markup(document, &text);
	text_deinit(&text);
}

void html_spark_put_bar(struct html_document *document, int64_t change, uint64_t max)
{
	/* INT64_MIN has no positive counterpart. */
	uint64_t size = change < 0 ? -(uint64_t)change : (uint64_t)change;
	double length = max > 0 ? fmin(100, (double)size / (double)max * 100) : 0;
	struct text text = { 0 };

	text_string(&text, "<svg class=\"cb\" viewBox=\"-100 0 200 12\" "
	                   "preserveAspectRatio=\"none\" aria-hidden=\"true\">");
	if (change > 0)
		text_format(&text,
		            "<rect class=\"fup\" x=\"0\" y=\"1\" width=\"%.2f\" height=\"10\"/>",
		            length);
	if (change < 0)
		text_format(&text,
		            "<rect class=\"fdn\" x=\"%.2f\" y=\"1\" width=\"%.2f\" height=\"10\"/>",
		            -length, length);
	text_string(&text, "<path class=\"axis\" d=\"M0 0V12\"/></svg>");

	html_document_markup(document, &text);
	text_deinit(&text);
}
