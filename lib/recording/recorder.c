/* SPDX-License-Identifier: MIT */
/*
 * Keeps a copy of the regions that were stored last, and writes only the differences between this
 * copy and the next sample. A row of the table `region` is valid as long as only the sizes of the
 * region change. Sizes are stored in rows of other tables.
 */
#include <procmem/recorder.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recording/database.h"
#include "recording/process_id.h"
#include "recording/sample_place.h"
#include "recording/stored_chunks.h"
#include "recording/stored_detail.h"
#include "recording/stored_limits.h"
#include "recording/stored_owners.h"
#include "recording/stored_sites.h"

/** Statements that write a sample. */
enum statement {
	LAST_SAMPLE,
	ADD_SAMPLE,
	ADD_TEXT,
	FIND_TEXT,
	ADD_REGION,
	END_REGION,
	ADD_SIZE,
	ADD_SMAPS,
	ADD_LIMIT,
	ADD_LEVEL,
	ADD_DETAIL,
	ADD_OWNER,
	STATEMENTS
};

static const char *const statements[STATEMENTS] = {
	[LAST_SAMPLE] = "SELECT number, time FROM sample ORDER BY number DESC LIMIT 1",
	[ADD_SAMPLE] = "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ADD_TEXT] = "INSERT OR IGNORE INTO text (value) VALUES (?)",
	[FIND_TEXT] = "SELECT id FROM text WHERE value = ?",
	[ADD_REGION] =
		("INSERT INTO region VALUES (NULL, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
	         "?, ?, ?, ?, ?)"),
	[END_REGION] = "UPDATE region SET until_sample = ? WHERE id = ?",
	[ADD_SIZE] = "INSERT OR REPLACE INTO size VALUES (?, ?, ?, ?)",
	[ADD_SMAPS] = "INSERT OR REPLACE INTO smaps VALUES (?, ?, ?, ?)",
	[ADD_LIMIT] = pm_stored_limit_insert,
	[ADD_LEVEL] = pm_stored_level_insert,
	[ADD_DETAIL] = pm_stored_detail_insert,
	[ADD_OWNER] = pm_stored_owner_insert,
};

struct pm_recorder {
	struct pm_database database;
	sqlite3_stmt *statements[STATEMENTS];
	uint64_t number; /* number of the last sample that this recorder added; until it has added
	                    one, the number of the last sample in the file; 0 if there is none */
	struct pm_regions regions; /* the regions as they were stored last */
	int64_t *ids; /* row ID of each region; NULL until this recorder has added a sample whose
	                 regions were measured (pm_sample.fresh) */
	bool in_file; /* at least one sample was moved from the write-ahead log to the file itself
	               */
	bool ended;   /* an error occurred, and no more samples can be added */
	const struct pm_histogram *chunks;  /* is stored with the next sample; may be NULL */
	const struct pm_site_list *sites;   /* the same */
	const struct pm_owner_sums *owners; /* the same */
};

static int prepare_all(struct pm_recorder *recorder, struct pm_error *error)
{
	for (size_t i = 0; i < STATEMENTS; i++)
		if (pm_database_prepare(&recorder->database, statements[i],
		                        &recorder->statements[i], error) < 0)
			return -1;
	return 0;
}

/**
 * Reads the place of the last sample in the file.
 * @param last  receives the place; unchanged if the file has no samples
 */
static int read_last(struct pm_recorder *recorder, struct pm_sample_place *last,
                     struct pm_error *error)
{
	sqlite3_stmt *statement = recorder->statements[LAST_SAMPLE];
	int result = pm_statement_next(&recorder->database, statement, error);

	if (result > 0)
		*last = (struct pm_sample_place){ .number = pm_column(statement, 0),
			                          .time = sqlite3_column_double(statement, 1) };
	sqlite3_reset(statement);
	return result < 0 ? -1 : 0;
}

int pm_recorder_open(const char *path, const struct pm_process_id *id,
                     struct pm_recorder **recorder, struct pm_error *error)
{
	struct pm_recorder *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	struct pm_sample_place last = { 0 };

	pm_regions_init(&opened->regions);
	if (pm_database_create(&opened->database, path, error) < 0 ||
	    pm_process_id_claim(&opened->database, id, error) < 0 ||
	    prepare_all(opened, error) < 0 || read_last(opened, &last, error) < 0) {
		pm_recorder_close(opened);
		return -1;
	}

	opened->number = last.number;
	opened->database.has_samples = last.number > 0;
	*recorder = opened;
	return 0;
}

int pm_recorder_end(struct pm_recorder *recorder, const char *why, struct pm_error *error)
{
	/* The last sample may be one of another recorder. */
	static const char sql[] = "INSERT OR REPLACE INTO ending SELECT max(number), ? FROM sample";
	sqlite3_stmt *statement;

	if (recorder->ended || recorder->number == 0)
		return 0;
	if (pm_database_prepare(&recorder->database, sql, &statement, error) < 0)
		return -1;

	sqlite3_bind_text(statement, 1, why, -1, SQLITE_STATIC);

	int result = pm_statement_finish(&recorder->database, statement, error);
	sqlite3_finalize(statement);

	return result;
}

void pm_recorder_close(struct pm_recorder *recorder)
{
	if (!recorder)
		return;

	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(recorder->statements[i]);

	/*
	 * Remove the write-ahead log, so that the file alone is complete. This fails if another
	 * process is reading the file. The log then remains, and readers of the file use it.
	 */
	if (recorder->database.handle)
		sqlite3_exec(recorder->database.handle, "PRAGMA journal_mode = DELETE", NULL, NULL,
		             NULL);

	pm_database_close(&recorder->database);
	pm_regions_deinit(&recorder->regions);
	free(recorder->ids);
	free(recorder);
}

static int finish(struct pm_recorder *recorder, enum statement which, struct pm_error *error)
{
	return pm_statement_finish(&recorder->database, recorder->statements[which], error);
}

static int add_sample(struct pm_recorder *recorder, const struct pm_sample *sample,
                      const struct pm_sample_place *place, struct pm_error *error)
{
	sqlite3_stmt *statement = recorder->statements[ADD_SAMPLE];
	const struct pm_totals *totals = &sample->totals;
	const uint64_t values[] = { totals->size,  totals->rss,  totals->anon, totals->file,
		                    totals->shmem, totals->swap, totals->pte,  totals->threads };

	pm_bind(statement, 1, place->number);
	sqlite3_bind_double(statement, 2, place->time);
	sqlite3_bind_int64(statement, 3, sample->wall_ns + place->later_ns);
	sqlite3_bind_int(statement, 4, sample->fresh);

	for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
		pm_bind(statement, 5 + i, values[i]);

	return finish(recorder, ADD_SAMPLE, error);
}

/**
 * Finds a text in the table `text`, or adds it if the table does not have it.
 * @param id  receives the row ID of the text
 */
static int find_text(struct pm_recorder *recorder, const char *text, int64_t *id,
                     struct pm_error *error)
{
	sqlite3_stmt *find = recorder->statements[FIND_TEXT];
	for (int attempt = 0; attempt < 2; attempt++) {
		sqlite3_bind_text(find, 1, text, -1, SQLITE_STATIC);
		int found = pm_statement_next(&recorder->database, find, error);
		if (found > 0)
			*id = sqlite3_column_int64(find, 0);
		sqlite3_reset(find);

		if (found < 0)
			return -1;
		if (found > 0)
			return 0;

		sqlite3_bind_text(recorder->statements[ADD_TEXT], 1, text, -1, SQLITE_STATIC);
		if (finish(recorder, ADD_TEXT, error) < 0)
			return -1;
	}

	return pm_error_set(error, PM_ERROR_FORMAT, 0,
	                    "%s is damaged: a text that was inserted could not be read back",
	                    recorder->database.path);
}

/**
 * Writes the limits of the process at the time of a sample. Of the limits of the same kind, the
 * first has the least left. Limits whose used part is not known are left out.
 */
static int add_limits(struct pm_recorder *recorder, const struct pm_headroom *headroom,
                      uint64_t number, struct pm_error *error)
{
	size_t level = 0;

	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];
		sqlite3_stmt *statement = recorder->statements[ADD_LIMIT];
		int64_t source = 0;

		/* The value 0 would be false. */
		if (limit->used_unknown)
			continue;

		level++;
		if (i == 0 || headroom->limits[i - 1].kind != limit->kind)
			level = 0;
		if (level > 0)
			statement = recorder->statements[ADD_LEVEL];

		if (find_text(recorder, limit->source, &source, error) < 0 ||
		    pm_stored_limit_write(&recorder->database, statement, number, level, limit,
		                          source, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Finds or adds the formatted text of a detail in the table `text`, and returns its row ID in `id`.
 * Versions of procmem that do not know the table `fact` show this text.
 */
static int find_detail(struct pm_recorder *recorder, const struct pm_detail *detail, int64_t *id,
                       struct pm_error *error)
{
	char brief[256];
	size_t length = pm_detail_format(detail, brief, sizeof brief);

	if (length < sizeof brief)
		return find_text(recorder, brief, id, error);

	char *text = malloc(length + 1);
	if (!text)
		return pm_error_out_of_memory(error);

	pm_detail_format(detail, text, length + 1);
	int result = find_text(recorder, text, id, error);
	free(text);
	return result;
}

static int add_region(struct pm_recorder *recorder, const struct pm_region *region, uint64_t number,
                      int64_t *id, struct pm_error *error)
{
	sqlite3_stmt *statement = recorder->statements[ADD_REGION];
	int64_t mapping, detail, why;
	if (find_text(recorder, region->mapping, &mapping, error) < 0 ||
	    find_detail(recorder, &region->detail, &detail, error) < 0 ||
	    find_text(recorder, region->why, &why, error) < 0)
		return -1;

	const uint64_t place[] = {
		number,          region->start,        region->end,          region->perms,
		region->offset,  region->device_major, region->device_minor, region->inode,
		region->deleted, region->vm_flags
	};
	int column = 1;

	for (size_t i = 0; i < sizeof place / sizeof *place; i++)
		pm_bind(statement, column++, place[i]);

	sqlite3_bind_text(statement, column++, pm_kind_name((enum pm_kind)region->kind), -1,
	                  SQLITE_STATIC);

	const uint64_t nature[] = { region->proof,     (uint64_t)region->thread, region->arena,
		                    (uint64_t)mapping, (uint64_t)detail,         (uint64_t)why };
	for (size_t i = 0; i < sizeof nature / sizeof *nature; i++)
		pm_bind(statement, column++, nature[i]);

	if (finish(recorder, ADD_REGION, error) < 0)
		return -1;

	*id = sqlite3_last_insert_rowid(recorder->database.handle);
	if (pm_stored_owner_write(&recorder->database, recorder->statements[ADD_OWNER], *id, region,
	                          error) < 0)
		return -1;
	return pm_stored_detail_write(&recorder->database, recorder->statements[ADD_DETAIL], *id,
	                              &region->detail, error);
}

static bool is_size_known_and_same(const struct pm_region *was, const struct pm_region *is,
                                   enum pm_size size)
{
	return was && pm_region_knows(was, size) && was->bytes[size] == is->bytes[size];
}

/**
 * Writes the sizes of a region that differ from the previous sample. RSS and swap are written as
 * one row of the table `size`, each other known size as a row of the table `smaps`.
 * @param was  the region at the previous sample; NULL for a new region
 */
static int add_sizes(struct pm_recorder *recorder, const struct pm_region *region,
                     const struct pm_region *was, int64_t id, uint64_t number,
                     struct pm_error *error)
{
	sqlite3_stmt *statement = recorder->statements[ADD_SIZE];

	if (!was || was->bytes[PM_SIZE_RSS] != region->bytes[PM_SIZE_RSS] ||
	    was->bytes[PM_SIZE_SWAP] != region->bytes[PM_SIZE_SWAP]) {
		const uint64_t values[] = { (uint64_t)id, number, region->bytes[PM_SIZE_RSS],
			                    region->bytes[PM_SIZE_SWAP] };
		for (int i = 0; i < 4; i++)
			pm_bind(statement, 1 + i, values[i]);
		if (finish(recorder, ADD_SIZE, error) < 0)
			return -1;
	}

	statement = recorder->statements[ADD_SMAPS];
	for (enum pm_size size = 0; size < PM_SIZE_COUNT; size++) {
		if (size == PM_SIZE_RSS || size == PM_SIZE_SWAP || !pm_region_knows(region, size) ||
		    is_size_known_and_same(was, region, size))
			continue;

		pm_bind(statement, 1, (uint64_t)id);
		pm_bind(statement, 2, number);
		sqlite3_bind_text(statement, 3, pm_size_name(size), -1, SQLITE_STATIC);
		pm_bind(statement, 4, region->bytes[size]);
		if (finish(recorder, ADD_SMAPS, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Checks whether the row of the table `region` that was written for `was` also describes `is`:
 * addresses, permissions, file, kind, owner and detail are the same. Sizes are not compared.
 */
static bool is_described(const struct pm_region *was, const struct pm_region *is)
{
	return was->start == is->start && was->end == is->end && was->perms == is->perms &&
	       was->offset == is->offset && was->inode == is->inode &&
	       was->device_major == is->device_major && was->device_minor == is->device_minor &&
	       was->deleted == is->deleted && was->vm_flags == is->vm_flags &&
	       was->kind == is->kind && was->proof == is->proof && was->thread == is->thread &&
	       was->arena == is->arena && was->owner == is->owner &&
	       was->owner_proof == is->owner_proof && was->owner_mixed == is->owner_mixed &&
	       strcmp(was->mapping, is->mapping) == 0 && pm_detail_equal(&was->detail, &is->detail);
}

static int end_region(struct pm_recorder *recorder, size_t index, uint64_t number,
                      struct pm_error *error)
{
	pm_bind(recorder->statements[END_REGION], 1, number);
	pm_bind(recorder->statements[END_REGION], 2, (uint64_t)recorder->ids[index]);
	return finish(recorder, END_REGION, error);
}

/**
 * Writes the differences between the regions that were stored last and the regions of a sample.
 * Both lists are sorted by address.
 * @param ids receives the row ID of each region of the sample; has room for one ID for each region
 */
static int add_changes(struct pm_recorder *recorder, const struct pm_regions *regions,
                       uint64_t number, int64_t *ids, struct pm_error *error)
{
	const struct pm_regions *known = &recorder->regions;
	size_t k = 0;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i], *was = NULL;

		for (; k < known->count && known->items[k].start < region->start; k++)
			if (end_region(recorder, k, number, error) < 0)
				return -1;

		if (k < known->count && is_described(&known->items[k], region)) {
			was = &known->items[k];
			ids[i] = recorder->ids[k++];
		} else if (add_region(recorder, region, number, &ids[i], error) < 0) {
			return -1;
		}

		if (add_sizes(recorder, region, was, ids[i], number, error) < 0)
			return -1;
	}

	for (; k < known->count; k++)
		if (end_region(recorder, k, number, error) < 0)
			return -1;

	return 0;
}

static int copy_regions(const struct pm_regions *from, struct pm_regions *to,
                        struct pm_error *error)
{
	for (size_t i = 0; i < from->count; i++)
		if (pm_regions_append(to, &from->items[i], error) < 0)
			return -1;
	return 0;
}

/**
 * Moves the first sample from the log to the file, so that a copy of the file without the log is a
 * valid recording. This can fail while another process reads the file. The move is then tried
 * again at the next sample.
 */
static void put_into_file(struct pm_recorder *recorder)
{
	int in_log, done;
	int code = sqlite3_wal_checkpoint_v2(recorder->database.handle, NULL,
	                                     SQLITE_CHECKPOINT_PASSIVE, &in_log, &done);
	recorder->in_file = code == SQLITE_OK && done == in_log;
}

/**
 * Marks all regions in the file as ended. Called when a recording is continued, or after another
 * recorder has added samples, because the recorder does not know which of the stored regions still
 * exist.
 */
static int end_old_regions(struct pm_recorder *recorder, uint64_t number, struct pm_error *error)
{
	char sql[128];

	sqlite3_snprintf(sizeof sql, sql,
	                 "UPDATE region SET until_sample = %llu WHERE until_sample IS NULL",
	                 (unsigned long long)number);
	return pm_database_run(&recorder->database, sql, error);
}

/** Forgets the regions that were stored last: the next fresh sample stores all its regions. */
static void forget_regions(struct pm_recorder *recorder)
{
	pm_regions_deinit(&recorder->regions);
	free(recorder->ids);
	pm_regions_init(&recorder->regions);
	recorder->ids = NULL;
}

/**
 * Begins a transaction, and determines the place of the next sample. No other recorder can add
 * samples until the transaction ends.
 * @param time   time of the sample
 * @param place  receives the place
 */
static int begin(struct pm_recorder *recorder, double time, struct pm_sample_place *place,
                 struct pm_error *error)
{
	struct pm_sample_place last = { 0 };

	if (pm_database_run(&recorder->database, "BEGIN IMMEDIATE", error) < 0 ||
	    read_last(recorder, &last, error) < 0)
		return -1;

	/* Another recorder has ended the regions that this one has stored. */
	if (last.number != recorder->number)
		forget_regions(recorder);

	*place = pm_sample_place_after(&last, time);
	return 0;
}

/**
 * Writes a sample and commits the transaction, which the caller has begun.
 * @param ids receives the row ID of each region of the sample if the sample is fresh; otherwise
 *            unused
 */
static int write_sample(struct pm_recorder *recorder, const struct pm_sample *sample,
                        const struct pm_headroom *headroom, const struct pm_sample_place *place,
                        int64_t *ids, struct pm_error *error)
{
	uint64_t number = place->number;

	if (add_sample(recorder, sample, place, error) < 0 ||
	    (headroom && add_limits(recorder, headroom, number, error) < 0))
		return -1;

	if (!recorder->ids && sample->fresh && end_old_regions(recorder, number, error) < 0)
		return -1;
	if (sample->fresh && add_changes(recorder, sample->regions, number, ids, error) < 0)
		return -1;
	if (recorder->chunks &&
	    pm_stored_chunks_write(&recorder->database, number, recorder->chunks, error) < 0)
		return -1;
	if (recorder->sites &&
	    pm_stored_sites_write(&recorder->database, number, recorder->sites, error) < 0)
		return -1;
	if (recorder->owners &&
	    pm_stored_owners_write(&recorder->database, number, recorder->owners, error) < 0)
		return -1;
	if (pm_database_run(&recorder->database, "COMMIT", error) < 0)
		return -1;

	if (!recorder->in_file)
		put_into_file(recorder);

	return 0;
}

int pm_recorder_add(struct pm_recorder *recorder, const struct pm_sample *sample,
                    const struct pm_headroom *headroom, struct pm_error *error)
{
	if (recorder->ended)
		return pm_error_set(error, PM_ERROR_IO, 0,
		                    "the recording to %s has ended after an error",
		                    recorder->database.path);

	struct pm_regions copy;
	int64_t *ids = NULL;

	pm_regions_init(&copy);
	if (sample->fresh) {
		ids = calloc(sample->regions->count + 1, sizeof *ids);
		if (!ids || copy_regions(sample->regions, &copy, error) < 0) {
			free(ids);
			pm_regions_deinit(&copy);
			return pm_error_out_of_memory(error);
		}
	}

	struct pm_sample_place place;
	if (begin(recorder, sample->time, &place, error) < 0 ||
	    write_sample(recorder, sample, headroom, &place, ids, error) < 0) {
		sqlite3_exec(recorder->database.handle, "ROLLBACK", NULL, NULL, NULL);
		recorder->ended = true;
		free(ids);
		pm_regions_deinit(&copy);
		return -1;
	}

	recorder->number = place.number;
	recorder->chunks = NULL;
	recorder->sites = NULL;
	recorder->owners = NULL;
	recorder->database.has_samples = true;
	if (sample->fresh) {
		forget_regions(recorder);
		recorder->regions = copy;
		recorder->ids = ids;
	}

	return 0;
}

void pm_recorder_set_chunks(struct pm_recorder *recorder, const struct pm_histogram *chunks)
{
	recorder->chunks = chunks;
}

void pm_recorder_set_sites(struct pm_recorder *recorder, const struct pm_site_list *sites)
{
	recorder->sites = sites;
}

void pm_recorder_set_owners(struct pm_recorder *recorder, const struct pm_owner_sums *owners)
{
	recorder->owners = owners;
}

uint64_t pm_recorder_number(const struct pm_recorder *recorder)
{
	return recorder->number;
}
