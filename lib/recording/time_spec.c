/* SPDX-License-Identifier: MIT */
#include "recording/time_spec.h"

#include <string.h>
#include <time.h>

#include "base/number.h"

/* Durations in nanoseconds. */
static const int64_t second = 1000000000, minute = 60000000000;
static const int64_t day_ns = INT64_C(86400000000000);

/**
 * Parses a number between `min` and `max`, and the character that must follow the number.
 * @param text     the text; advanced past the parsed characters
 * @param follows  the character that must follow; 0 if no certain character is required
 * @param part     receives the number
 */
static bool scan_part(const char **text, char follows, uint64_t min, uint64_t max, int *part)
{
	uint64_t value;

	if (!pm_scan_decimal(text, &value) || value < min || value > max)
		return false;
	if (follows && *(*text)++ != follows)
		return false;

	*part = (int)value;
	return true;
}

/** Parses a date and the separator between date and time. */
static bool scan_date(const char **text, struct tm *when)
{
	if (!scan_part(text, '-', 1970, 9999, &when->tm_year) ||
	    !scan_part(text, '-', 1, 12, &when->tm_mon) ||
	    !scan_part(text, 0, 1, 31, &when->tm_mday) || (**text != 'T' && **text != ' '))
		return false;

	(*text)++;
	when->tm_year -= 1900;
	when->tm_mon--;
	return true;
}

/**
 * Parses the decimals of a second. Decimals after the ninth are ignored.
 * @param length  must be 10^9, the nanoseconds of a second; receives the precision: the value of a
 *                1 at the last decimal, in nanoseconds
 * @return        the value of the decimals in nanoseconds
 */
static int64_t scan_decimals(const char **text, int64_t *length)
{
	int64_t sum = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		if (*length == 1)
			continue;
		*length /= 10;
		sum += (**text - '0') * *length;
	}
	return sum;
}

/**
 * Parses a time of day up to the end of the text.
 * @param part    receives the nanoseconds within the second
 * @param length  receives the precision in nanoseconds: a minute if the seconds are missing, a
 *                second if the decimals are missing, otherwise the precision of scan_decimals()
 */
static bool scan_clock(const char **text, struct tm *when, int64_t *part, int64_t *length)
{
	*part = 0;
	*length = minute;
	if (!scan_part(text, ':', 0, 23, &when->tm_hour) ||
	    !scan_part(text, 0, 0, 59, &when->tm_min))
		return false;

	if (**text == ':') {
		(*text)++;
		*length = second;
		if (!scan_part(text, 0, 0, 60, &when->tm_sec))
			return false;
		if ((*text)[0] == '.' && (*text)[1] >= '0' && (*text)[1] <= '9') {
			(*text)++;
			*part = scan_decimals(text, length);
		}
	}

	if (**text == 'Z')
		(*text)++;

	return **text == '\0';
}

bool pm_time_spec_parse(const char *text, struct pm_time_spec *time)
{
	struct tm when = { .tm_year = 70, .tm_mday = 1 };
	struct pm_time_spec parsed = { .dated = strchr(text, '-') != NULL };
	int64_t part, length;

	if ((parsed.dated && !scan_date(&text, &when)) || !scan_clock(&text, &when, &part, &length))
		return false;

	int day = when.tm_mday;
	time_t seconds = timegm(&when);
	/* timegm() changes the day of an invalid date: the 31st of April becomes the 1st of May. */
	if (when.tm_mday != day)
		return false;

	/* After the year 2262, the nanoseconds exceed 64 bits. */
	if (__builtin_mul_overflow((int64_t)seconds, second, &parsed.from) ||
	    __builtin_add_overflow(parsed.from, part, &parsed.from))
		parsed.from = INT64_MAX;

	if (__builtin_add_overflow(parsed.from, length - 1, &parsed.until))
		parsed.until = INT64_MAX;

	*time = parsed;
	return true;
}

void pm_time_spec_add_date(struct pm_time_spec *time, int64_t first, int64_t last)
{
	/* A damaged file can contain times for which the computation below would overflow. */
	if (last < day_ns || last > INT64_MAX - 2 * day_ns)
		return;

	int64_t day = last - last % day_ns;
	if (day + time->from > last && day - day_ns + time->until >= first)
		day -= day_ns;

	time->from += day;
	time->until += day;
}

void pm_time_spec_format(int64_t wall_ns, char text[PM_TIME_SPEC_TEXT_SIZE])
{
	/* Rounded down, also before 1970. */
	time_t seconds = (time_t)(wall_ns / second - (wall_ns % second < 0));
	struct tm utc;

	text[0] = '\0';
	if (gmtime_r(&seconds, &utc))
		strftime(text, PM_TIME_SPEC_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
}
