/* SPDX-License-Identifier: MIT */
/* Limits in recordings: those of each sample are read back, and recordings without limits are read
 * as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include <procmem/recording.h>

#include "support/place.h"

/** Makes all limits of one sample; sources and figures differ from each other and from sample to
 * sample. */
static void make_limits(unsigned moment, size_t count, struct pm_headroom *headroom)
{
	*headroom = (struct pm_headroom){ .count = count };
	for (size_t i = 0; i < count; i++) {
		struct pm_limit *limit = &headroom->limits[i];
		*limit = (struct pm_limit){ .kind = (enum pm_limit_kind)i,
			                    .counts = i >= PM_LIMIT_MAPPINGS,
			                    .max = UINT64_MAX - i,
			                    .used = moment * 1000 + i,
			                    .reclaimable = i * moment };
		snprintf(limit->source, sizeof limit->source, "/sys/fs/%zu \xff", i);
	}
}

static void record(struct pm_recorder *recorder, unsigned moment,
                   const struct pm_headroom *headroom)
{
	struct pm_regions regions = { 0 };
	struct pm_error error = { 0 };
	const struct pm_sample sample = {
		.time = moment, .wall_ns = moment, .regions = &regions, .fresh = moment % 2
	};

	if (pm_recorder_add(recorder, &sample, headroom, &error) < 0)
		fail_msg("%s", error.text);
}

static void assert_limits(struct pm_recording *recording, uint64_t number, size_t count)
{
	struct pm_headroom read, truth;
	struct pm_error error = { 0 };

	make_limits((unsigned)number, count, &truth);
	if (pm_recording_read_headroom(recording, number, &read, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(read.count, count);

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(read.limits[i].kind, truth.limits[i].kind);
		assert_int_equal(read.limits[i].counts, truth.limits[i].counts);
		assert_int_equal(read.limits[i].max, truth.limits[i].max);
		assert_int_equal(read.limits[i].used, truth.limits[i].used);
		assert_int_equal(read.limits[i].reclaimable, truth.limits[i].reclaimable);
		assert_string_equal(read.limits[i].source, truth.limits[i].source);
	}
}

static void limits_of_each_sample_are_read(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_headroom headroom;
	for (unsigned moment = 1; moment <= PM_LIMIT_KINDS; moment++) {
		make_limits(moment, moment, &headroom);
		record(recorder, moment, moment == 3 ? NULL : &headroom);
	}

	pm_recorder_close(recorder);
	struct pm_recording *recording = place_recording(place);
	for (unsigned moment = 1; moment <= PM_LIMIT_KINDS; moment++)
		assert_limits(recording, moment, moment == 3 ? 0 : moment);

	assert_limits(recording, 99, 0);
	pm_recording_close(recording);
}

static void change_file(const struct place *place, const char *sql)
{
	sqlite3 *handle;
	assert_int_equal(sqlite3_open(place->file, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void old_recordings_are_read_and_continued(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	record(recorder, 1, NULL);
	pm_recorder_close(recorder);

	/* As written by the first versions. */
	change_file(place, "DROP TABLE headroom");

	struct pm_recording *recording = place_recording(place);
	assert_limits(recording, 1, 0);
	pm_recording_close(recording);

	struct pm_headroom headroom;
	make_limits(2, 5, &headroom);
	recorder = place_recorder(place);
	record(recorder, 2, &headroom);
	pm_recorder_close(recorder);
	recording = place_recording(place);
	assert_limits(recording, 1, 0);
	assert_limits(recording, 2, 5);

	pm_recording_close(recording);
	/* A limit that a later version of the same format may add. */
	change_file(place, "INSERT INTO headroom SELECT 2, 'files', 1, 1, 1, min(id) FROM text");
	recording = place_recording(place);
	assert_limits(recording, 2, 5);
	pm_recording_close(recording);
}

/* Number of limits that make_levels() makes. */
enum { LEVELS = PM_LIMIT_LEVELS + 1 };

/** Makes the limits of three cgroups and of the machine: of each kind, the least left is first. */
static void make_levels(struct pm_headroom *headroom)
{
	static const struct {
		enum pm_limit_kind kind;
		const char *source;
		uint64_t max, used, reclaimable;
	} rows[LEVELS] = {
		{ PM_LIMIT_CGROUP, "/shop/web/memory.max", 400, 350, 50 },
		{ PM_LIMIT_CGROUP, "/shop/memory.max", 900, 800, 0 },
		{ PM_LIMIT_CGROUP, "/memory.max", 5000, 4900, 0 },
		{ PM_LIMIT_CGROUP_HIGH, "/shop/memory.high", 700, 690, 0 },
		{ PM_LIMIT_SYSTEM, "/proc/meminfo", 9000, 1, 0 },
		{ PM_LIMIT_PIDS, "/shop/web/pids.max", 10, 9, 0 },
		{ PM_LIMIT_PIDS, "/shop/pids.max", 20, 10, 0 },
	};

	*headroom = (struct pm_headroom){ .count = LEVELS };
	for (size_t i = 0; i < LEVELS; i++) {
		struct pm_limit *limit = &headroom->limits[i];
		*limit = (struct pm_limit){ .kind = rows[i].kind,
			                    .counts = rows[i].kind == PM_LIMIT_PIDS,
			                    .max = rows[i].max,
			                    .used = rows[i].used,
			                    .reclaimable = rows[i].reclaimable };
		snprintf(limit->source, sizeof limit->source, "%s", rows[i].source);
	}
}

/** Checks the limits of a sample that was recorded with make_levels(). */
static void assert_levels(const struct place *place, uint64_t number)
{
	struct pm_recording *recording = place_recording(place);
	struct pm_headroom read, truth;

	make_levels(&truth);
	assert_int_equal(pm_recording_read_headroom(recording, number, &read, NULL), 0);
	pm_recording_close(recording);
	assert_int_equal(read.count, LEVELS);

	for (size_t i = 0; i < LEVELS; i++) {
		assert_int_equal(read.limits[i].kind, truth.limits[i].kind);
		assert_int_equal(read.limits[i].counts, truth.limits[i].counts);
		assert_int_equal(read.limits[i].max, truth.limits[i].max);
		assert_int_equal(read.limits[i].used, truth.limits[i].used);
		assert_int_equal(read.limits[i].reclaimable, truth.limits[i].reclaimable);
		assert_string_equal(read.limits[i].source, truth.limits[i].source);
	}
}

static void record_levels(const struct place *place, unsigned moment)
{
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_headroom headroom;

	make_levels(&headroom);
	record(recorder, moment, &headroom);
	pm_recorder_close(recorder);
}

/** Checks the result of a query that returns one text. */
static void assert_query(const struct place *place, const char *sql, const char *expected)
{
	sqlite3 *handle;
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_open(place->file, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), expected);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void limits_of_all_levels_are_read(void **state)
{
	const struct place *place = *state;

	record_levels(place, 1);
	assert_levels(place, 1);

	/* The query of versions that do not know the table `headroom_level`. */
	assert_query(place,
	             "SELECT group_concat(name || ' ' || text.value || ' ' || max, ', ') FROM "
	             "(SELECT * FROM headroom WHERE sample = 1 ORDER BY name) "
	             "JOIN text ON text.id = source",
	             "cgroup /shop/web/memory.max 400, cgroup_high /shop/memory.high 700, "
	             "pids /shop/web/pids.max 10, system /proc/meminfo 9000");
}

static void recordings_without_levels_are_read_and_continued(void **state)
{
	const struct place *place = *state;
	struct pm_headroom read;

	record_levels(place, 1);
	change_file(place, "DROP TABLE headroom_level");

	struct pm_recording *recording = place_recording(place);
	assert_int_equal(pm_recording_read_headroom(recording, 1, &read, NULL), 0);
	pm_recording_close(recording);
	assert_int_equal(read.count, 4);
	assert_string_equal(read.limits[0].source, "/shop/web/memory.max");

	record_levels(place, 2);
	assert_levels(place, 2);
}

static void too_many_limits_are_bounded(void **state)
{
	const struct place *place = *state;
	struct pm_headroom read;

	record_levels(place, 1);
	change_file(place, "WITH RECURSIVE n(i) AS (SELECT 9 UNION ALL SELECT i + 1 FROM n WHERE "
	                   "i < 500) INSERT INTO headroom_level SELECT 1, kind, i, i, i, 0, "
	                   "(SELECT min(id) FROM text) FROM n, (SELECT 'cgroup' AS kind UNION "
	                   "SELECT 'cgroup_working_set' UNION SELECT 'cgroup_high' UNION SELECT "
	                   "'system' UNION SELECT 'stack' UNION SELECT 'pids' UNION SELECT 'x')");

	struct pm_recording *recording = place_recording(place);
	assert_int_equal(pm_recording_read_headroom(recording, 1, &read, NULL), 0);
	pm_recording_close(recording);

	size_t counts[PM_LIMIT_KINDS] = { 0 };
	assert_true(read.count <= PM_LIMITS_MAX);
	for (size_t i = 0; i < read.count; i++)
		counts[read.limits[i].kind]++;

	assert_int_equal(counts[PM_LIMIT_CGROUP], PM_LIMIT_LEVELS);
	assert_int_equal(counts[PM_LIMIT_PIDS], PM_LIMIT_LEVELS);
	assert_int_equal(counts[PM_LIMIT_SYSTEM], 1);
	assert_int_equal(counts[PM_LIMIT_STACK], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_of_each_sample_are_read, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(old_recordings_are_read_and_continued, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(limits_of_all_levels_are_read, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(recordings_without_levels_are_read_and_continued,
		                                place_make, place_remove),
		cmocka_unit_test_setup_teardown(too_many_limits_are_bounded, place_make,
		                                place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
