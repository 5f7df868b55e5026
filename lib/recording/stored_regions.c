/* SPDX-License-Identifier: MIT */
#include "recording/stored_regions.h"

#include <stdlib.h>
#include <string.h>

#include "kinds/owners.h"
#include "recording/stored_detail.h"
#include "recording/stored_owners.h"

/* What both statements select of a region; the rest depends on the samples. */
#define COLUMNS                                                                              \
	"region.id, start_address, end_address, perms, offset, device_major, device_minor, " \
	"inode, "                                                                            \
	"deleted, vm_flags, kind, proof, thread, arena, mapping.value, detail.value, why.value, "

#define TABLES                                                 \
	" FROM region"                                         \
	" JOIN text AS mapping ON mapping.id = region.mapping" \
	" JOIN text AS detail ON detail.id = region.detail"    \
	" JOIN text AS why ON why.id = region.why"

/* Addresses of 2^63 and more are stored as negative numbers, but have to come last. */
#define ORDER " ORDER BY start_address < 0, start_address"

static const char one_sql[] =
	"SELECT " COLUMNS "size.rss, size.swap" TABLES
	" JOIN size ON size.region = region.id AND size.sample = (SELECT max(sample) FROM size "
	"WHERE region = region.id AND sample <= ?1)"
	" WHERE first_sample <= ?1 AND (until_sample IS NULL OR until_sample > ?1)" ORDER;

static const char all_sql[] = "SELECT " COLUMNS "0, 0, first_sample, until_sample" TABLES ORDER;

static const char smaps_sql[] =
	"SELECT name, bytes FROM smaps WHERE region = ? AND sample <= ? ORDER BY sample";

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
static int read_smaps(const struct pm_stored_regions *reading, int64_t id, uint64_t number,
                      struct pm_region *region, struct pm_error *error)
{
	sqlite3_stmt *statement = reading->smaps;
	int result;

	if (!statement)
		return 0;
	pm_bind(statement, 1, (uint64_t)id);
	pm_bind(statement, 2, number);
	while ((result = pm_statement_next(reading->database, statement, error)) > 0) {
		enum pm_size size;

		if (!size_of_name(pm_column_text(statement, 0), &size))
			continue;
		region->bytes[size] = pm_column(statement, 1);
		region->known |= PM_SIZE_BIT(size);
	}

	sqlite3_reset(statement);
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

/** Prepares the statements for what the recording has, besides the rows. */
static int prepare_others(struct pm_stored_regions *reading, bool all, struct pm_error *error)
{
	const struct pm_database *database = reading->database;
	int facts = pm_database_has_table(database, "fact", error);
	int owners = facts < 0 ? -1 : pm_database_has_table(database, "region_owner", error);
	int smaps = owners < 0 ? -1 : has_smaps(database, error);

	if (smaps < 0)
		return -1;
	if (smaps > 0 && !all &&
	    pm_database_prepare(database, smaps_sql, &reading->smaps, error) < 0)
		return -1;
	if (facts > 0 &&
	    pm_database_prepare(database, pm_stored_detail_select, &reading->details, error) < 0)
		return -1;
	if (owners > 0 &&
	    pm_database_prepare(database, pm_stored_owner_select, &reading->owners, error) < 0)
		return -1;
	return 0;
}

int pm_stored_regions_open(struct pm_stored_regions *reading, const struct pm_database *database,
                           bool all, struct pm_error *error)
{
	*reading = (struct pm_stored_regions){ .database = database };
	if (pm_database_prepare(database, all ? all_sql : one_sql, &reading->rows, error) < 0 ||
	    prepare_others(reading, all, error) < 0) {
		pm_stored_regions_close(reading);
		return -1;
	}
	return 0;
}

void pm_stored_regions_close(struct pm_stored_regions *reading)
{
	sqlite3_finalize(reading->rows);
	sqlite3_finalize(reading->smaps);
	sqlite3_finalize(reading->details);
	sqlite3_finalize(reading->owners);
	*reading = (struct pm_stored_regions){ 0 };
}

/** Adds the region of the present row. @param number  the sample, for sizes from smaps */
static int add_row(struct pm_stored_regions *reading, uint64_t number, struct pm_regions *regions,
                   struct pm_error *error)
{
	struct pm_region region = region_of_row(reading->rows);
	const char *detail = pm_column_text(reading->rows, 15);
	int64_t id = sqlite3_column_int64(reading->rows, 0);

	if (region.start >= region.end)
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is damaged: a region ends before it starts",
		                    reading->database->path);
	if (read_smaps(reading, id, number, &region, error) < 0 ||
	    pm_stored_detail_read(reading->database, reading->details, id, detail, regions,
	                          &region.detail, error) < 0 ||
	    pm_stored_owner_read(reading->database, reading->owners, id, &region, error) < 0)
		return -1;
	return pm_regions_append(regions, &region, error);
}

int pm_stored_regions_read(struct pm_stored_regions *reading, uint64_t number,
                           struct pm_regions *regions, struct pm_error *error)
{
	int result;

	pm_bind(reading->rows, 1, number);
	while ((result = pm_statement_next(reading->database, reading->rows, error)) > 0) {
		uint64_t end = regions->count > 0 ? regions->items[regions->count - 1].end : 0;

		if (pm_column(reading->rows, 1) < end)
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "%s is damaged: it contains regions that overlap",
			                    reading->database->path);
		if (add_row(reading, number, regions, error) < 0)
			return -1;
	}

	if (result == 0 && !reading->owners)
		pm_kinds_assign_owners(regions, NULL);
	return result;
}

int pm_stored_regions_next(struct pm_stored_regions *reading, struct pm_regions *regions,
                           struct pm_stored_life *life, struct pm_error *error)
{
	int result = pm_statement_next(reading->database, reading->rows, error);

	if (result <= 0 || add_row(reading, 0, regions, error) < 0)
		return result == 0 ? 0 : -1;

	*life = (struct pm_stored_life){ .id = sqlite3_column_int64(reading->rows, 0),
		                         .first = pm_column(reading->rows, 19),
		                         .until = UINT64_MAX };
	if (sqlite3_column_type(reading->rows, 20) != SQLITE_NULL)
		life->until = pm_column(reading->rows, 20);
	return 1;
}
