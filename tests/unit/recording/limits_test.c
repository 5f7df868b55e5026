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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(limits_of_each_sample_are_read, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(old_recordings_are_read_and_continued, place_make,
		                                place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
