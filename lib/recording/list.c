/* SPDX-License-Identifier: MIT */
/* Which samples there are. */
#include "recording/open_recording.h"

#include <stdlib.h>

#include "base/array.h"
#include "recording/recording.h"

/* A region is counted where it begins and taken off where it ends, so that each is passed over
 * once, of however many samples it is part. */
static const char changes_sql[] = "SELECT sample, sum(change), sum(detailed) FROM"
				  " (SELECT first_sample AS sample, 1 AS change, id IN (SELECT "
				  "region FROM smaps) AS detailed FROM region"
				  " UNION ALL SELECT until_sample, -1, -(id IN (SELECT region FROM "
				  "smaps)) FROM region WHERE until_sample IS NOT NULL)"
				  " GROUP BY sample ORDER BY sample";

/** Samples that were read so far. */
struct listing {
	struct pm_listed *items;
	size_t count, capacity;
};

static int read_samples(struct pm_recording *recording, sqlite3_stmt *rows, struct listing *listing,
                        struct pm_error *error)
{
	int result;
	while ((result = pm_statement_next(&recording->database, rows, error)) > 0) {
		if (pm_array_reserve(&listing->items, &listing->capacity, listing->count, 1,
		                     sizeof *listing->items, error) < 0)
			return -1;
		listing->items[listing->count++] =
			(struct pm_listed){ .recorded = pm_recorded_of_row(rows) };
	}

	return result;
}

/** Adds up how many regions each sample has. */
static int count_regions(struct pm_recording *recording, sqlite3_stmt *changes,
                         struct listing *listing, struct pm_error *error)
{
	uint64_t regions = 0, detailed = 0;
	int result = pm_statement_next(&recording->database, changes, error);
	for (size_t i = 0; i < listing->count; i++) {
		struct pm_listed *item = &listing->items[i];
		/* Modulo 2^64, as what is taken off is negative. */
		while (result > 0 && pm_column(changes, 0) <= item->recorded.number) {
			regions += pm_column(changes, 1);
			detailed += pm_column(changes, 2);
			result = pm_statement_next(&recording->database, changes, error);
		}
		item->regions = regions;
		item->detailed = regions > 0 && detailed == regions;
	}

	return result < 0 ? -1 : 0;
}

static int list(struct pm_recording *recording, struct listing *listing, struct pm_error *error)
{
	sqlite3_stmt *rows = NULL, *changes = NULL;
	int result = -1;
	if (pm_database_prepare(&recording->database,
	                        "SELECT " PM_RECORDED_COLUMNS " FROM sample ORDER BY number", &rows,
	                        error) == 0 &&
	    pm_database_prepare(&recording->database, changes_sql, &changes, error) == 0 &&
	    read_samples(recording, rows, listing, error) == 0)
		result = count_regions(recording, changes, listing, error);

	sqlite3_finalize(rows);
	sqlite3_finalize(changes);

	return result;
}

int pm_recording_list(struct pm_recording *recording, struct pm_listed **samples, size_t *count,
                      struct pm_error *error)
{
	struct listing listing = { 0 };

	/* All questions see the same moment of a file that is being written. */
	if (pm_database_run(&recording->database, "BEGIN", error) < 0)
		return -1;

	int result = list(recording, &listing, error);
	sqlite3_exec(recording->database.handle, "COMMIT", NULL, NULL, NULL);
	if (result < 0) {
		free(listing.items);
		return -1;
	}

	*samples = listing.items;
	*count = listing.count;

	return 0;
}
