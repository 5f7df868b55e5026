/* SPDX-License-Identifier: MIT */
/*
 * Reads all samples in their order. Each row of the file is read once: all regions at first, then
 * the sizes, sorted by sample. So a sample costs what has changed since the one before it, and a
 * copy of its regions. A statement that is not at its end keeps the file as it was at the start.
 */
#include <procmem/recording_walk.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "kinds/owners.h"
#include "recording/listing.h"
#include "recording/recording.h"
#include "recording/stored_regions.h"

/* Sizes and times beyond these are damage: an address space has 2^57 bytes at most, and a machine
 * does not run for 300 years. */
static const uint64_t bytes_max = UINT64_C(1) << 57;
static const double seconds_max = 1e10;

/** A region of any sample. Its sizes are in pm_recording_walk.all. */
struct life {
	struct pm_stored_life stored;
	bool sized; /* a size was read */
};

/** Finds a region by its `id`. */
struct place {
	int64_t id;
	size_t index;
};

struct pm_recording_walk {
	const struct pm_database *database;
	struct pm_regions all; /* the regions of all samples, by address */
	struct life *lives;    /* of each of them */
	size_t capacity;
	struct place *places;   /* by `id` */
	struct pm_regions seen; /* those of the present sample: copies that own nothing */
	sqlite3_stmt *samples;
	sqlite3_stmt *sizes;
	bool size_waits; /* the present row of `sizes` is not used yet */
	double before;   /* time of the sample before, in seconds */
};

static int compare_places(const void *one, const void *other)
{
	int64_t first = ((const struct place *)one)->id, second = ((const struct place *)other)->id;

	return (first > second) - (first < second);
}

/** Reads all regions. */
static int read_all(struct pm_recording_walk *walk, struct pm_error *error)
{
	struct pm_stored_regions reading;
	struct pm_stored_life life;
	int result;

	if (pm_stored_regions_open(&reading, walk->database, true, error) < 0)
		return -1;

	while ((result = pm_stored_regions_next(&reading, &walk->all, &life, error)) > 0) {
		result = pm_array_reserve(&walk->lives, &walk->capacity, walk->all.count - 1, 1,
		                          sizeof *walk->lives, error);
		if (result < 0)
			break;
		walk->lives[walk->all.count - 1] = (struct life){ .stored = life };
	}
	if (result == 0 && !reading.owners)
		pm_kinds_assign_owners(&walk->all, NULL);
	pm_stored_regions_close(&reading);
	return result;
}

/** Makes the index by `id`, and room for the regions of a sample. */
static int make_index(struct pm_recording_walk *walk, struct pm_error *error)
{
	size_t count = walk->all.count;

	walk->places = calloc(count + 1, sizeof *walk->places);
	walk->seen.items = calloc(count + 1, sizeof *walk->seen.items);
	if (!walk->places || !walk->seen.items)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < count; i++)
		walk->places[i] = (struct place){ .id = walk->lives[i].stored.id, .index = i };
	qsort(walk->places, count, sizeof *walk->places, compare_places);
	return 0;
}

int pm_recording_walk_open(struct pm_recording *recording, struct pm_recording_walk **walk,
                           struct pm_error *error)
{
	static const char samples_sql[] = "SELECT " PM_LISTING_COLUMNS
					  " FROM sample ORDER BY number";
	static const char sizes_sql[] =
		"SELECT region, sample, rss, swap FROM size ORDER BY sample";
	struct pm_recording_walk *opened = calloc(1, sizeof *opened);

	if (!opened)
		return pm_error_out_of_memory(error);

	opened->database = &recording->database;
	pm_regions_init(&opened->all);
	int result = -1;
	if (pm_database_prepare(opened->database, sizes_sql, &opened->sizes, error) == 0 &&
	    pm_database_prepare(opened->database, samples_sql, &opened->samples, error) == 0)
		result = pm_statement_next(opened->database, opened->sizes, error);
	opened->size_waits = result > 0;

	if (result < 0 || read_all(opened, error) < 0 || make_index(opened, error) < 0) {
		pm_recording_walk_close(opened);
		return -1;
	}
	*walk = opened;
	return 0;
}

void pm_recording_walk_close(struct pm_recording_walk *walk)
{
	if (!walk)
		return;

	sqlite3_finalize(walk->sizes);
	sqlite3_finalize(walk->samples);
	pm_regions_deinit(&walk->all);
	free(walk->lives);
	free(walk->places);
	free(walk->seen.items);
	free(walk);
}

/** Reports that a size cannot be. */
static int report_size(const struct pm_recording_walk *walk, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_FORMAT, 0,
	                    "%s is damaged: a process is larger than an address space",
	                    walk->database->path);
}

/** Sets the sizes of a region to those of the present row. */
static int use_size(struct pm_recording_walk *walk, struct pm_error *error)
{
	uint64_t rss = pm_column(walk->sizes, 2), swap = pm_column(walk->sizes, 3);
	struct place key = { .id = sqlite3_column_int64(walk->sizes, 0) };
	const struct place *place = bsearch(&key, walk->places, walk->all.count, sizeof key,
	                                    compare_places);

	if (rss > bytes_max || swap > bytes_max)
		return report_size(walk, error);
	if (!place)
		return 0;

	walk->lives[place->index].sized = true;
	walk->all.items[place->index].bytes[PM_SIZE_RSS] = rss;
	walk->all.items[place->index].bytes[PM_SIZE_SWAP] = swap;
	return 0;
}

/** Uses the sizes up to a sample. */
static int use_sizes(struct pm_recording_walk *walk, uint64_t number, struct pm_error *error)
{
	while (walk->size_waits && pm_column(walk->sizes, 1) <= number) {
		if (use_size(walk, error) < 0)
			return -1;
		int result = pm_statement_next(walk->database, walk->sizes, error);
		if (result < 0)
			return -1;
		walk->size_waits = result > 0;
	}
	return 0;
}

/** Copies the regions of a sample. */
static int select_regions(struct pm_recording_walk *walk, uint64_t number, struct pm_error *error)
{
	struct pm_regions *seen = &walk->seen;

	seen->count = 0;
	for (size_t i = 0; i < walk->all.count; i++) {
		const struct life *life = &walk->lives[i];
		const struct pm_region *region = &walk->all.items[i];

		if (!life->sized || life->stored.first > number || life->stored.until <= number)
			continue;
		if (seen->count > 0 && seen->items[seen->count - 1].end > region->start)
			return pm_error_set(error, PM_ERROR_FORMAT, 0,
			                    "%s is damaged: it contains regions that overlap",
			                    walk->database->path);
		seen->items[seen->count++] = *region;
	}
	return 0;
}

/** Refuses figures with which no command can work. */
static int check(const struct pm_recording_walk *walk, const struct pm_recorded *read,
                 struct pm_error *error)
{
	const struct pm_totals *totals = &read->totals;

	/* The condition is negated, because a comparison with NaN is false. */
	if (!(read->time >= walk->before && read->time <= seconds_max))
		return pm_error_set(error, PM_ERROR_FORMAT, 0,
		                    "%s is damaged: its samples are not in order of time",
		                    walk->database->path);
	if (totals->size > bytes_max || totals->rss > bytes_max || totals->swap > bytes_max)
		return report_size(walk, error);
	return 0;
}

int pm_recording_walk_next(struct pm_recording_walk *walk, struct pm_recorded *recorded,
                           const struct pm_regions **regions, struct pm_error *error)
{
	int result = pm_statement_next(walk->database, walk->samples, error);

	if (result <= 0)
		return result;

	struct pm_recorded read = pm_listing_row(walk->samples);
	if (check(walk, &read, error) < 0 || use_sizes(walk, read.number, error) < 0 ||
	    select_regions(walk, read.number, error) < 0)
		return -1;
	walk->before = read.time;
	*recorded = read;
	*regions = &walk->seen;
	return 1;
}
