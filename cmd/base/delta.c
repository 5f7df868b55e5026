/* SPDX-License-Identifier: MIT */
#include "base/delta.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

void delta_put_bytes(struct text *text, int64_t delta, bool bytes)
{
	if (bytes) {
		text_format(text, delta ? "%+" PRId64 : "%" PRId64, delta);
		return;
	}

	if (delta != 0)
		text_char(text, delta > 0 ? '+' : '-');

	/* The least integer has no positive counterpart of its own type. */
	text_size(text, delta < 0 ? -(uint64_t)delta : (uint64_t)delta);
}

void delta_put_rate(struct text *text, double rate)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "/s", 1 }, { "/min", 60 }, { "/h", 3600 }, { "/d", 86400 } };

	double size = rate < 0 ? -rate : rate;
	size_t unit = 0;
	while (unit < 3 && size * units[unit].seconds < 10240)
		unit++;

	uint64_t amount = size * units[unit].seconds < 1e18
	                          ? (uint64_t)(size * units[unit].seconds + 0.5)
	                          : 0;
	if (amount == 0) {
		text_char(text, '-');
		return;
	}

	text_char(text, rate < 0 ? '-' : '+');
	text_size(text, amount);
	text_string(text, units[unit].unit);
}

void delta_put_time(struct text *text, int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm utc;
	char moment[sizeof "2026-01-01T00:00:00Z" + 16];
	if (gmtime_r(&seconds, &utc) &&
	    strftime(moment, sizeof moment, "%Y-%m-%dT%H:%M:%S", &utc) > 0)
		text_format(text, "%s.%03dZ", moment, (int)(wall_ns / 1000000 % 1000));
}

enum out_style delta_style(int64_t delta)
{
	return delta > 0 ? OUT_GROWN : delta < 0 ? OUT_LESS : OUT_PLAIN;
}

/** Seconds of a unit of time; 0 for no unit of ours. */
static double unit_seconds(const char *unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 },     { "ms", 0.001 }, { "s", 1 },    { "m", 60 },
		      { "min", 60 }, { "h", 3600 },   { "d", 86400 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].seconds;

	return 0;
}

int delta_parse_duration(const char *text, double *seconds, struct pm_error *error)
{
	/* strtod() would also take blanks, signs, hexadecimal and infinity; more digits than these
	 * are no duration. */
	size_t digits = strspn(text, "0123456789."), whole = strspn(text, "0123456789");
	double unit = unit_seconds(text + digits);
	bool number = whole > 0 && digits <= 15 &&
	              !strchr(text + whole + (text[whole] == '.'), '.');

	if (!number || unit == 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is no duration: 30s, 1.5m, 2h, 7d", text);

	char copy[16];
	memcpy(copy, text, digits);
	copy[digits] = '\0';

	double value = strtod(copy, NULL) * unit;
	if (value <= 0)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "a duration must be longer than 0");

	*seconds = value;
	return 0;
}
