/* SPDX-License-Identifier: MIT */
/* Recordings: what was written is read back, whatever happens to the writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include <procmem/growth.h>
#include <procmem/recording.h>

#include "support/place.h"
#include "support/recorded_ticks.h"
#include "support/target.h"

enum { PAGE = 4096 };

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void written_recording_is_read(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	for (unsigned tick = 0; tick < 20; tick++)
		recorded_ticks_record(recorder, tick, 20);

	/* While the recorder is open, and afterwards. */
	for (int closed = 0; closed < 2; closed++) {
		struct pm_recording *recording = place_recording(place);
		const struct pm_process_id *stored = pm_recording_process_id(recording);
		assert_true(pm_process_id_equal(stored, &place_process_id));
		assert_string_equal(stored->host, "host");
		assert_string_equal(stored->comm, "shop");
		assert_string_equal(stored->command, "shop --fast");
		recorded_ticks_check(recording, 20, 20);
		pm_recording_close(recording);
		if (!closed)
			pm_recorder_close(recorder);
	}

	assert_true(pm_recording_is(place->file));
	struct stat status;
	assert_int_equal(stat(place->file, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);

	char companion[128];
	snprintf(companion, sizeof companion, "%s-wal", place->file);
	assert_int_equal(access(companion, F_OK), -1);
}

/** Checks the totals and the number of regions of each sample; sizes of smaps are known for all
 * regions or for none. */
static void all_samples_are_listed(void **state)
{
	const struct place *place = *state;
	/* Continued once, as by a second run of snap. */
	for (unsigned begin = 0; begin < 24; begin += 12) {
		struct pm_recorder *recorder = place_recorder(place);
		for (unsigned tick = begin; tick < begin + 12; tick++)
			recorded_ticks_record(recorder, tick, 10);
		pm_recorder_close(recorder);
	}

	struct pm_recording *recording = place_recording(place);
	struct pm_listed *samples;
	size_t count;
	assert_int_equal(pm_recording_list(recording, &samples, &count, NULL), 0);
	assert_int_equal(count, 24);

	for (size_t i = 0; i < count; i++) {
		struct pm_recorded recorded;
		struct pm_regions regions = { 0 };
		assert_int_equal(pm_recording_read(recording, i + 1, &recorded, &regions, NULL), 0);
		assert_memory_equal(&samples[i].recorded.totals, &recorded.totals,
		                    sizeof recorded.totals);
		assert_int_equal(samples[i].recorded.number, i + 1);
		assert_int_equal(samples[i].recorded.wall_ns, recorded.wall_ns);
		assert_int_equal(samples[i].recorded.fresh, recorded.fresh);
		assert_int_equal(samples[i].regions, regions.count);
		assert_false(samples[i].detailed);
		pm_regions_deinit(&regions);
	}

	free(samples);
	pm_recording_close(recording);
}

/**
 * Two recorders that add samples in turns, and one that is opened for each sample, do not disturb
 * each other: each sample has its own number and regions.
 */
static void several_writers_share_a_recording(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorders[2] = { place_recorder(place), place_recorder(place) };

	for (unsigned tick = 0; tick < 60; tick++) {
		struct pm_recorder *recorder = recorders[tick / 3 % 2];
		bool own = tick % 7 == 6;
		if (own)
			recorder = place_recorder(place);
		recorded_ticks_record(recorder, tick, 20);
		assert_int_equal(pm_recorder_number(recorder), tick + 1);
		if (own)
			pm_recorder_close(recorder);
	}

	/* The other one added the last sample. */
	struct pm_recorder *other = recorders[(60 - 1) / 3 % 2 == 0];
	assert_int_not_equal(pm_recorder_number(other), 60);
	assert_int_equal(pm_recorder_end(other, "over", NULL), 0);
	pm_recorder_close(recorders[0]);
	pm_recorder_close(recorders[1]);

	struct pm_recording *recording = place_recording(place);
	char why[PM_ENDING_TEXT_SIZE];
	recorded_ticks_check(recording, 60, 20);
	assert_int_equal(pm_recording_ending(recording, why, NULL), 1);
	assert_string_equal(why, "over");
	pm_recording_close(recording);
}

/** Adds samples in a child process, once the test closes its end of a pipe. */
static pid_t start_numbered(const struct place *place, unsigned number, unsigned samples,
                            int gate[2])
{
	pid_t child = fork();
	if (child != 0)
		return child;

	char byte;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(gate[1]);
	assert_int_equal(read(gate[0], &byte, 1), 0);

	for (unsigned i = 0; i < samples; i++) {
		struct pm_recorder *recorder;
		struct pm_regions regions = { 0 };
		struct pm_sample sample = { .regions = &regions, .fresh = true };
		struct pm_error error = { 0 };
		recorded_ticks_simulate(i, 20, &regions);
		sample.totals = (struct pm_totals){ .threads = number, .rss = i };
		if (pm_recorder_open(place->file, &place_process_id, &recorder, &error) < 0 ||
		    pm_recorder_add(recorder, &sample, NULL, &error) < 0) {
			fprintf(stderr, "writer %u, sample %u: %s\n", number, i, error.text);
			_exit(1);
		}
		pm_recorder_close(recorder);
		pm_regions_deinit(&regions);
	}

	_exit(0);
}

/** Concurrent programs create one recording, and no sample is lost or mixed with another one. */
static void writers_start_at_the_same_time(void **state)
{
	enum { WRITERS = 4, SAMPLES = 10 };
	const struct place *place = *state;
	pid_t writers[WRITERS];
	int gate[2];

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	for (unsigned i = 0; i < WRITERS; i++)
		writers[i] = start_numbered(place, i, SAMPLES, gate);
	close(gate[0]);
	close(gate[1]);

	for (unsigned i = 0; i < WRITERS; i++) {
		int status;
		assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
		assert_int_equal(status, 0);
	}

	struct pm_recording *recording = place_recording(place);
	unsigned next[WRITERS] = { 0 };
	struct pm_recorded before = { .time = -1, .wall_ns = INT64_MIN };
	for (unsigned number = 1; number <= WRITERS * SAMPLES; number++) {
		struct pm_regions read = { 0 }, truth = { 0 };
		struct pm_recorded recorded;
		assert_int_equal(pm_recording_read(recording, number, &recorded, &read, NULL), 0);
		assert_int_equal(recorded.totals.rss, next[recorded.totals.threads]++);

		assert_true(recorded.time > before.time && recorded.wall_ns > before.wall_ns);
		before = recorded;
		recorded_ticks_simulate((unsigned)recorded.totals.rss, 20, &truth);
		assert_int_equal(read.count, truth.count);
		for (size_t i = 0; i < truth.count; i++)
			recorded_ticks_assert_same(&read.items[i], &truth.items[i]);
		pm_regions_deinit(&read);
		pm_regions_deinit(&truth);
	}

	pm_recording_close(recording);
}

static void continues_with_the_same_process_only(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder;
	struct pm_error error = { 0 };

	for (unsigned tick = 0; tick < 12; tick++) {
		recorder = place_recorder(place);
		recorded_ticks_record(recorder, tick, 10);
		pm_recorder_close(recorder);
	}

	struct pm_recording *recording = place_recording(place);
	recorded_ticks_check(recording, 12, 10);
	pm_recording_close(recording);

	struct pm_process_id other = place_process_id;
	other.start_ticks++;
	assert_int_equal(pm_recorder_open(place->file, &other, &recorder, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	assert_non_null(strstr(error.text, "another process (shop, PID 4711)"));
}

static void change_file(const struct place *place, const char *sql)
{
	sqlite3 *handle;
	assert_int_equal(sqlite3_open(place->file, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void assert_refused(const struct place *place, enum pm_error_kind kind, const char *words)
{
	struct pm_recording *recording;
	struct pm_error error = { 0 };
	assert_int_equal(pm_recording_open(place->file, &recording, &error), -1);
	assert_int_equal(error.kind, kind);
	if (!strstr(error.text, words))
		fail_msg("no \"%s\" in: %s", words, error.text);
}

static void other_files_are_refused(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder;
	struct pm_error error = { 0 };

	assert_refused(place, PM_ERROR_NOT_FOUND, "No such file");
	FILE *file = fopen(place->file, "w");
	fputs("just text, long enough to be looked into by anything that expects the header of a "
	      "database of a hundred bytes or so\n",
	      file);
	fclose(file);
	assert_false(pm_recording_is(place->file));
	assert_refused(place, PM_ERROR_FORMAT, "is not a recording");

	assert_int_equal(pm_recorder_open(place->file, &place_process_id, &recorder, &error), -1);
	unlink(place->file);
	change_file(place, "CREATE TABLE t (a); PRAGMA user_version = 3");
	assert_false(pm_recording_is(place->file));
	assert_refused(place, PM_ERROR_FORMAT, "another database");
	unlink(place->file);
	recorder = place_recorder(place);
	recorded_ticks_record(recorder, 0, 5);

	pm_recorder_close(recorder);
	change_file(place, "PRAGMA user_version = 99");
	assert_refused(place, PM_ERROR_FORMAT,
	               "newer procmem (format 99; this version supports up to 1)");
	assert_int_equal(pm_recorder_open(place->file, &place_process_id, &recorder, &error), -1);
}

static void check_integrity(const struct place *place)
{
	sqlite3 *handle;
	sqlite3_stmt *statement;
	assert_int_equal(sqlite3_open_v2(place->file, &handle, SQLITE_OPEN_READONLY, NULL),
	                 SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(handle, "PRAGMA integrity_check", -1, &statement, NULL),
	                 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");

	sqlite3_finalize(statement);
	sqlite3_close(handle);
}

/** Starts a child that keeps recording, and writes a byte for each sample that is committed. */
static pid_t start_writer(const struct place *place, int *acknowledged)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		struct pm_recorder *recorder = place_recorder(place);
		for (unsigned tick = 0;; tick++) {
			recorded_ticks_record(recorder, tick, 40);
			if (write(ends[1], "", 1) != 1)
				_exit(1);
		}
	}

	close(ends[1]);
	*acknowledged = ends[0];

	return child;
}

static void killed_writer_loses_one_sample_at_most(void **state)
{
	const struct place *place = *state;
	uint32_t seed = 7;
	for (int round = 0; round < 100; round++) {
		int acknowledged;
		pid_t child = start_writer(place, &acknowledged);
		uint64_t wanted = 1 + next_random(&seed) % 25, safe = 0;
		char byte;

		while (safe < wanted && read(acknowledged, &byte, 1) == 1)
			safe++;

		/* At a random point while the next sample is written. */
		for (uint32_t spin = next_random(&seed) % 200000; spin > 0; spin--)
			__asm__ volatile("");

		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		while (read(acknowledged, &byte, 1) == 1)
			safe++;

		close(acknowledged);
		check_integrity(place);

		struct pm_recording *recording = place_recording(place);
		uint64_t count;
		assert_int_equal(pm_recording_count(recording, &count, NULL), 0);
		assert_true(count == safe || count == safe + 1);
		recorded_ticks_check(recording, (unsigned)count, 40);
		pm_recording_close(recording);
		unlink(place->file);

		char companion[128];
		snprintf(companion, sizeof companion, "%s-wal", place->file);
		unlink(companion);
		snprintf(companion, sizeof companion, "%s-shm", place->file);
		unlink(companion);
	}
}

/**
 * Adds samples until that fails.
 * @return number of samples that were added
 */
static unsigned record_until_full(struct pm_recorder *recorder, struct pm_error *error)
{
	struct pm_regions regions = { 0 };
	unsigned tick = 0;
	for (;; tick++) {
		assert_true(tick < 100000);
		pm_regions_deinit(&regions);
		recorded_ticks_simulate(tick, 200, &regions);
		struct pm_sample sample = { .time = 1000 + tick * 2.0,
			                    .regions = &regions,
			                    .fresh = tick % 5 != 4 };
		sample.totals.rss = tick * 1000;
		sample.totals.threads = tick;
		if (pm_recorder_add(recorder, &sample, NULL, error) < 0)
			break;
	}

	/* The recording has ended, and every further call fails with that reason. */
	struct pm_sample last = { .regions = &regions };
	struct pm_error again = { 0 };
	assert_int_equal(pm_recorder_add(recorder, &last, NULL, &again), -1);
	assert_non_null(strstr(again.text, "has ended"));
	pm_regions_deinit(&regions);

	return tick;
}

static void full_disk_ends_the_recording(void **state)
{
	struct place *place = *state;
	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", place->directory, "tmpfs", 0, "size=400k") < 0)
		skip_because("a small disk needs a mount: %s", strerror(errno));

	struct pm_recorder *recorder = place_recorder(place);
	struct pm_error error = { 0 };
	unsigned added = record_until_full(recorder, &error);
	assert_int_equal(error.kind, PM_ERROR_IO);
	assert_non_null(strstr(error.text, "the disk is full"));
	assert_true(added > 1);

	for (int closed = 0; closed < 2; closed++) {
		struct pm_recording *recording = place_recording(place);
		uint64_t count;
		assert_int_equal(pm_recording_count(recording, &count, NULL), 0);
		assert_int_equal(count, added);
		recorded_ticks_check(recording, added, 200);
		pm_recording_close(recording);
		if (!closed)
			pm_recorder_close(recorder);
	}

	check_integrity(place);
	umount2(place->directory, MNT_DETACH);
}

/** An hour with a sample every two seconds, of a process with 250 regions of which some change. */
static void day_fits_in_fifty_megabytes(void **state)
{
	const struct place *place = *state;
	struct pm_recorder *recorder = place_recorder(place);
	unsigned samples = getenv("PROCMEM_WHOLE_DAY") ? 43200 : 1800;
	for (unsigned tick = 0; tick < samples; tick++)
		recorded_ticks_record(recorder, tick, 250);

	pm_recorder_close(recorder);
	struct stat status;
	assert_int_equal(stat(place->file, &status), 0);
	printf("%u samples: %lld bytes\n", samples, (long long)status.st_size);
	assert_true(status.st_size < 50ll * 1000 * 1000 * samples / 43200);
	check_integrity(place);
}

static void describes_a_living_process(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "many_regions", "10", "1", NULL);

	struct pm_process *process;
	struct pm_process_id described, copy;
	assert_int_equal(pm_process_open(NULL, target.pid, &process, NULL), 0);
	assert_int_equal(pm_process_id_read(process, &described, NULL), 0);
	assert_int_equal(described.pid, target.pid);
	assert_string_equal(described.comm, "many_regions");
	assert_non_null(strstr(described.command, "many_regions 10 1"));
	assert_int_equal(strlen(described.boot_id), 36);

	assert_true(described.start_ticks > 0);

	assert_int_equal(pm_process_id_copy(&described, &copy, NULL), 0);
	assert_true(pm_process_id_equal(&described, &copy));
	assert_ptr_not_equal(copy.command, described.command);
	assert_string_equal(copy.command, described.command);
	pm_process_id_deinit(&described);
	assert_null(described.command);
	assert_non_null(strstr(copy.command, "many_regions 10 1"));
	pm_process_id_deinit(&copy);

	pm_process_close(process);
	target_stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_recording_is_read, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(all_samples_are_listed, place_make, place_remove),
		cmocka_unit_test_setup_teardown(several_writers_share_a_recording, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(writers_start_at_the_same_time, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(continues_with_the_same_process_only, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(other_files_are_refused, place_make, place_remove),
		cmocka_unit_test_setup_teardown(killed_writer_loses_one_sample_at_most, place_make,
		                                place_remove),
		cmocka_unit_test_setup_teardown(day_fits_in_fifty_megabytes, place_make,
		                                place_remove),
		cmocka_unit_test(describes_a_living_process),
		/* Last, because it changes the mount namespace. */
		cmocka_unit_test_setup_teardown(full_disk_ends_the_recording, place_make,
		                                place_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
