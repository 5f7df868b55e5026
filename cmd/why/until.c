/* SPDX-License-Identifier: MIT */
#include "why/until.h"

#include <string.h>

#include <procmem/number.h>

#include "target/first_limit.h"

/* Seconds of a minute, an hour and a day. */
enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

/* Longer times are not distinguished. */
static const double seconds_max = 1e10;

/** Returns the unit in which a time is rounded: no rate is so exact that more digits are true. */
static uint64_t unit_of(double seconds)
{
	if (seconds >= 2 * DAY)
		return DAY;
	if (seconds >= 10 * HOUR)
		return HOUR;
	if (seconds >= 10 * MINUTE)
		return MINUTE;
	return 1;
}

/**
 * Adds a number of units of time, without its last part if this is 0: "7d" instead of "7d 0h".
 */
static void put_duration(uint64_t units, uint64_t unit, struct text *text)
{
	char duration[PM_DURATION_TEXT_SIZE];

	pm_format_duration((double)(units * unit), duration);

	char *space = strchr(duration, ' ');
	if (space && space[1] == '0')
		*space = '\0';
	text_string(text, duration);
}

/** Returns a time in whole units, rounded down. */
static uint64_t whole(double seconds, uint64_t unit)
{
	if (!(seconds > 0))
		return 0;
	return (uint64_t)(seconds < seconds_max ? seconds : seconds_max) / unit;
}

/** Adds the time between two bounds: "about 38m", or "30m to 45m". */
static void put_time(double from, double to, struct text *text)
{
	uint64_t unit = unit_of(from);

	if (to - from < 1) {
		text_string(text, "about ");
		put_duration(whole(from + (double)unit / 2, unit), unit, text);
		return;
	}

	put_duration(whole(from, unit), unit, text);
	text_string(text, " to ");
	put_duration(whole(to, unit) + 1, unit, text);
}

/** Adds a value of a limit: a number, or a size in bytes. */
static void put_value(const struct pm_limit *limit, uint64_t value, bool exact, struct text *text)
{
	if (limit->counts)
		text_grouped(text, value);
	else
		text_size_as(text, value, exact);
}

/** Adds the name of a limit with its maximum. */
static void put_limit(const struct pm_limit *limit, bool exact, struct text *text)
{
	text_string(text, first_limit_words(limit->kind));
	text_string(text, " (");
	put_value(limit, limit->max, exact, text);
	text_char(text, ')');
}

/** Adds when a limit is reached, or what is left of it if this is not known. */
static void put_limit_time(const struct pm_finding *finding, bool exact, struct text *text)
{
	const struct pm_limit *limit = &finding->limit->limit;

	if (finding->time_known && limit->kind == PM_LIMIT_SYSTEM) {
		text_string(text, "no nearer limit: the machine (");
		text_size_as(text, limit->max, exact);
		text_string(text, ") lasts ");
		put_time(finding->seconds_min, finding->seconds_max, text);
		return;
	}

	put_limit(limit, exact, text);
	if (finding->time_known) {
		text_string(text, ": used up in ");
		put_time(finding->seconds_min, finding->seconds_max, text);
	} else {
		text_string(text, ": ");
		put_value(limit, pm_limit_left(limit), exact, text);
		text_string(text, " left");
	}
}

void why_until_put(const struct pm_finding *finding, bool exact, struct text *text)
{
	if (finding->limit) {
		put_limit_time(finding, exact, text);
	} else if (finding->time_known && finding->count_max > 0) {
		text_string(text, "its open files, RLIMIT_NOFILE (");
		text_grouped(text, finding->count_max);
		text_string(text, "): used up in ");
		put_time(finding->seconds_min, finding->seconds_max, text);
	} else if (finding->time_known) {
		text_string(text, finding->harmless ? "full in " : "used up in ");
		put_time(finding->seconds_min, finding->seconds_max, text);
	} else if (finding->rate > 0 && !finding->harmless) {
		text_string(text, "not known: no limit is reached at this rate");
	}
}
