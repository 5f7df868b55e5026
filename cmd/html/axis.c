/* SPDX-License-Identifier: MIT */
#include "html/axis.h"

#include <math.h>
#include <time.h>

#include "base/convert.h"
#include "base/minmax.h"

/* Marks of the time axis, and of the size axis above 0. */
enum { TIMES_MAX = 8, SIZES_MAX = 6 };

/* Seconds of a day. */
#define DAY INT64_C(86400)

/* The year 9999 ends then: the last year that has four digits. */
#define TIME_LAST UINT64_C(253402300799)

/* In seconds: up to half a minute, half an hour, half a day, and four weeks. */
static const int64_t steps[] = {
	1,    2,       5,       10,       15,       30,   /* seconds */
	60,   120,     300,     600,      900,      1800, /* minutes */
	3600, 7200,    10800,   21600,    43200,          /* hours */
	DAY,  2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
};

double html_axis_size_step(double max)
{
	double step = 1;

	while (max / step > SIZES_MAX)
		step *= 2;
	return step;
}

void html_axis_put_size(struct text *text, double bytes, double max)
{
	static const char units[] = "BKMGTPEZY";
	size_t unit = 0;

	while (max >= 1024 && unit + 2 < sizeof units) {
		max /= 1024;
		bytes /= 1024;
		unit++;
	}

	/* The step is a power of two, and at least a sixth of `max`: 0.25 is the smallest one. */
	text_format(text, "%.*f", bytes * 2 != floor(bytes * 2) ? 2 : bytes != floor(bytes), bytes);
	if (bytes > 0)
		text_char(text, units[unit]);
}

/** Returns the local time of a moment. */
static struct tm local_time(int64_t time)
{
	struct tm local = { 0 };
	time_t seconds = time < 0 ? 0 : (time_t)pm_min((uint64_t)time, TIME_LAST);

	localtime_r(&seconds, &local);
	return local;
}

int64_t html_axis_offset(int64_t time)
{
	return local_time(time).tm_gmtoff;
}

/** Returns the time of a mark in seconds since 1970. */
static int64_t time_of(const struct html_axis_times *axis, double at)
{
	/* A mark is a whole second, which inexact sums must not miss. */
	return axis->start + convert_int64(floor(at + axis->past + 0.5));
}

void html_axis_init_times(struct html_axis_times *axis, double start, double seconds)
{
	size_t i = 0, last = sizeof steps / sizeof *steps - 1;

	axis->start = (int64_t)pm_min(convert_uint64(start), TIME_LAST);
	axis->past = fmax(0, fmin(1, start - (double)axis->start));
	axis->seconds = seconds;
	while (i < last && seconds / (double)steps[i] > TIMES_MAX - 1)
		i++;
	axis->step = steps[i];
	while (seconds / (double)axis->step > TIMES_MAX - 1)
		axis->step *= 2;

	struct tm from = local_time(axis->start), to = local_time(time_of(axis, seconds));
	axis->dated = axis->step >= DAY || from.tm_yday != to.tm_yday || from.tm_year != to.tm_year;
}

double html_axis_first_time(const struct html_axis_times *axis)
{
	int64_t local = axis->start + html_axis_offset(axis->start);
	double past = (double)(local % axis->step) + axis->past;

	if (past < 0)
		past += (double)axis->step;
	return past > 0 ? (double)axis->step - past : 0;
}

size_t html_axis_count_times(const struct html_axis_times *axis)
{
	double rest = axis->seconds - html_axis_first_time(axis);

	return rest < 0 ? 0 : (size_t)(rest / (double)axis->step) + 1;
}

void html_axis_put_time(const struct html_axis_times *axis, double at, struct text *text)
{
	struct tm local = local_time(time_of(axis, at));

	if (axis->step >= DAY)
		return;
	text_format(text, "%02d:%02d", local.tm_hour, local.tm_min);
	if (axis->step < 60)
		text_format(text, ":%02d", local.tm_sec);
}

void html_axis_put_date(const struct html_axis_times *axis, double at, struct text *text)
{
	/* In English, whatever the locale is. */
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct tm local = local_time(time_of(axis, at));

	text_format(text, "%d %s", local.tm_mday, months[local.tm_mon % 12]);
}
