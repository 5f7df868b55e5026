/* SPDX-License-Identifier: MIT */
/* Sites of traces in recordings: those of each sample are read back, and recordings without them
 * are read and continued as before. */
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

enum { SITES = 30, FRAMES = 6, SAMPLES = 20 };

/** A list that a test defines. */
struct made {
	struct pm_site_list list;
	struct pm_site sites[SITES];
	struct pm_frame frames[SITES][FRAMES];
	char names[SITES][FRAMES][32];
};

/** Returns the resident bytes of a site at a sample: some sites come, go and come back. */
static uint64_t resident_at(size_t site, uint64_t sample)
{
	if ((site + sample) % 7 == 0)
		return 0;
	if (site % 3 == 0)
		return (site + 1) * 4096;
	return (site * 100 + sample / 4) * 4096;
}

/** Makes the stack of a site. Stacks have frames in common, and the first one has none. */
static struct pm_stack make_stack(struct made *made, size_t site)
{
	size_t count = site == 0 ? 0 : 1 + site % (FRAMES - 1);

	for (size_t i = 0; i < count; i++) {
		char *name = made->names[site][i];

		snprintf(name, sizeof made->names[site][i], "f%zu<%c\xff>", i, (int)('a' + site));
		made->frames[site][i] = (struct pm_frame){
			.function = i % 3 == 2 ? NULL : name,
			.module = i % 4 == 3 ? NULL : "/usr/lib/it's.so.1",
			.file = i % 2 ? "a.c" : NULL,
			.line = i % 2 ? 7 : 0,
			.source = i % 3 == 2 ? PM_FRAME_UNNAMED : PM_FRAME_INLINED,
			.address = UINT64_MAX - site - i,
			.module_address = 0x1000 + i,
		};
	}
	return (struct pm_stack){ made->frames[site], count, site % 2 == 0 };
}

/** Makes the list of a sample; the site with the most resident bytes is first. */
static void make(struct made *made, uint64_t sample)
{
	*made = (struct made){ .list = { .first = sample > 1 ? 1 : 0,
		                         .backend = PM_TRACE_PTRACE,
		                         .faults = sample % 2,
		                         .seconds = 0.5 * (double)sample,
		                         .events = UINT64_MAX - sample,
		                         .lost = sample,
		                         .difference = sample * 2,
		                         .before_start = sample * 3,
		                         .before_now = sample * 4,
		                         .bound = sample % 3 } };

	for (size_t i = 0; i < SITES; i++) {
		uint64_t resident = resident_at(i, sample);

		if (resident == 0)
			continue;
		made->sites[made->list.count++] = (struct pm_site){
			.stack = make_stack(made, i),
			.before = i % 6 == 0 && i % 4 == 0,
			.tid = (pid_t)i,
			.resident = resident,
			.mapped = resident * 2,
			.calls = sample + i,
			.regions = i,
			.faults = sample,
		};
	}
	made->list.sites = made->sites;
}

/** Adds a sample. If it has a list, it is that of its number. */
static void record(struct pm_recorder *recorder, uint64_t sample, bool sites)
{
	struct pm_regions regions = { 0 };
	struct pm_error error = { 0 };
	const struct pm_sample taken = { .time = (double)sample, .regions = &regions };
	struct made *made = malloc(sizeof *made);

	make(made, sample);
	pm_recorder_set_sites(recorder, sites ? &made->list : NULL);
	must(pm_recorder_add(recorder, &taken, NULL, &error), &error);
	assert_int_equal(pm_recorder_number(recorder), sample);
	free(made);
}

static void expect_text(const char *is, const char *was)
{
	assert_int_equal(is == NULL, was == NULL);
	if (was)
		assert_string_equal(is, was);
}

static void expect_stack(const struct pm_stack *is, const struct pm_stack *was)
{
	assert_int_equal(is->cut, was->cut);
	assert_int_equal(is->count, was->count);
	for (size_t i = 0; i < is->count; i++) {
		const struct pm_frame *read = &is->frames[i], *made = &was->frames[i];

		expect_text(read->function, made->function);
		expect_text(read->module, made->module);
		expect_text(read->file, made->file);
		assert_int_equal(read->line, made->line);
		assert_int_equal(read->source, made->source);
		assert_true(read->address == made->address &&
		            read->module_address == made->module_address);
	}
}

static int compare_threads(const void *left, const void *right)
{
	const struct pm_site *a = left, *b = right;
	return a->tid - b->tid;
}

static void expect_sites(struct pm_site_list *read, const struct made *made)
{
	assert_int_equal(read->count, made->list.count);
	for (size_t i = 1; i < read->count; i++)
		assert_true(read->sites[i - 1].resident >= read->sites[i].resident);

	qsort(read->sites, read->count, sizeof *read->sites, compare_threads);
	for (size_t i = 0; i < read->count; i++) {
		const struct pm_site *is = &read->sites[i], *was = &made->sites[i];

		expect_stack(&is->stack, &was->stack);
		assert_int_equal(is->before, was->before);
		assert_int_equal(is->tid, was->tid);
		assert_true(is->resident == was->resident && is->mapped == was->mapped);
		assert_true(is->calls == was->calls && is->regions == was->regions &&
		            is->faults == was->faults);
	}
}

/** Checks the sites of a sample: they are those of the sample `truth`. */
static void expect(struct pm_recording *recording, uint64_t sample, uint64_t truth)
{
	struct pm_site_list read;
	struct pm_error error = { 0 };
	struct made *made = malloc(sizeof *made);
	uint64_t found;

	make(made, truth);
	if (pm_recording_read_sites(recording, sample, &found, &read, &error) != 1)
		fail_msg("sample %d: %s", (int)sample, error.text);
	assert_int_equal(found, truth);

	const struct pm_site_list *list = &made->list;
	/* The first sample of a trace stores its own number. */
	assert_int_equal(read.first, list->first == 0 ? truth : list->first);
	assert_int_equal(read.backend, PM_TRACE_PTRACE);
	assert_int_equal(read.faults, list->faults);
	assert_true(read.seconds == list->seconds && read.events == list->events);
	assert_true(read.lost == list->lost && read.difference == list->difference);
	assert_true(read.before_start == list->before_start &&
	            read.before_now == list->before_now && read.bound == list->bound);

	expect_sites(&read, made);
	pm_site_list_deinit(&read);
	free(made);
}

static void expect_none(struct pm_recording *recording, uint64_t sample)
{
	struct pm_site_list read;
	struct pm_error error;
	uint64_t found;

	assert_int_equal(pm_recording_read_sites(recording, sample, &found, &read, &error), 0);
}

/** Changes the file as another program would. */
static void change(const struct place *place, const char *sql)
{
	sqlite3 *database;
	assert_int_equal(sqlite3_open(place->file, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void sites_of_each_sample_are_read(void **state)
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
	struct pm_regions regions = { 0 };
	const struct pm_sample taken = { .time = 2, .regions = &regions };
	struct pm_error error;
	struct made *made = malloc(sizeof *made);

	record(recorder, 1, true);
	/* The same list again, as sample 2. */
	make(made, 1);
	pm_recorder_set_sites(recorder, &made->list);
	must(pm_recorder_add(recorder, &taken, NULL, &error), &error);
	pm_recorder_close(recorder);
	free(made);

	change(place, "CREATE TABLE proof (ok INTEGER CHECK (ok = 1));"
	              "INSERT INTO proof SELECT count(*) = 0 FROM site WHERE sample = 2;"
	              "INSERT INTO proof SELECT count(*) > 0 FROM site WHERE sample = 1;"
	              "INSERT INTO proof SELECT count(*) = 2 FROM trace;");
}

/** Two sites with the same frames are one site in the file. */
static void sites_with_the_same_stack_are_added_up(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_regions regions = { 0 };
	const struct pm_sample taken = { .time = 1, .regions = &regions };
	struct pm_site sites[] = { { .tid = 1, .resident = 1, .mapped = 2, .calls = 3 },
		                   { .tid = 2, .resident = 10, .mapped = 20, .calls = 30 } };
	const struct pm_site_list list = { .sites = sites, .count = 2 };
	struct pm_site_list read;
	struct pm_error error;
	uint64_t found;

	pm_recorder_set_sites(recorder, &list);
	must(pm_recorder_add(recorder, &taken, NULL, &error), &error);
	pm_recorder_close(recorder);

	struct pm_recording *recording = place_recording(place);
	assert_int_equal(pm_recording_read_sites(recording, 1, &found, &read, &error), 1);
	assert_int_equal(read.count, 1);
	assert_int_equal(read.sites[0].tid, 0);
	assert_int_equal(read.sites[0].resident, 11);
	assert_int_equal(read.sites[0].mapped, 22);
	assert_int_equal(read.sites[0].calls, 33);
	pm_site_list_deinit(&read);
	pm_recording_close(recording);
}

static void samples_without_sites_have_those_before(void **state)
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
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(samples[i].sites, i == 2 || i == 4);
		assert_false(samples[i].chunks);
	}
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
	change(place, "DROP TABLE trace; DROP TABLE site; DROP TABLE stack; DROP TABLE frame");

	struct pm_recording *recording = place_recording(place);
	expect_none(recording, 1);
	assert_int_equal(pm_recording_list(recording, &samples, &count, NULL), 0);
	assert_false(samples[0].sites);
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

/** Expects that the sites of sample 1 cannot be read. */
static void expect_damage(const struct place *place)
{
	struct pm_recording *recording = place_recording(place);
	struct pm_site_list read;
	struct pm_error error;
	uint64_t found;

	assert_int_equal(pm_recording_read_sites(recording, 1, &found, &read, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	pm_recording_close(recording);
}

/** A source of a later version, and values that no version writes. */
static void damaged_sites_are_harmless(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	struct pm_site_change *changes;
	struct pm_site_list read;
	struct pm_error error;
	uint64_t found;
	size_t count;

	record(recorder, 1, true);
	pm_recorder_close(recorder);
	change(place, "UPDATE frame SET source = 'new', function = x'00ff', line = -1;"
	              "UPDATE site SET resident = -1, mapped = 'x', thread = -1;"
	              "UPDATE trace SET seconds = 'x', backend = '', first = -1");

	struct pm_recording *recording = place_recording(place);
	assert_int_equal(pm_recording_read_sites(recording, 1, &found, &read, &error), 1);
	must(pm_site_list_compare(&read, &(struct pm_site_list){ 0 }, &changes, &count, &error),
	     &error);
	assert_true(count > 0 && count <= read.count);
	free(changes);
	pm_site_list_deinit(&read);
	pm_recording_close(recording);

	static const char *const stacks[] = {
		"",         "x",     "[",    "[1",   "[1,",
		"[999999]", "[1,x]", "[1]]", "[-1]", "[99999999999999999999]"
	};
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
		char sql[128];

		snprintf(sql, sizeof sql, "UPDATE OR REPLACE stack SET frames = '%s'", stacks[i]);
		change(place, sql);
		expect_damage(place);
	}

	change(place, "DELETE FROM stack");
	expect_damage(place);
}

static void too_many_sites_are_refused(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);

	record(recorder, 1, true);
	pm_recorder_close(recorder);
	change(place,
	       "WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < "
	       "70000) INSERT INTO site SELECT i, 0, 1, 1, 1, 1, 1, 1, 1 FROM n");
	expect_damage(place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sites_of_each_sample_are_read, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(only_changes_are_written, place_make, place_remove),
		cmocka_unit_test_setup_teardown(sites_with_the_same_stack_are_added_up, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(samples_without_sites_have_those_before, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(two_recorders_take_turns, place_make, place_remove),
		cmocka_unit_test_setup_teardown(
			recordings_without_the_tables_are_read_and_continued, place_make,
			place_remove),
		cmocka_unit_test_setup_teardown(damaged_sites_are_harmless, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(too_many_sites_are_refused, place_make,
		                                place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
