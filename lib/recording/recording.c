/* SPDX-License-Identifier: MIT */
#include "recording/recording.h"

#include <procmem/recording.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/database.h"
#include "recording/open_recording.h"
#include "recording/stored_detail.h"
#include "recording/stored_process.h"

int pm_recording_open(const char *path, struct pm_recording **recording, struct pm_error *error)
{
	struct pm_recording *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);
	if (pm_database_open(&opened->database, path, error) < 0 ||
	    pm_stored_process_read(&opened->database, &opened->run, error) < 0) {
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
	free((char *)recording->run.command);
	free(recording);
}

const struct pm_process_id *pm_recording_process_id(const struct pm_recording *recording)
{
	return &recording->run;
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

struct pm_recorded pm_recorded_of_row(sqlite3_stmt *statement)
{
	return (struct pm_recorded){
		.number = pm_column(statement, 0),
		.time = sqlite3_column_double(statement, 1),
		.wall_ns = sqlite3_column_int64(statement, 2),
		.fresh = sqlite3_column_int(statement, 3) != 0,
		.totals = { .size = pm_column(statement, 4),
		            .rss = pm_column(statement, 5),
		            .anon = pm_column(statement, 6),
		            .file = pm_column(statement, 7),
		            .shmem = pm_column(statement, 8),
		            .swap = pm_column(statement, 9),
		            .pte = pm_column(statement, 10),
		            .threads = pm_column(statement, 11) },
	};
}

static int read_totals(struct pm_recording *recording, uint64_t number,
                       struct pm_recorded *recorded, struct pm_error *error)
{
	sqlite3_stmt *statement;
	if (pm_database_prepare(&recording->database,
	                        "SELECT " PM_RECORDED_COLUMNS " FROM sample WHERE number = ?",
	                        &statement, error) < 0)
		return -1;

	pm_bind(statement, 1, number);
	int result = pm_statement_next(&recording->database, statement, error);
	if (result > 0)
		*recorded = pm_recorded_of_row(statement);
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
	/* A kind that a later version of the same format may have added stays unknown. */
	pm_kind_parse(pm_column_text(statement, 10), &kind, NULL);
	region.kind = (uint8_t)kind;
	region.bytes[PM_SIZE_RSS] = pm_column(statement, 17);
	region.bytes[PM_SIZE_SWAP] = pm_column(statement, 18);

	return region;
}

/**
 * The size of a name, as pm_size_name() gives it.
 * @return false where there is none of that name
 */
static bool size_of_name(const char *name, enum pm_size *size)
{
	for (int i = 0; i < PM_SIZE_COUNT; i++)
		if (strcmp(pm_size_name((enum pm_size)i), name) == 0) {
			*size = (enum pm_size)i;
			return true;
		}
	return false;
}

/** Fills the sizes of smaps: of each the last one written until the sample. */
static int read_smaps(struct pm_recording *recording, sqlite3_stmt *statement, int64_t id,
                      uint64_t number, struct pm_region *region, struct pm_error *error)
{
	int result;

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

/** Statements that read regions. */
struct reading {
	sqlite3_stmt *rows;
	sqlite3_stmt *smaps;
	sqlite3_stmt *details; /* NULL where the recording lacks their table */
};

static int read_rows(struct pm_recording *recording, const struct reading *reading, uint64_t number,
                     struct pm_regions *regions, struct pm_error *error)
{
	int result;

	pm_bind(reading->rows, 1, number);
	while ((result = pm_statement_next(&recording->database, reading->rows, error)) > 0) {
		struct pm_region region = region_of_row(reading->rows);
		int64_t id = sqlite3_column_int64(reading->rows, 0);
		if (region.start >= region.end ||
		    (regions->count && regions->items[regions->count - 1].end > region.start))
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "%s is damaged: its regions overlap",
			                    recording->database.path);
		if (read_smaps(recording, reading->smaps, id, number, &region, error) < 0 ||
		    pm_stored_detail_read(&recording->database, reading->details, id,
		                          pm_column_text(reading->rows, 15), regions,
		                          &region.detail, error) < 0 ||
		    pm_regions_append(regions, &region, error) < 0)
			return -1;
	}

	return result;
}

static int read_regions(struct pm_recording *recording, uint64_t number, struct pm_regions *regions,
                        struct pm_error *error)
{
	/* Addresses above 2^63 are negative in SQLite: they come last. */
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
	struct reading reading = { NULL, NULL, NULL };
	int facts = pm_database_has_table(database, "fact", error);
	int result = -1;

	if (facts >= 0 && pm_database_prepare(database, rows_sql, &reading.rows, error) == 0 &&
	    pm_database_prepare(database, smaps_sql, &reading.smaps, error) == 0 &&
	    (facts == 0 ||
	     pm_database_prepare(database, pm_stored_detail_select, &reading.details, error) == 0))
		result = read_rows(recording, &reading, number, regions, error);
	sqlite3_finalize(reading.rows);
	sqlite3_finalize(reading.smaps);
	sqlite3_finalize(reading.details);

	return result;
}

int pm_recording_read(struct pm_recording *recording, uint64_t number, struct pm_recorded *recorded,
                      struct pm_regions *regions, struct pm_error *error)
{
	struct pm_recorded read;
	/* Both questions see the same moment of a file that is being written. */
	if (pm_database_run(&recording->database, "BEGIN", error) < 0)
		return -1;

	int result = read_totals(recording, number, &read, error);
	if (result == 0 && regions)
		result = read_regions(recording, number, regions, error);
	sqlite3_exec(recording->database.handle, "COMMIT", NULL, NULL, NULL);
	if (result == 0)
		*recorded = read;
	return result;
}
