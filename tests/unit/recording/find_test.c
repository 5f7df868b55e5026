/* SPDX-License-Identifier: MIT */
/* Finding samples of a recording by number, word and time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <procmem/recording.h>

#include "support/place.h"

static void record_at(struct pm_recorder *recorder, int64_t wall_ns)
{
	struct pm_regions regions = { 0 };
	struct pm_error error = { 0 };
	const struct pm_sample sample = { .time = (double)wall_ns / 1e9,
		                          .wall_ns = wall_ns,
		                          .regions = &regions,
		                          .fresh = true };

	if (pm_recorder_add(recorder, &sample, NULL, &error) < 0)
		fail_msg("%s", error.text);
}

static void assert_found(struct pm_recording *recording, const char *which, uint64_t expected)
{
	uint64_t number = 0;
	struct pm_error error = { 0 };
	if (pm_recording_find(recording, which, &number, &error) < 0)
		fail_msg("%s: %s", which, error.text);
	assert_int_equal(number, expected);
}

static void samples_are_found_by_number_and_word(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	/* One per minute from 2026-01-01T00:00 on. */
	for (int i = 0; i < 10; i++)
		record_at(recorder, (1767225600 + i * 60) * 1000000000ll);

	pm_recorder_close(recorder);
	struct pm_recording *recording = place_recording(place);
	assert_found(recording, "first", 1);
	assert_found(recording, "last", 10);
	assert_found(recording, "7", 7);
	assert_found(recording, "2026-01-01T00:00", 1);
	assert_found(recording, "2026-01-01T00:04Z", 5);
	assert_found(recording, "2026-01-01 00:04:59", 5);

	assert_found(recording, "2027-12-31T00:00:00Z", 10);
	assert_found(recording, "9999-12-31T00:00:00Z", 10);

	static const char *const missing[] = { "0", "11", "2025-12-31T23:59" };
	static const char *const wrong[] = { "",
		                             "-1",
		                             "now",
		                             "2026-02-30T00:00",
		                             "2026-01-01",
		                             "2026-01-01T24:00",
		                             "2026-01-01T00:00:00Zx",
		                             "1x" };

	struct pm_error error;
	uint64_t number;
	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
		assert_int_equal(pm_recording_find(recording, missing[i], &number, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	}

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(pm_recording_find(recording, wrong[i], &number, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_USAGE);
	}

	pm_recording_close(recording);
}

static void assert_too_early(struct pm_recording *recording, const char *which)
{
	uint64_t number = 77;
	struct pm_error error = { 0 };
	assert_int_equal(pm_recording_find(recording, which, &number, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_NOT_FOUND);
	assert_int_equal(number, 77);
	if (!strstr(error.text,
	            "its first sample was taken at 2026-01-31T12:00:30 (UTC); use /tmp/") ||
	    !strstr(error.text, "@first"))
		fail_msg("%s", error.text);
}

static void time_covers_its_precision(void **state)
{
	const struct place *place = *state;
	const int64_t noon = 1769860800000000000ll, second = 1000000000ll;
	struct pm_recorder *recorder = place_recorder(place);
	record_at(recorder, noon + 30 * second + 250000000); /* 2026-01-31T12:00:30.250 */
	record_at(recorder, noon + 45 * second + 999999999);
	record_at(recorder, noon + 240 * second);
	record_at(recorder, noon + 12 * 3600 * second + 600 * second); /* 2026-02-01T00:10 */
	pm_recorder_close(recorder);

	struct pm_recording *recording = place_recording(place);
	assert_found(recording, "2026-01-31T12:00", 2);
	assert_found(recording, "2026-01-31T12:03", 2);
	assert_found(recording, "2026-01-31T12:04", 3);
	assert_found(recording, "2026-01-31T12:00:30", 1);
	assert_found(recording, "2026-01-31T12:00:44Z", 1);
	assert_found(recording, "2026-01-31T12:00:45", 2);
	assert_found(recording, "2026-01-31T12:00:45.9", 2);

	assert_found(recording, "2026-01-31T12:00:45.998Z", 1);
	assert_found(recording, "2026-01-31T12:00:30.250Z", 1);
	assert_found(recording, "2026-01-31T12:00:30.25000000012", 1);

	/* A time without date: of the last day, or of the day before if only that is recorded. */
	assert_found(recording, "00:10", 4);
	assert_found(recording, "00:09:59", 3);
	assert_found(recording, "12:00", 2);
	assert_found(recording, "12:00:30.3Z", 1);
	assert_found(recording, "11:59", 4);
	assert_too_early(recording, "2026-01-31T11:59");
	assert_too_early(recording, "2026-01-31T12:00:29");

	assert_too_early(recording, "2026-01-31T12:00:30.249");
	static const char *const wrong[] = {
		"12:",    "12:60",  "24:00",  "12:00:",        "12:00:30.",         "12:00:30.x",
		"12:00x", "T12:00", "-12:00", "2026-01-31T12", "2026-01-31T12:00.5"
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct pm_error error = { 0 };
		uint64_t number;
		assert_int_equal(pm_recording_find(recording, wrong[i], &number, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_USAGE);
	}

	pm_recording_close(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(samples_are_found_by_number_and_word, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(time_covers_its_precision, place_make,
		                                place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
