/* SPDX-License-Identifier: MIT */
/* Which sample is meant. */
#include "recording/open_recording.h"

#include <string.h>

#include "base/number.h"
#include "recording/time_spec.h"

/**
 * Asks for one number, such as that of a sample.
 * @return 1; 0: there is none; -1: an error
 */
static int ask(struct pm_recording *recording, const char *sql, int64_t value, int64_t *answer,
               struct pm_error *error)
{
	sqlite3_stmt *statement;
	if (pm_database_prepare(&recording->database, sql, &statement, error) < 0)
		return -1;

	if (sqlite3_bind_parameter_count(statement) > 0)
		sqlite3_bind_int64(statement, 1, value);

	int result = pm_statement_next(&recording->database, statement, error);
	if (result > 0 && sqlite3_column_type(statement, 0) == SQLITE_NULL)
		result = 0;
	if (result > 0)
		*answer = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);

	return result;
}

static int say_none(struct pm_recording *recording, const char *which, struct pm_error *error)
{
	uint64_t count = 0;
	if (pm_recording_count(recording, &count, error) < 0)
		return -1;
	return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
	                    "%s has no sample %s; it has %llu, numbered from 1",
	                    recording->database.path, which, (unsigned long long)count);
}

/**
 * Asks for the number of a sample.
 * @return 0, or -1 also where there is none (PM_ERROR_NOT_FOUND)
 */
static int find_number(struct pm_recording *recording, const char *sql, int64_t value,
                       const char *which, uint64_t *number, struct pm_error *error)
{
	int64_t found;
	int result = ask(recording, sql, value, &found, error);
	if (result <= 0)
		return result < 0 ? -1 : say_none(recording, which, error);
	*number = (uint64_t)found;
	return 0;
}

/**
 * Gives a time of day its day: that of the last sample, or the one before where only that lies
 * within the recording.
 */
static void add_day(struct pm_time_spec *moment, int64_t first, int64_t last)
{
	/* No host's clock stands there; a damaged file may say anything. */
	if (last < PM_TIME_SPEC_DAY || last > INT64_MAX - 2 * PM_TIME_SPEC_DAY)
		return;

	int64_t day = last - last % PM_TIME_SPEC_DAY;
	if (day + moment->from > last && day - PM_TIME_SPEC_DAY + moment->until >= first)
		day -= PM_TIME_SPEC_DAY;
	moment->from += day;
	moment->until += day;
}

/** Finds the last sample that is not later than a time. */
static int find_time(struct pm_recording *recording, struct pm_time_spec moment, const char *which,
                     uint64_t *number, struct pm_error *error)
{
	int64_t first, last, found;
	char text[PM_MOMENT_TEXT_SIZE];
	int known = ask(recording, "SELECT min(wall_ns) FROM sample", 0, &first, error);
	if (known > 0)
		known = ask(recording, "SELECT max(wall_ns) FROM sample", 0, &last, error);
	if (known <= 0)
		return known < 0 ? -1 : say_none(recording, which, error);

	if (!moment.dated)
		add_day(&moment, first, last);

	int result = ask(recording, "SELECT max(number) FROM sample WHERE wall_ns <= ?",
	                 moment.until, &found, error);
	if (result < 0)
		return -1;

	if (result == 0) {
		pm_time_spec_format(first, text);
		return pm_error_set(
			error, PM_ERROR_NOT_FOUND, 0,
			"%s begins after %s: its first sample is of %s (UTC); write %s@first",
			recording->database.path, which, text, recording->database.path);
	}

	*number = (uint64_t)found;
	return 0;
}

int pm_recording_find(struct pm_recording *recording, const char *which, uint64_t *number,
                      struct pm_error *error)
{
	uint64_t wanted;
	struct pm_time_spec moment;

	if (strcmp(which, "first") == 0)
		return find_number(recording, "SELECT min(number) FROM sample", 0, which, number,
		                   error);
	if (strcmp(which, "last") == 0)
		return find_number(recording, "SELECT max(number) FROM sample", 0, which, number,
		                   error);
	if (pm_parse_decimal(which, INT64_MAX, &wanted, NULL) == 0)
		return find_number(recording, "SELECT number FROM sample WHERE number = ?",
		                   (int64_t)wanted, which, number, error);
	if (pm_time_spec_parse(which, &moment))
		return find_time(recording, moment, which, number, error);

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "a sample is a number from 1, first, last, or a time in UTC like "
	                    "2026-01-31T12:00 or 12:00, not %s",
	                    which);
}
