/* SPDX-License-Identifier: MIT */
/* Which sample is meant. */
#include "recording/open_recording.h"

#include <string.h>
#include <time.h>

#include <procmem/number.h>

#include "base/number.h"

/** Reads a number of a time and the character that must follow. */
static bool scan_part(const char **text, char follows, uint64_t least, uint64_t most, int *part)
{
	uint64_t value;
	if (!pm_scan_decimal(text, &value) || value < least || value > most)
		return false;
	if (follows && *(*text)++ != follows)
		return false;
	*part = (int)value;
	return true;
}

/** A time as `2026-01-31T12:00`, with `:30` and `Z` or not, in UTC. */
static bool parse_time(const char *text, int64_t *wall_ns)
{
	struct tm when = { 0 };
	if (!scan_part(&text, '-', 1970, 9999, &when.tm_year) || !scan_part(&text, '-', 1, 12, &when.tm_mon) ||
	    !scan_part(&text, 0, 1, 31, &when.tm_mday) || (*text != 'T' && *text != ' '))
		return false;
	text++;
	if (!scan_part(&text, ':', 0, 23, &when.tm_hour) || !scan_part(&text, 0, 0, 59, &when.tm_min))
		return false;
	if (*text == ':') {
		text++;
		if (!scan_part(&text, 0, 0, 60, &when.tm_sec))
			return false;
	}
	if (*text == 'Z')
		text++;
	when.tm_year -= 1900;
	when.tm_mon--;
	int day = when.tm_mday;
	time_t seconds = timegm(&when);
	/* timegm() makes the 31st of April the 1st of May. */
	if (*text != '\0' || when.tm_mday != day)
		return false;
	/* A second has 10^9 moments: the whole of it is meant. 64 bits of them end in the year 2262. */
	if (__builtin_mul_overflow((int64_t)seconds, INT64_C(1000000000), wall_ns) || __builtin_add_overflow(*wall_ns, 999999999, wall_ns))
		*wall_ns = INT64_MAX;
	return true;
}

/** Asks for a number of a sample. @return 0, or -1 also where there is none (PM_ERROR_NOT_FOUND) */
static int ask(struct pm_recording *recording, const char *sql, int64_t value, const char *which, uint64_t *number, struct pm_error *error)
{
	sqlite3_stmt *statement;
	if (pm_database_prepare(&recording->database, sql, &statement, error) < 0)
		return -1;
	if (sqlite3_bind_parameter_count(statement) > 0)
		sqlite3_bind_int64(statement, 1, value);
	int result = pm_statement_next(&recording->database, statement, error);
	bool found = result > 0 && sqlite3_column_type(statement, 0) != SQLITE_NULL;
	if (found)
		*number = pm_column(statement, 0);
	sqlite3_finalize(statement);
	if (found || result < 0)
		return found ? 0 : -1;
	uint64_t count = 0;
	if (pm_recording_count(recording, &count, error) < 0)
		return -1;
	return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "%s has no sample %s; it has %llu, numbered from 1", recording->database.path, which,
	                    (unsigned long long)count);
}

int pm_recording_find(struct pm_recording *recording, const char *which, uint64_t *number, struct pm_error *error)
{
	uint64_t wanted;
	int64_t wall_ns;
	if (strcmp(which, "first") == 0)
		return ask(recording, "SELECT min(number) FROM sample", 0, which, number, error);
	if (strcmp(which, "last") == 0)
		return ask(recording, "SELECT max(number) FROM sample", 0, which, number, error);
	if (pm_parse_decimal(which, INT64_MAX, &wanted, NULL) == 0)
		return ask(recording, "SELECT number FROM sample WHERE number = ?", (int64_t)wanted, which, number, error);
	if (parse_time(which, &wall_ns))
		return ask(recording, "SELECT max(number) FROM sample WHERE wall_ns <= ?", wall_ns, which, number, error);
	return pm_error_set(error, PM_ERROR_USAGE, 0, "a sample is a number from 1, first, last, or a time in UTC like 2026-01-31T12:00, not %s",
	                    which);
}
