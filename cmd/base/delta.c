/* SPDX-License-Identifier: MIT */
#include "base/delta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <procmem/number.h>

void delta_put_bytes(struct text *text, int64_t delta, bool bytes)
{
	if (bytes) {
		text_format(text, delta ? "%+" PRId64 : "%" PRId64, delta);
		return;
	}

	if (delta > 0)
		text_char(text, '+');
	else if (delta < 0)
		text_char(text, '-');

	/* Negate as an unsigned number: the positive value of INT64_MIN does not fit int64_t. */
	text_size(text, delta < 0 ? -(uint64_t)delta : (uint64_t)delta);
}

/** The names of the units of rates, and their lengths in seconds. */
static const struct {
	const char *name;
	double seconds;
} rate_units[] = {
	[DELTA_PER_SECOND] = { "/s", 1 },
	[DELTA_PER_MINUTE] = { "/min", 60 },
	[DELTA_PER_HOUR] = { "/h", 3600 },
	[DELTA_PER_DAY] = { "/d", 86400 },
};

enum delta_rate_unit delta_rate_unit(double rate)
{
	double size = rate < 0 ? -rate : rate;
	enum delta_rate_unit unit = DELTA_PER_SECOND;

	while (unit < DELTA_PER_DAY && size * rate_units[unit].seconds < 10240)
		unit++;
	return unit;
}

void delta_put_rate_in(struct text *text, double rate, enum delta_rate_unit unit)
{
	double size = rate < 0 ? -rate : rate;

	/* A number of 1e18 or more may not fit an integer. Such a rate can result only from wrong
	 * input and is written as "-". */
	double scaled = size * rate_units[unit].seconds;
	uint64_t amount = scaled < 1e18 ? (uint64_t)(scaled + 0.5) : 0;

	if (amount == 0) {
		text_char(text, '-');
		return;
	}

	text_char(text, rate < 0 ? '-' : '+');
	text_size(text, amount);
	text_string(text, rate_units[unit].name);
}

void delta_put_rate(struct text *text, double rate)
{
	delta_put_rate_in(text, rate, delta_rate_unit(rate));
}

void delta_put_time(struct text *text, int64_t wall_ns)
{
	/* Round down, also before 1970. */
	const int64_t second = 1000000000;
	int64_t rest = wall_ns % second;
	time_t seconds = (time_t)(wall_ns / second);
	if (rest < 0) {
		rest += second;
		seconds--;
	}

	char formatted[sizeof "2026-01-01T00:00:00Z" + 16];
	struct tm utc;

	if (gmtime_r(&seconds, &utc) &&
	    strftime(formatted, sizeof formatted, "%Y-%m-%dT%H:%M:%S", &utc) > 0)
		text_format(text, "%s.%03dZ", formatted, (int)(rest / 1000000));
}

enum out_style delta_style(int64_t delta)
{
	if (delta == 0)
		return OUT_PLAIN;
	return delta > 0 ? OUT_GROWN : OUT_LESS;
}

/**
 * Returns the length of a unit of time in seconds, or 0 if the unit is not known. An empty unit
 * means seconds.
 */
static double unit_seconds(const char *unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 },     { "ms", 0.001 }, { "s", 1 },    { "m", 60 },
		      { "min", 60 }, { "h", 3600 },   { "d", 86400 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(unit, units[i].name) == 0)
			return units[i].seconds;
	}
	return 0;
}

int delta_parse_duration(const char *text, double *seconds, struct pm_error *error)
{
	/* Check the number here, because strtod() would also accept spaces, signs, hexadecimal
	 * numbers and infinity. A number of more than 15 characters is refused, to fit `copy`. */
	size_t digits = strspn(text, "0123456789.");
	size_t whole = strspn(text, "0123456789");
	size_t dots = text[whole] == '.';
	double unit = unit_seconds(text + digits);
	bool number = digits > dots && digits <= 15 && !strchr(text + whole + dots, '.');

	if (!number || unit == 0)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"'%s' is not a duration: write a number and a unit, such as 30s, 1.5m, "
			"2h or 7d",
			text);

	char copy[16];

	memcpy(copy, text, digits);
	copy[digits] = '\0';

	double value = strtod(copy, NULL) * unit;
	if (value <= 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "a duration must be longer than 0");

	*seconds = value;
	return 0;
}

/* Seconds of a minute, an hour and a day. */
enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

/* Longer times are not distinguished. */
static const double time_left_max = 1e10;

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
static void put_units(uint64_t units, uint64_t unit, struct text *text)
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
	return (uint64_t)(seconds < time_left_max ? seconds : time_left_max) / unit;
}

void delta_put_time_left(double from, double to, struct text *text)
{
	uint64_t unit = unit_of(from);

	if (to - from < 1) {
		text_string(text, "about ");
		put_units(whole(from + (double)unit / 2, unit), unit, text);
		return;
	}

	put_units(whole(from, unit), unit, text);
	text_string(text, " to ");
	put_units(whole(to, unit) + 1, unit, text);
}
