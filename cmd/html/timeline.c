/* SPDX-License-Identifier: MIT */
/*
 * The drawing is one <svg> that contains another one. The inner one is stretched to the width of
 * the page and has the areas, in parts of its width and height (WIDE, HIGH). The outer one has the
 * text, at positions in percent, so that letters keep their size on narrow screens.
 *
 * Each area reaches from its upper edge down to 0, and those below are drawn over it. So only upper
 * edges are stored. The script zooms by the `viewBox` of the inner <svg>, and finds the domain of
 * the axes in attributes of the outer one.
 */
#include "html/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/region.h>

#include "base/alloc.h"
#include "base/convert.h"
#include "base/delta.h"
#include "html/axis.h"
#include "html/cells.h"
#include "html/curve.h"
#include "html/spark.h"

_Static_assert((int)HTML_COLOURS == (int)PM_KIND_COUNT, "report.css has a colour for each kind");

/* The coordinates of the inner <svg>. */
enum { WIDE = 1000, HIGH = 2000 };

/* Parts of the time for which two moments are drawn: 500 columns. */
enum { BUCKETS = 250 };

/* Width of the area of a moment between two gaps. */
enum { ALONE = 4 };

/* A limit is drawn if it is at most this multiple of the highest total. */
static const double limit_highest = 5;

/* The axis is extended up to the moment at which the limit is reached, if that doubles it at most;
 * otherwise by this part of the observed time. */
static const double extension = 0.5;

/** What is being drawn. */
struct chart {
	const struct html_timeline *timeline;
	struct html_curve curve;
	size_t *chosen; /* indexes of the moments that are drawn */
	size_t chosen_count;
	double *edge;       /* upper edge of the area that is drawn, at each chosen moment, bytes */
	double observed;    /* seconds from the first to the last moment */
	double seconds;     /* length of the time axis */
	double max;         /* bytes at the upper end of the size axis */
	bool limit_is_seen; /* the limit is in the drawing */
	struct text *text;
};

static double horizontal(const struct chart *chart, double seconds)
{
	return seconds / chart->seconds * WIDE;
}

static double vertical(const struct chart *chart, double bytes)
{
	return HIGH - bytes / chart->max * HIGH;
}

/** Returns the last total. */
static double total_now(const struct chart *chart)
{
	return chart->curve.totals[chart->curve.count - 1];
}

static bool is_predicted(const struct html_limit *limit)
{
	return limit->known && limit->time_known && isfinite(limit->seconds_max) &&
	       limit->seconds_min >= 0 && limit->seconds_max >= limit->seconds_min &&
	       limit->seconds_max > 0;
}

/** Sets the lengths of both axes. */
static void set_axes(struct chart *chart)
{
	const struct html_limit *limit = &chart->timeline->limit;
	double highest = 0;

	for (size_t i = 0; i < chart->curve.count; i++)
		highest = fmax(highest, chart->curve.totals[i]);

	chart->limit_is_seen = limit->known && (double)limit->level <= highest * limit_highest;
	chart->max = highest;
	if (chart->limit_is_seen)
		chart->max = fmax(highest, (double)limit->level);
	chart->max = fmax(chart->max * 1.08, 1);

	chart->observed = chart->curve.times[chart->curve.count - 1];
	chart->seconds = chart->observed;
	if (chart->limit_is_seen && is_predicted(limit))
		chart->seconds += limit->seconds_max * 1.05 <= chart->observed
		                          ? limit->seconds_max * 1.05
		                          : chart->observed * extension;
	if (chart->seconds <= 0)
		chart->seconds = 1;
}

static void chart_init(struct chart *chart, const struct html_timeline *timeline, struct text *text)
{
	*chart = (struct chart){ .timeline = timeline, .text = text };
	html_curve_init(&chart->curve, timeline);

	chart->chosen = alloc_array(NULL, chart->curve.count, sizeof *chart->chosen);
	chart->chosen_count = html_curve_choose(&chart->curve, BUCKETS, chart->chosen);
	chart->edge = alloc_array(NULL, chart->chosen_count, sizeof *chart->edge);
	set_axes(chart);
}

static void chart_deinit(struct chart *chart)
{
	html_curve_deinit(&chart->curve);
	free(chart->chosen);
	free(chart->edge);
}

static void put_point(const struct chart *chart, char letter, double x, double bytes)
{
	text_format(chart->text, "%c%.0f %.0f", letter, x, vertical(chart, bytes));
}

/** Checks whether a point is on the line between its neighbours, because all are equal. */
static bool is_flat(const struct chart *chart, size_t from, size_t i, size_t to)
{
	return i > from && i + 1 < to && chart->edge[i - 1] == chart->edge[i] &&
	       chart->edge[i + 1] == chart->edge[i];
}

/** Adds a closed path for the chosen moments from `from` to before `to`, which have no gap. */
static void put_part(const struct chart *chart, size_t from, size_t to)
{
	const double *times = chart->curve.times;
	double left = horizontal(chart, times[chart->chosen[from]]);
	double right = horizontal(chart, times[chart->chosen[to - 1]]);

	if (right - left < ALONE)
		right = left + ALONE;
	put_point(chart, 'M', left, 0);
	for (size_t i = from; i < to; i++) {
		if (!is_flat(chart, from, i, to))
			put_point(chart, 'L', horizontal(chart, times[chart->chosen[i]]),
			          chart->edge[i]);
	}
	if (to - from == 1 || times[chart->chosen[from]] == times[chart->chosen[to - 1]])
		put_point(chart, 'L', right, chart->edge[to - 1]);
	put_point(chart, 'L', right, 0);
	text_char(chart->text, 'Z');
}

/** Adds the area whose upper edge was computed. */
static void put_area(const struct chart *chart, size_t kind)
{
	size_t from = 0;

	text_format(chart->text, "<path class=\"k%u\" d=\"",
	            chart->timeline->kinds[kind].colour % HTML_COLOURS);
	for (size_t i = 1; i <= chart->chosen_count; i++) {
		if (i == chart->chosen_count || html_curve_gap(&chart->curve, chart->chosen[i])) {
			put_part(chart, from, i);
			from = i;
		}
	}
	text_string(chart->text, "\"><title>");
	html_document_escape(chart->text, chart->timeline->kinds[kind].name,
	                     strlen(chart->timeline->kinds[kind].name));
	text_string(chart->text, "</title></path>\n");
}

/** Adds the areas, those on top of the stack first. */
static void put_areas(const struct chart *chart)
{
	const struct html_timeline *timeline = chart->timeline;

	text_string(chart->text, "<g class=\"areas\">\n");
	for (size_t top = timeline->kind_count; top-- > 0;) {
		for (size_t i = 0; i < chart->chosen_count; i++) {
			chart->edge[i] = 0;
			for (size_t k = 0; k <= top; k++)
				chart->edge[i] += (double)timeline->kinds[chart->curve.order[k]]
				                          .values[chart->chosen[i]];
		}
		put_area(chart, chart->curve.order[top]);
	}
	text_string(chart->text, "</g>\n");
}

/** Adds a rectangle for each time without samples. */
static void put_gaps(const struct chart *chart)
{
	for (size_t i = 1; i < chart->curve.count; i++) {
		if (!html_curve_gap(&chart->curve, i))
			continue;

		const double *times = chart->curve.times;
		char duration[PM_DURATION_TEXT_SIZE];

		pm_format_duration(times[i] - times[i - 1], duration);
		text_format(chart->text,
		            "<rect class=\"gap\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\">"
		            "<title>no samples for %s</title></rect>\n",
		            horizontal(chart, times[i - 1]),
		            horizontal(chart, times[i] - times[i - 1]), HIGH, duration);
	}
}

/** Adds dashed lines from the last total to the earliest and the latest moment of the limit. */
static void put_guess(const struct chart *chart)
{
	const struct html_limit *limit = &chart->timeline->limit;
	double now = total_now(chart), rise = (double)limit->level - now;
	double ends[] = { limit->seconds_min, limit->seconds_max };
	double x[2], y[2];

	for (size_t i = 0; i < 2; i++) {
		/* Only the part that is seen: the time can be very long. */
		double shown = fmin(ends[i], chart->seconds - chart->observed);

		x[i] = horizontal(chart, chart->observed + shown);
		y[i] = vertical(chart, now + rise * (ends[i] > 0 ? shown / ends[i] : 1));
	}
	text_format(chart->text,
	            "<path class=\"between\" d=\"M%.1f %.1fL%.1f %.1fH%.1fV%.1fZ\"/>\n",
	            horizontal(chart, chart->observed), vertical(chart, now), x[0], y[0], x[1],
	            y[1]);
	for (size_t i = 0; i < 2; i++)
		text_format(chart->text, "<path class=\"guess\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
		            horizontal(chart, chart->observed), vertical(chart, now), x[i], y[i]);
}

/** Adds the limit, and the time after the last moment. */
static void put_limit(const struct chart *chart)
{
	const struct html_limit *limit = &chart->timeline->limit;

	if (!chart->limit_is_seen)
		return;
	text_format(chart->text, "<path class=\"limit\" d=\"M0 %.1fH%d\"/>\n",
	            vertical(chart, (double)limit->level), WIDE);
	if (chart->seconds <= chart->observed || !is_predicted(limit))
		return;

	text_format(chart->text,
	            "<rect class=\"future\" x=\"%.1f\" y=\"0\" width=\"%.1f\" "
	            "height=\"%d\"/>\n",
	            horizontal(chart, chart->observed), WIDE - horizontal(chart, chart->observed),
	            HIGH);
	put_guess(chart);
}

/** Adds the marks of the size axis: lines across the drawing, or their labels. */
static void put_sizes(const struct chart *chart, bool labels)
{
	double step = html_axis_size_step(chart->max);

	for (unsigned i = 0; i * step <= chart->max; i++) {
		double bytes = i * step, y = vertical(chart, bytes);

		if (!labels) {
			text_format(chart->text, "<path class=\"grid\" d=\"M0 %.1fH%d\"/>\n", y,
			            WIDE);
			continue;
		}
		text_format(chart->text, "<text x=\"100%%\" dx=\"-6\" y=\"%.2f%%\" dy=\"4\">",
		            y / HIGH * 100);
		html_axis_put_size(chart->text, bytes, chart->max);
		text_string(chart->text, "</text>\n");
	}
}

/** Adds the time of day at a mark, and the date below it or, if the marks are days, instead. */
static void put_time(const struct html_axis_times *axis, double at, bool with_date,
                     struct text *text)
{
	double x = at / axis->seconds * 100;
	bool days = axis->step >= 86400;

	if (!days) {
		text_format(text, "<text x=\"%.2f%%\" y=\"100%%\" dy=\"16\">", x);
		html_axis_put_time(axis, at, text);
		text_string(text, "</text>");
	}
	if (with_date) {
		text_format(text, "<text x=\"%.2f%%\" y=\"100%%\" dy=\"%d\">", x, days ? 16 : 30);
		html_axis_put_date(axis, at, text);
		text_string(text, "</text>");
	}
}

/** Adds the labels of the time axis. A date is shown where a day starts. */
static void put_times(const struct chart *chart)
{
	struct html_axis_times axis;
	struct text shown = { 0 }, date = { 0 };

	html_axis_init_times(&axis, chart->timeline->start, chart->seconds);
	text_string(chart->text, "<g class=\"times\">\n");
	for (size_t i = 0; i < html_axis_count_times(&axis); i++) {
		double at = html_axis_first_time(&axis) + (double)i * (double)axis.step;

		text_clear(&date);
		html_axis_put_date(&axis, at, &date);

		bool same = strcmp(text_terminate(&shown), text_terminate(&date)) == 0;

		text_string(chart->text, "<g>");
		put_time(&axis, at, axis.dated && !same, chart->text);
		text_string(chart->text, "</g>\n");
		text_clear(&shown);
		text_bytes(&shown, date.bytes, date.length);
	}
	text_string(chart->text, "</g>\n");
	text_deinit(&shown);
	text_deinit(&date);
}

static void put_duration(struct text *text, double seconds)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration(seconds, duration);
	text_string(text, duration);
}

/** Adds the time left: "reached in 10h to 12h". */
static void put_time_left(const struct html_limit *limit, struct text *text)
{
	text_string(text, "reached in ");
	delta_put_time_left(limit->seconds_min, limit->seconds_max, text);
}

/** Adds the rate: " at +13.4M/h". */
static void put_rate(const struct html_limit *limit, struct text *text)
{
	if (limit->rate > 0 && isfinite(limit->rate)) {
		text_string(text, " at ");
		delta_put_rate(text, limit->rate);
	}
}

/** Adds the words at the line of the limit, above the line if there is room. */
static void put_limit_label(const struct chart *chart)
{
	const struct html_limit *limit = &chart->timeline->limit;

	if (!chart->limit_is_seen)
		return;
	text_format(chart->text, "<text class=\"lim\" x=\"6\" y=\"%.2f%%\" dy=\"-5\">limit ",
	            vertical(chart, (double)limit->level) / HIGH * 100);
	text_size(chart->text, limit->max);
	if (is_predicted(limit)) {
		text_string(chart->text, ": ");
		put_time_left(limit, chart->text);
	}
	text_string(chart->text, "</text>\n");
}

/** Adds a description for those who do not see the drawing. */
static void put_words(const struct chart *chart)
{
	const struct html_timeline *timeline = chart->timeline;
	struct text *text = chart->text;

	text_string(text, "<title id=\"chart-title\">Memory by kind over ");
	put_duration(text, chart->observed);
	text_string(text, "</title><desc id=\"chart-desc\">The sum of all kinds went from ");
	text_size(text, convert_uint64(chart->curve.totals[0]));
	text_string(text, " to ");
	text_size(text, convert_uint64(total_now(chart)));
	if (timeline->kind_count > 0) {
		const struct html_kind *top =
			&timeline->kinds[chart->curve.order[timeline->kind_count - 1]];

		if (top->values[timeline->count - 1] > top->values[0]) {
			text_string(text, "; ");
			html_document_escape(text, top->name, strlen(top->name));
			text_string(text, " grew most");
		}
	}
	text_string(text, ".</desc>\n");
}

static void put_drawing(const struct chart *chart)
{
	struct text *text = chart->text;

	text_string(text, "<div class=\"plot\">\n<svg class=\"sizes\" aria-hidden=\"true\">"
	                  "<line class=\"grid\" x1=\"100%\" x2=\"100%\" y1=\"0\" y2=\"100%\"/>\n");
	put_sizes(chart, true);
	text_string(text, "</svg>\n");
	text_format(text,
	            "<svg id=\"chart\" class=\"timeline\" role=\"img\" tabindex=\"0\" "
	            "aria-labelledby=\"chart-title chart-desc\" data-seconds=\"%.3f\" "
	            "data-max=\"%.17g\" data-gap=\"%.3f\">",
	            chart->seconds, chart->max, chart->curve.gap);
	put_words(chart);

	text_format(text,
	            "<svg class=\"inner\" viewBox=\"0 0 %d %d\" width=\"100%%\" height=\"100%%\" "
	            "preserveAspectRatio=\"none\">\n",
	            WIDE, HIGH);
	put_sizes(chart, false);
	put_areas(chart);
	put_gaps(chart);
	put_limit(chart);
	text_format(text,
	            "<rect class=\"selection\" x=\"0\" y=\"0\" width=\"0\" height=\"%d\"/>\n"
	            "<path class=\"cursor\" d=\"\"/>\n</svg>\n",
	            HIGH);

	put_limit_label(chart);
	put_times(chart);
	text_string(text, "</svg>\n</div>\n");
}

/** Adds a change with its sign; it may be larger than an int64_t. */
static void put_change(struct text *text, uint64_t before, uint64_t after)
{
	if (before == after) {
		text_char(text, '0');
		return;
	}
	text_string(text, after < before ? "\xe2\x88\x92" : "+");
	text_size(text, after > before ? after - before : before - after);
}

/** Adds a kind to the legend: its colour, name, bytes now, change, and a curve of its own scale. */
static void put_entry(const struct chart *chart, size_t index)
{
	const struct html_kind *kind = &chart->timeline->kinds[index];
	struct text *text = chart->text;
	size_t last = chart->curve.count - 1;
	uint64_t now = kind->values[last], first = kind->values[0];
	bool grew = now > first;

	text_format(text, "<li><span class=\"swatch k%u\"></span><span>",
	            kind->colour % HTML_COLOURS);
	html_document_escape(text, kind->name, strlen(kind->name));
	text_string(text, "</span> <b>");
	text_size(text, now);
	text_format(text, "</b> <span class=\"%s\">",
	            html_cells_class((int64_t)grew - (now < first)));
	put_change(text, first, now);
	text_string(text, "</span>");
	html_spark_put_values(text, chart->curve.times, kind->values, chart->curve.count);
	text_string(text, "</li>\n");
}

static void put_legend(const struct chart *chart)
{
	text_string(chart->text, "<ul class=\"legend\">\n");
	for (size_t k = chart->timeline->kind_count; k-- > 0;)
		put_entry(chart, chart->curve.order[k]);
	text_string(chart->text, "</ul>\n");
}

/** Adds the difference of local time to UTC at the start: "UTC+01:00". */
static void put_zone(const struct chart *chart, struct text *text)
{
	int64_t minutes = html_axis_offset(convert_int64(chart->timeline->start)) / 60;
	int64_t amount = minutes < 0 ? -minutes : minutes;

	text_string(text, "UTC");
	if (minutes != 0)
		text_format(text, "%c%02d:%02d", minutes < 0 ? '-' : '+', (int)(amount / 60),
		            (int)(amount % 60));
}

/** Adds why the line of the limit is lower than the limit, or higher. */
static void put_level(const struct html_limit *limit, struct text *text)
{
	text_string(text, "The line is at ");
	text_size(text, limit->level);
	if (limit->level > limit->max) {
		text_string(text, ": some memory of the process does not count. ");
		return;
	}
	text_string(text, ": other memory uses ");
	text_size(text, limit->max - limit->level);
	text_string(text, " of the limit. ");
}

/** Adds the limit in words, and what the drawing does not show. */
static void put_notes(const struct chart *chart)
{
	const struct html_timeline *timeline = chart->timeline;
	const struct html_limit *limit = &timeline->limit;
	struct text *text = chart->text;

	text_string(text, "<p class=\"hint\">");
	if (limit->known) {
		text_string(text, "<b>Limit ");
		text_size(text, limit->max);
		text_string(text, "</b> (");
		html_document_escape(text, limit->name, strlen(limit->name));
		text_char(text, ')');
		if (is_predicted(limit)) {
			text_string(text, ", ");
			put_time_left(limit, text);
			put_rate(limit, text);
		}
		text_string(text, chart->limit_is_seen ? ". " : "; it is above this chart. ");
		if (chart->limit_is_seen && limit->level != limit->max)
			put_level(limit, text);
	}

	text_string(text, "Times are local: ");
	put_zone(chart, text);
	text_string(text,
	            ". Changes are since the first sample; each small curve has its own scale.");
	if (timeline->samples > timeline->count || chart->chosen_count < timeline->count) {
		text_string(text, " Drawn from the lowest and highest totals among ");
		text_grouped(text, timeline->samples > timeline->count ? timeline->samples
		                                                       : timeline->count);
		text_string(text, " samples.");
	}
	text_string(text, "</p>\n<p class=\"hint keys\" hidden>Drag or + \xe2\x88\x92 zoom, "
	                  "\xe2\x86\x90 \xe2\x86\x92 move (Shift: larger steps), Home, End, Esc: "
	                  "all. <span id=\"reading\" role=\"status\"></span></p>\n");
}

void html_timeline_put(struct html_document *document, const struct html_report *report)
{
	struct text text = { 0 };
	struct chart chart;

	if (report->timeline.count == 0)
		return;

	chart_init(&chart, &report->timeline, &text);
	put_drawing(&chart);
	put_legend(&chart);
	put_notes(&chart);
	html_document_markup(document, &text);
	chart_deinit(&chart);
	text_deinit(&text);
}
