/* SPDX-License-Identifier: MIT */
/* Details of regions in recordings: each is read as it was written, also from older files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <sqlite3.h>

#include <procmem/recording.h>

#include "support/detail_samples.h"
#include "support/place.h"

/** Records a region for each detail. */
static void record(const struct place *place)
{
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_regions regions;
	pm_regions_init(&regions);

	for (size_t i = 0; i < detail_sample_count; i++) {
		const struct pm_region region = { .start = (i + 1) << 20,
			                          .end = (i + 2) << 20,
			                          .kind = PM_KIND_ANON,
			                          .detail = detail_samples[i].detail };
		assert_int_equal(pm_regions_append(&regions, &region, NULL), 0);
	}

	struct pm_sample sample = { .time = 1, .regions = &regions, .fresh = true };
	assert_int_equal(pm_recorder_add(recorder, &sample, NULL, NULL), 0);
	pm_recorder_close(recorder);
	pm_regions_deinit(&regions);
}

/** Reads the regions of the last sample; release them with pm_regions_deinit(). */
static void read_last(const struct place *place, struct pm_regions *regions)
{
	struct pm_recording *recording = place_recording(place);
	struct pm_recorded recorded;
	uint64_t count;

	pm_regions_init(regions);
	assert_int_equal(pm_recording_count(recording, &count, NULL), 0);
	assert_int_equal(pm_recording_read(recording, count, &recorded, regions, NULL), 0);
	assert_int_equal(regions->count, detail_sample_count);
	pm_recording_close(recording);
}

/** Changes the file as another program would. */
static void change(const struct place *place, const char *sql)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(place->file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/** Checks that all details are read as their texts. */
static void expect_texts(const struct place *place)
{
	struct pm_regions regions;
	read_last(place, &regions);

	for (size_t i = 0; i < detail_sample_count; i++) {
		char text[256];
		const struct pm_detail *detail = &regions.items[i].detail;
		bool none = detail_samples[i].detail.type == PM_DETAIL_NONE;
		pm_detail_format(detail, text, sizeof text);
		assert_string_equal(text, detail_samples[i].text);
		assert_int_equal(detail->type, none ? PM_DETAIL_NONE : PM_DETAIL_TEXT);
	}

	pm_regions_deinit(&regions);
}

static void each_detail_is_read_as_it_was_written(void **state)
{
	const struct place *place = *state;
	struct pm_regions regions;

	record(place);
	read_last(place, &regions);
	for (size_t i = 0; i < detail_sample_count; i++)
		if (!pm_detail_equal(&regions.items[i].detail, &detail_samples[i].detail))
			fail_msg("'%s' was read differently", detail_samples[i].text);
	pm_regions_deinit(&regions);
}

static void recordings_without_the_table_have_texts(void **state)
{
	const struct place *place = *state;
	record(place);
	change(place, "DROP TABLE fact");
	expect_texts(place);
}

/** The second half is written by this version, which adds the table. */
static void recordings_without_the_table_can_be_continued(void **state)
{
	const struct place *place = *state;
	record(place);
	change(place, "DROP TABLE fact");
	record(place);
	each_detail_is_read_as_it_was_written(state);

	struct pm_recording *recording = place_recording(place);
	struct pm_recorded recorded;
	struct pm_regions regions;
	pm_regions_init(&regions);
	assert_int_equal(pm_recording_read(recording, 1, &recorded, &regions, NULL), 0);
	assert_int_equal(regions.items[1].detail.type, PM_DETAIL_TEXT);
	pm_regions_deinit(&regions);
	pm_recording_close(recording);
}

/** A later version may add types. */
static void unknown_types_are_read_as_texts(void **state)
{
	const struct place *place = *state;
	record(place);
	change(place, "UPDATE fact SET type = 'of a later version'");
	expect_texts(place);
}

/** Numbers and words that no version writes. */
static void damaged_details_are_harmless(void **state)
{
	const struct place *place = *state;
	struct pm_regions regions;
	char text[1024];

	record(place);
	change(place,
	       "UPDATE fact SET runtime = 'none', allocator = x'00ff', place = 7, count = -1, "
	       "found = NULL, start_address = 'x', heap = -1, thread = -1, name = NULL");
	read_last(place, &regions);
	for (size_t i = 0; i < regions.count; i++)
		pm_detail_format(&regions.items[i].detail, text, sizeof text);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_detail_is_read_as_it_was_written, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(recordings_without_the_table_have_texts, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(recordings_without_the_table_can_be_continued,
		                                place_make, place_remove),
		cmocka_unit_test_setup_teardown(unknown_types_are_read_as_texts, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(damaged_details_are_harmless, place_make,
		                                place_remove),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
