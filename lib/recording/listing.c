/* SPDX-License-Identifier: MIT */
/*
 * The list of all samples. The number of regions of each sample is computed from the samples at
 * which regions appear and disappear, so that each row of the table `region` is read once.
 */
#include "recording/listing.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"

struct pm_recorded pm_listing_row(sqlite3_stmt *statement)
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

/*
 * Selects the change of the number of regions at each sample, and the change of the number of
 * regions that have sizes from smaps: a region adds 1 at its first sample, and subtracts 1 at the
 * first sample at which it no longer exists. In this way, each row is read only once.
 */
static const char changes_sql[] = "SELECT sample, sum(change), sum(detailed) FROM"
				  " (SELECT first_sample AS sample, 1 AS change, id IN (SELECT "
				  "region FROM smaps) AS detailed FROM region"
				  " UNION ALL SELECT until_sample, -1, -(id IN (SELECT region FROM "
				  "smaps)) FROM region WHERE until_sample IS NOT NULL)"
				  " GROUP BY sample ORDER BY sample";

/** List of the samples that were read so far. */
struct listing {
	struct pm_listed *items;
	size_t count, capacity;
};

static int list_samples(const struct pm_database *database, sqlite3_stmt *rows,
                        struct listing *listing, struct pm_error *error)
{
	int result;

	while ((result = pm_statement_next(database, rows, error)) > 0) {
		if (pm_array_reserve(&listing->items, &listing->capacity, listing->count, 1,
		                     sizeof *listing->items, error) < 0)
			return -1;
		listing->items[listing->count++] =
			(struct pm_listed){ .recorded = pm_listing_row(rows) };
	}
	return result;
}

/** Computes the number of regions of each sample: adds up the rows of `changes_sql`. */
static int count_regions(const struct pm_database *database, sqlite3_stmt *changes,
                         struct listing *listing, struct pm_error *error)
{
	uint64_t regions = 0, detailed = 0;
	int result = pm_statement_next(database, changes, error);

	for (size_t i = 0; i < listing->count; i++) {
		struct pm_listed *item = &listing->items[i];

		/* A negative change is added modulo 2^64, which gives the right sum. */
		while (result > 0 && pm_column(changes, 0) <= item->recorded.number) {
			regions += pm_column(changes, 1);
			detailed += pm_column(changes, 2);
			result = pm_statement_next(database, changes, error);
		}
		item->regions = regions;
		item->detailed = regions > 0 && detailed == regions;
	}

	return result < 0 ? -1 : 0;
}

/**
 * Finds the samples that have a row in a table, and sets a member of pm_listed.
 *
 * @param table   name of the table
 * @param sql     selects the numbers of the samples, ascending
 * @param offset  offset of the member, a bool
 */
static int note_samples(const struct pm_database *database, const char *table, const char *sql,
                        struct listing *listing, size_t offset, struct pm_error *error)
{
	int result = pm_database_has_table(database, table, error);
	sqlite3_stmt *rows;
	size_t at = 0;

	if (result <= 0)
		return result;
	if (pm_database_prepare(database, sql, &rows, error) < 0)
		return -1;

	while ((result = pm_statement_next(database, rows, error)) > 0) {
		uint64_t number = pm_column(rows, 0);

		while (at < listing->count && listing->items[at].recorded.number < number)
			at++;
		if (at < listing->count && listing->items[at].recorded.number == number)
			*(bool *)((char *)&listing->items[at] + offset) = true;
	}

	sqlite3_finalize(rows);
	return result;
}

/** Notes which samples have the chunks in use, and which have the sites of a trace. */
static int note_extras(const struct pm_database *database, struct listing *listing,
                       struct pm_error *error)
{
	if (note_samples(database, "chunk_total", "SELECT sample FROM chunk_total ORDER BY sample",
	                 listing, offsetof(struct pm_listed, chunks), error) < 0)
		return -1;
	return note_samples(database, "trace", "SELECT sample FROM trace ORDER BY sample", listing,
	                    offsetof(struct pm_listed, sites), error);
}

static int list(const struct pm_database *database, struct listing *listing, struct pm_error *error)
{
	static const char samples_sql[] = "SELECT " PM_LISTING_COLUMNS
					  " FROM sample ORDER BY number";
	sqlite3_stmt *rows = NULL, *changes = NULL;
	int result = -1;

	if (pm_database_prepare(database, samples_sql, &rows, error) == 0 &&
	    pm_database_prepare(database, changes_sql, &changes, error) == 0 &&
	    list_samples(database, rows, listing, error) == 0)
		result = count_regions(database, changes, listing, error);
	if (result == 0)
		result = note_extras(database, listing, error);

	sqlite3_finalize(rows);
	sqlite3_finalize(changes);

	return result;
}

int pm_listing_read(const struct pm_database *database, struct pm_listed **samples, size_t *count,
                    struct pm_error *error)
{
	struct listing listing = { 0 };

	if (list(database, &listing, error) < 0) {
		free(listing.items);
		return -1;
	}

	*samples = listing.items;
	*count = listing.count;
	return 0;
}
