/* SPDX-License-Identifier: MIT */
/* Histograms of chunks in recordings: those of each sample are read back, and recordings without
 * them are read and continued as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include <procmem/recording.h>

#include "support/place.h"
#include "support/target.h"

enum { CLASSES = 40, SAMPLES = 30 };

/** A histogram that a test defines. */
struct made {
	struct pm_histogram histogram;
	struct pm_histogram_class classes[CLASSES];
	char names[CLASSES][32];
};

/** Returns the number of chunks of a class at a sample: some classes come, go and come back. */
static uint64_t count_at(size_t class, uint64_t sample)
{
	if ((class + sample) % 7 == 0)
		return 0;
	if (class % 3 == 0)
		return class + 1;
	return class * 1000 + sample / 4;
}

/** Makes the histogram of a sample; the class with the most bytes is first. */
static void make(struct made *made, uint64_t sample)
{
	size_t used = 0;

	*made = (struct made){ .histogram = { .complete = sample % 2,
		                              .allocator = "glibc",
		                              .count = sample * 10,
		                              .bytes = UINT64_MAX - sample,
		                              .bound = sample % 3 } };
	for (size_t i = CLASSES; i-- > 0;) {
		const uint64_t size = (uint64_t)1 << i;
		const uint64_t count = count_at(i, sample);

		if (count == 0)
			continue;
		snprintf(made->names[used], sizeof *made->names, "class %zu \xff", i);
		made->classes[used] = (struct pm_histogram_class){
			.size = size,
			.count = count,
			.bytes = count << i,
			.missed = count % 5,
			.example = UINT64_MAX - i - count,
			.content = PM_CONTENT_OBJECT,
			.word = i % 2 * 8,
			.text_varies = count % 2,
			.text_cut = count % 3 == 0,
			.name = made->names[used],
			.text = count % 2 ? "it's a \"text\"\n" : "",
		};
		used++;
	}

	made->histogram.classes = made->classes;
	made->histogram.class_count = used;
}

static int compare_sizes(const void *left, const void *right)
{
	const struct pm_histogram_class *a = left, *b = right;
	return (a->size < b->size) - (a->size > b->size);
}

/** Adds a sample. If it has a histogram, it is that of its number. */
static void record(struct pm_recorder *recorder, uint64_t sample, bool chunks)
{
	struct pm_regions regions = { 0 };
	struct pm_error error = { 0 };
	const struct pm_sample taken = { .time = (double)sample, .regions = &regions };
	struct made made;

	make(&made, sample);
	pm_recorder_set_chunks(recorder, chunks ? &made.histogram : NULL);
	must(pm_recorder_add(recorder, &taken, NULL, &error), &error);
	assert_int_equal(pm_recorder_number(recorder), sample);
}

/** Checks the chunks of a sample: they are those of the sample `truth`. */
static void expect(struct pm_recording *recording, uint64_t sample, uint64_t truth)
{
	struct pm_histogram read;
	struct pm_error error = { 0 };
	struct made made;
	uint64_t found;

	make(&made, truth);
	if (pm_recording_read_chunks(recording, sample, &found, &read, &error) != 1)
		fail_msg("sample %d: %s", (int)sample, error.text);
	assert_int_equal(found, truth);
	assert_int_equal(read.complete, made.histogram.complete);
	assert_string_equal(read.allocator, "glibc");
	assert_true(read.count == made.histogram.count && read.bytes == made.histogram.bytes);
	assert_int_equal(read.bound, made.histogram.bound);
	assert_int_equal(read.class_count, made.histogram.class_count);

	for (size_t i = 1; i < read.class_count; i++)
		assert_true(read.classes[i - 1].bytes >= read.classes[i].bytes);
	qsort(read.classes, read.class_count, sizeof *read.classes, compare_sizes);
	for (size_t i = 0; i < read.class_count; i++) {
		const struct pm_histogram_class *is = &read.classes[i], *was = &made.classes[i];

		assert_true(is->size == was->size && is->count == was->count &&
		            is->bytes == was->bytes && is->missed == was->missed);
		assert_true(is->example == was->example && is->content == was->content &&
		            is->word == was->word);
		assert_true(is->text_varies == was->text_varies && is->text_cut == was->text_cut);
		assert_string_equal(is->name, was->name);
		assert_string_equal(is->text, was->text);
	}
	pm_histogram_deinit(&read);
}

static void expect_none(struct pm_recording *recording, uint64_t sample)
{
	struct pm_histogram read;
	struct pm_error error;
	uint64_t found;

	assert_int_equal(pm_recording_read_chunks(recording, sample, &found, &read, &error), 0);
}

/** Changes the file as another program would. */
static void change(const struct place *place, const char *sql)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(place->file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void chunks_of_each_sample_are_read(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);

	for (uint64_t sample = 1; sample <= SAMPLES; sample++)
		record(recorder, sample, true);
	pm_recorder_close(recorder);

	struct pm_recording *recording = place_recording(place);
	for (uint64_t sample = SAMPLES; sample >= 1; sample--)
		expect(recording, sample, sample);
	pm_recording_close(recording);
}

static void only_changes_are_written(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);

	record(recorder, 1, true);
	pm_recorder_close(recorder);
	/* The same histogram again, as sample 2. */
	recorder = place_recorder(place);
	struct pm_regions regions = { 0 };
	const struct pm_sample taken = { .time = 2, .regions = &regions };
	struct pm_error error;
	struct made made;
	make(&made, 1);
	pm_recorder_set_chunks(recorder, &made.histogram);
	must(pm_recorder_add(recorder, &taken, NULL, &error), &error);
	pm_recorder_close(recorder);

	change(place, "CREATE TABLE proof (ok INTEGER CHECK (ok = 1));"
	              "INSERT INTO proof SELECT count(*) = 0 FROM chunk_count WHERE sample = 2;"
	              "INSERT INTO proof SELECT count(*) > 0 FROM chunk_count WHERE sample = 1;");
}

static void samples_without_chunks_have_those_before(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_listed *samples;
	size_t count;

	for (uint64_t sample = 1; sample <= 6; sample++)
		record(recorder, sample, sample == 3 || sample == 5);
	pm_recorder_close(recorder);

	struct pm_recording *recording = place_recording(place);
	expect_none(recording, 1);
	expect_none(recording, 2);
	expect(recording, 3, 3);
	expect(recording, 4, 3);
	expect(recording, 6, 5);

	assert_int_equal(pm_recording_list(recording, &samples, &count, NULL), 0);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(samples[i].chunks, i == 2 || i == 4);
	free(samples);
	pm_recording_close(recording);
}

/** Each recorder compares with what the other one has written. */
static void two_recorders_take_turns(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorders[] = { place_recorder(place), place_recorder(place) };

	for (uint64_t sample = 1; sample <= SAMPLES; sample++)
		record(recorders[sample / 2 % 2], sample, true);
	pm_recorder_close(recorders[0]);
	pm_recorder_close(recorders[1]);

	struct pm_recording *recording = place_recording(place);
	for (uint64_t sample = 1; sample <= SAMPLES; sample++)
		expect(recording, sample, sample);
	pm_recording_close(recording);
}

static void recordings_without_the_tables_are_read_and_continued(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_listed *samples;
	size_t count;

	record(recorder, 1, false);
	pm_recorder_close(recorder);
	change(place, "DROP TABLE chunk_total; DROP TABLE chunk_class; DROP TABLE chunk_count");

	struct pm_recording *recording = place_recording(place);
	expect_none(recording, 1);
	assert_int_equal(pm_recording_list(recording, &samples, &count, NULL), 0);
	assert_false(samples[0].chunks);
	free(samples);
	pm_recording_close(recording);

	recorder = place_recorder(place);
	record(recorder, 2, true);
	pm_recorder_close(recorder);
	recording = place_recording(place);
	expect_none(recording, 1);
	expect(recording, 2, 2);
	pm_recording_close(recording);
}

/** A content of a later version, and values that no version writes. */
static void damaged_chunks_are_harmless(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_histogram_change *changes;
	struct pm_histogram read;
	struct pm_error error;
	uint64_t found;
	size_t count;

	record(recorder, 1, true);
	pm_recorder_close(recorder);
	change(place,
	       "UPDATE chunk_class SET content = 'new', word = -1, size = -1, name = x'00ff' "
	       "WHERE id = 1;"
	       "UPDATE chunk_count SET count = -1, bytes = -1, missed = 'x', text = x'00'");

	struct pm_recording *recording = place_recording(place);
	assert_int_equal(pm_recording_read_chunks(recording, 1, &found, &read, &error), 1);
	must(pm_histogram_compare(&read, &(struct pm_histogram){ 0 }, &changes, &count, &error),
	     &error);
	assert_int_equal(count, read.class_count);
	free(changes);
	pm_histogram_deinit(&read);
	pm_recording_close(recording);

	change(place,
	       "WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < "
	       "9000) INSERT INTO chunk_class SELECT i, i, 'data', 0, '' FROM n;"
	       "INSERT INTO chunk_count SELECT id, 1, 1, 1, 0, 0, '', 0, 0 FROM chunk_class "
	       "WHERE id >= 1000");
	recording = place_recording(place);
	assert_int_equal(pm_recording_read_chunks(recording, 1, &found, &read, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	pm_recording_close(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(chunks_of_each_sample_are_read, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(only_changes_are_written, place_make, place_remove),
		cmocka_unit_test_setup_teardown(samples_without_chunks_have_those_before,
		                                place_make, place_remove),
		cmocka_unit_test_setup_teardown(two_recorders_take_turns, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			recordings_without_the_tables_are_read_and_continued, place_make,
			place_remove),
		cmocka_unit_test_setup_teardown(damaged_chunks_are_harmless, place_make,
		                                place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
