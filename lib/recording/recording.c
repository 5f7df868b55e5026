/* SPDX-License-Identifier: MIT */
/*
 * A row of the database describes a region, or a size of a region, from one sample until a later
 * one. To read a sample, those rows are selected that are valid for the number of the sample.
 */
#include <procmem/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "kinds/owners.h"
#include "recording/database.h"
#include "recording/listing.h"
#include "recording/process_id.h"
#include "recording/recording.h"
#include "recording/stored_chunks.h"
#include "recording/stored_detail.h"
#include "recording/stored_limits.h"
#include "recording/stored_owners.h"
#include "recording/stored_regions.h"
#include "recording/stored_sites.h"
#include "recording/time_spec.h"

bool pm_recording_is(const char *path)
{
	/*
	 * The header of an SQLite database begins with a magic string and has the application ID,
	 * big-endian, at offset 68 (sqlite.org/fileformat2.html).
	 */
	unsigned char header[100];
	int fd = pm_open_regular(path);

	if (fd < 0)
		return false;

	ssize_t got = pm_read(fd, header, sizeof header);
	close(fd);

	return got == (ssize_t)sizeof header && memcmp(header, "SQLite format 3", 16) == 0 &&
	       memcmp(header + 68, "pmem", 4) == 0;
}

int pm_recording_open(const char *path, struct pm_recording **recording, struct pm_error *error)
{
	struct pm_recording *opened = calloc(1, sizeof *opened);

	if (!opened)
		return pm_error_out_of_memory(error);

	if (pm_database_open(&opened->database, path, error) < 0 ||
	    pm_process_id_load(&opened->database, &opened->id, error) < 0) {
		pm_recording_close(opened);
		return -1;
	}

	*recording = opened;
	return 0;
}

void pm_recording_close(struct pm_recording *recording)
{
	if (!recording)
		return;

	pm_database_close(&recording->database);
	pm_process_id_deinit(&recording->id);
	free(recording);
}

const struct pm_process_id *pm_recording_process_id(const struct pm_recording *recording)
{
	return &recording->id;
}

int pm_recording_count(struct pm_recording *recording, uint64_t *count, struct pm_error *error)
{
	sqlite3_stmt *statement;

	if (pm_database_prepare(&recording->database, "SELECT count(*) FROM sample", &statement,
	                        error) < 0)
		return -1;

	int result = pm_statement_next(&recording->database, statement, error);
	if (result > 0)
		*count = pm_column(statement, 0);
	sqlite3_finalize(statement);
	return result > 0 ? 0 : -1;
}

static int read_totals(struct pm_recording *recording, uint64_t number,
                       struct pm_recorded *recorded, struct pm_error *error)
{
	static const char sql[] = "SELECT " PM_LISTING_COLUMNS " FROM sample WHERE number = ?";
	sqlite3_stmt *statement;

	if (pm_database_prepare(&recording->database, sql, &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	int result = pm_statement_next(&recording->database, statement, error);
	if (result > 0)
		*recorded = pm_listing_row(statement);
	sqlite3_finalize(statement);

	if (result == 0)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "%s has no sample %llu",
		                    recording->database.path, (unsigned long long)number);

	return result < 0 ? -1 : 0;
}

static int read_regions(struct pm_recording *recording, uint64_t number, struct pm_regions *regions,
                        struct pm_error *error)
{
	struct pm_stored_regions reading;

	if (pm_stored_regions_open(&reading, &recording->database, false, error) < 0)
		return -1;

	int result = pm_stored_regions_read(&reading, number, regions, error);
	pm_stored_regions_close(&reading);
	return result;
}

/** Begins a transaction: all statements see the same state of a file that is being written. */
static int begin(struct pm_recording *recording, struct pm_error *error)
{
	return pm_database_run(&recording->database, "BEGIN", error);
}

static void end(struct pm_recording *recording)
{
	sqlite3_exec(recording->database.handle, "COMMIT", NULL, NULL, NULL);
}

int pm_recording_read(struct pm_recording *recording, uint64_t number, struct pm_recorded *recorded,
                      struct pm_regions *regions, struct pm_error *error)
{
	struct pm_recorded read;

	if (begin(recording, error) < 0)
		return -1;

	int result = read_totals(recording, number, &read, error);
	if (result == 0 && regions)
		result = read_regions(recording, number, regions, error);
	end(recording);

	if (result == 0)
		*recorded = read;
	return result;
}

int pm_recording_read_owners(struct pm_recording *recording, uint64_t number,
                             struct pm_owner_sums *sums, struct pm_error *error)
{
	return pm_stored_owners_read(&recording->database, number, sums, error);
}

int pm_recording_read_chunks(struct pm_recording *recording, uint64_t number, uint64_t *found,
                             struct pm_histogram *chunks, struct pm_error *error)
{
	if (begin(recording, error) < 0)
		return -1;

	int result = pm_stored_chunks_read(&recording->database, number, found, chunks, error);
	end(recording);
	return result;
}

int pm_recording_read_sites(struct pm_recording *recording, uint64_t number, uint64_t *found,
                            struct pm_site_list *sites, struct pm_error *error)
{
	if (begin(recording, error) < 0)
		return -1;

	int result = pm_stored_sites_read(&recording->database, number, found, sites, error);
	end(recording);
	return result;
}

int pm_recording_list(struct pm_recording *recording, struct pm_listed **samples, size_t *count,
                      struct pm_error *error)
{
	if (begin(recording, error) < 0)
		return -1;

	int result = pm_listing_read(&recording->database, samples, count, error);
	end(recording);
	return result;
}

/**
 * Runs a query that returns one number.
 * @param value   parameter of the query; ignored if the query has no parameter
 * @param number  receives the number
 * @return        1 if the query returned a number, 0 if it returned no row or NULL, -1 on errors
 */
static int query_number(struct pm_recording *recording, const char *sql, int64_t value,
                        int64_t *number, struct pm_error *error)
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
		*number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);

	return result;
}

static int report_not_found(struct pm_recording *recording, const char *which,
                            struct pm_error *error)
{
	uint64_t count = 0;

	if (pm_recording_count(recording, &count, error) < 0)
		return -1;

	return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
	                    "%s has no sample %s; its samples are numbered from 1 to %llu",
	                    recording->database.path, which, (unsigned long long)count);
}

/** Finds a sample by a query that returns its number. Messages quote `which`. */
static int find_number(struct pm_recording *recording, const char *sql, int64_t value,
                       const char *which, uint64_t *number, struct pm_error *error)
{
	int64_t found;
	int result = query_number(recording, sql, value, &found, error);

	if (result < 0)
		return -1;
	if (result == 0)
		return report_not_found(recording, which, error);

	*number = (uint64_t)found;
	return 0;
}

/** Finds the last sample that was taken not later than the end of `time`. */
static int find_time(struct pm_recording *recording, struct pm_time_spec time, const char *which,
                     uint64_t *number, struct pm_error *error)
{
	int64_t first, last, found;
	char text[PM_TIME_SPEC_TEXT_SIZE];

	int known = query_number(recording, "SELECT min(wall_ns) FROM sample", 0, &first, error);
	if (known > 0)
		known = query_number(recording, "SELECT max(wall_ns) FROM sample", 0, &last, error);
	if (known < 0)
		return -1;
	if (known == 0)
		return report_not_found(recording, which, error);

	if (!time.dated)
		pm_time_spec_add_date(&time, first, last);

	int result = query_number(recording, "SELECT max(number) FROM sample WHERE wall_ns <= ?",
	                          time.until, &found, error);
	if (result < 0)
		return -1;

	if (result == 0) {
		pm_time_spec_format(first, text);
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                    "%s has no sample at or before %s: its first sample was taken "
		                    "at %s (UTC); use %s@first",
		                    recording->database.path, which, text,
		                    recording->database.path);
	}

	*number = (uint64_t)found;
	return 0;
}

int pm_recording_find(struct pm_recording *recording, const char *which, uint64_t *number,
                      struct pm_error *error)
{
	uint64_t wanted;
	struct pm_time_spec time;

	if (strcmp(which, "first") == 0)
		return find_number(recording, "SELECT min(number) FROM sample", 0, which, number,
		                   error);
	if (strcmp(which, "last") == 0)
		return find_number(recording, "SELECT max(number) FROM sample", 0, which, number,
		                   error);
	if (pm_parse_decimal(which, INT64_MAX, &wanted, NULL) == 0)
		return find_number(recording, "SELECT number FROM sample WHERE number = ?",
		                   (int64_t)wanted, which, number, error);
	if (pm_time_spec_parse(which, &time))
		return find_time(recording, time, which, number, error);

	return pm_error_set(
		error, PM_ERROR_USAGE, 0,
		"'%s' is not a sample: use a number (1 is the first sample), 'first', 'last', or "
		"a time in UTC such as 2026-01-31T12:00 or 12:00",
		which);
}

int pm_recording_read_headroom(struct pm_recording *recording, uint64_t number,
                               struct pm_headroom *headroom, struct pm_error *error)
{
	return pm_stored_limits_read(&recording->database, number, headroom, error);
}

int pm_recording_ending(struct pm_recording *recording, char why[PM_ENDING_TEXT_SIZE],
                        struct pm_error *error)
{
	static const char sql[] =
		"SELECT why FROM ending WHERE sample = (SELECT max(number) FROM sample)";
	sqlite3_stmt *statement;
	int result = pm_database_has_table(&recording->database, "ending", error);

	if (result <= 0)
		return result;
	if (pm_database_prepare(&recording->database, sql, &statement, error) < 0)
		return -1;

	result = pm_statement_next(&recording->database, statement, error);
	if (result > 0)
		snprintf(why, PM_ENDING_TEXT_SIZE, "%s", pm_column_text(statement, 0));
	sqlite3_finalize(statement);

	return result;
}
