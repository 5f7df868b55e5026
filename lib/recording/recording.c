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
#include "recording/stored_chunks.h"
#include "recording/stored_detail.h"
#include "recording/stored_limits.h"
#include "recording/stored_owners.h"
#include "recording/stored_sites.h"
#include "recording/time_spec.h"

struct pm_recording {
	struct pm_database database;
	struct pm_process_id id;
};

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

static struct pm_region region_of_row(sqlite3_stmt *statement)
{
	struct pm_region region = {
		.start = pm_column(statement, 1),
		.end = pm_column(statement, 2),
		.perms = (uint8_t)pm_column(statement, 3),
		.offset = pm_column(statement, 4),
		.device_major = (uint32_t)pm_column(statement, 5),
		.device_minor = (uint32_t)pm_column(statement, 6),
		.inode = pm_column(statement, 7),
		.deleted = pm_column(statement, 8) != 0,
		.vm_flags = (uint32_t)pm_column(statement, 9),
		.proof = (uint8_t)pm_column(statement, 11),
		.thread = (pid_t)pm_column(statement, 12),
		.arena = pm_column(statement, 13),
		.mapping = pm_column_text(statement, 14),
		.why = pm_column_text(statement, 16),
		.known = PM_SIZE_BIT(PM_SIZE_RSS) | PM_SIZE_BIT(PM_SIZE_SWAP),
	};

	enum pm_kind kind = PM_KIND_UNKNOWN;
	/* A kind that was added by a later version of procmem is read as unknown. */
	pm_kind_parse(pm_column_text(statement, 10), &kind, NULL);
	region.kind = (uint8_t)kind;
	region.bytes[PM_SIZE_RSS] = pm_column(statement, 17);
	region.bytes[PM_SIZE_SWAP] = pm_column(statement, 18);

	return region;
}

/** Finds the pm_size with a given name. Returns false if no pm_size has that name. */
static bool size_of_name(const char *name, enum pm_size *size)
{
	for (int i = 0; i < PM_SIZE_COUNT; i++)
		if (strcmp(pm_size_name((enum pm_size)i), name) == 0) {
			*size = (enum pm_size)i;
			return true;
		}

	return false;
}

/** Fills the sizes from smaps. Of each size, the last row up to the sample takes effect. */
static int read_smaps(struct pm_recording *recording, sqlite3_stmt *statement, int64_t id,
                      uint64_t number, struct pm_region *region, struct pm_error *error)
{
	int result;

	if (!statement)
		return 0;
	pm_bind(statement, 1, (uint64_t)id);
	pm_bind(statement, 2, number);
	while ((result = pm_statement_next(&recording->database, statement, error)) > 0) {
		enum pm_size size;

		if (!size_of_name(pm_column_text(statement, 0), &size))
			continue;
		region->bytes[size] = pm_column(statement, 1);
		region->known |= PM_SIZE_BIT(size);
	}

	sqlite3_reset(statement);
	return result;
}

static bool overlaps_last(const struct pm_regions *regions, const struct pm_region *region)
{
	return regions->count > 0 && regions->items[regions->count - 1].end > region->start;
}

/** Prepared statements that read regions. */
struct reading {
	sqlite3_stmt *rows;
	sqlite3_stmt *smaps;   /* NULL if no sample has sizes from smaps */
	sqlite3_stmt *details; /* NULL if the recording has no table `fact` */
	sqlite3_stmt *owners;  /* NULL if the recording has no table `region_owner` */
};

static int read_region_rows(struct pm_recording *recording, const struct reading *reading,
                            uint64_t number, struct pm_regions *regions, struct pm_error *error)
{
	const struct pm_database *database = &recording->database;
	int result;

	pm_bind(reading->rows, 1, number);
	while ((result = pm_statement_next(database, reading->rows, error)) > 0) {
		struct pm_region region = region_of_row(reading->rows);
		const char *detail = pm_column_text(reading->rows, 15);
		int64_t id = sqlite3_column_int64(reading->rows, 0);

		if (region.start >= region.end || overlaps_last(regions, &region))
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "%s is damaged: it contains regions that overlap",
			                    database->path);
		if (read_smaps(recording, reading->smaps, id, number, &region, error) < 0 ||
		    pm_stored_detail_read(database, reading->details, id, detail, regions,
		                          &region.detail, error) < 0 ||
		    pm_stored_owner_read(database, reading->owners, id, &region, error) < 0 ||
		    pm_regions_append(regions, &region, error) < 0)
			return -1;
	}

	return result;
}

/** Tests whether a sample has sizes from smaps. @return 1, 0, or -1 on errors */
static int has_smaps(const struct pm_database *database, struct pm_error *error)
{
	sqlite3_stmt *statement;

	if (pm_database_prepare(database, "SELECT 1 FROM smaps LIMIT 1", &statement, error) < 0)
		return -1;
	int result = pm_statement_next(database, statement, error);
	sqlite3_finalize(statement);
	return result;
}

static int read_regions(struct pm_recording *recording, uint64_t number, struct pm_regions *regions,
                        struct pm_error *error)
{
	/* Addresses of 2^63 and more are stored as negative numbers, but have to come last. */
	static const char rows_sql[] =
		"SELECT region.id, start_address, end_address, perms, offset, device_major, "
		"device_minor, inode, deleted, vm_flags, kind, proof,"
		" thread, arena, mapping.value, detail.value, why.value, size.rss, size.swap FROM "
		"region"
		" JOIN text AS mapping ON mapping.id = region.mapping JOIN text AS detail ON "
		"detail.id = region.detail"
		" JOIN text AS why ON why.id = region.why"
		" JOIN size ON size.region = region.id AND size.sample = (SELECT max(sample) FROM "
		"size WHERE region = region.id AND sample <= ?1)"
		" WHERE first_sample <= ?1 AND (until_sample IS NULL OR until_sample > ?1) ORDER "
		"BY start_address < 0, start_address";

	static const char smaps_sql[] =
		"SELECT name, bytes FROM smaps WHERE region = ? AND sample <= ? ORDER BY sample";
	const struct pm_database *database = &recording->database;
	struct reading reading = { NULL, NULL, NULL, NULL };
	int facts = pm_database_has_table(database, "fact", error);
	int owners = -1, smaps = -1, result = -1;

	if (facts >= 0)
		owners = pm_database_has_table(database, "region_owner", error);
	if (owners >= 0)
		smaps = has_smaps(database, error);
	if (smaps >= 0 && pm_database_prepare(database, rows_sql, &reading.rows, error) == 0 &&
	    (smaps == 0 ||
	     pm_database_prepare(database, smaps_sql, &reading.smaps, error) == 0) &&
	    (facts == 0 || pm_database_prepare(database, pm_stored_detail_select, &reading.details,
	                                       error) == 0) &&
	    (owners == 0 ||
	     pm_database_prepare(database, pm_stored_owner_select, &reading.owners, error) == 0))
		result = read_region_rows(recording, &reading, number, regions, error);

	if (result == 0 && owners == 0)
		pm_kinds_assign_owners(regions, NULL);
	sqlite3_finalize(reading.rows);
	sqlite3_finalize(reading.smaps);
	sqlite3_finalize(reading.details);
	sqlite3_finalize(reading.owners);
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
