/* SPDX-License-Identifier: MIT */
/* Reads the target `markers`: all markers are found, and its memory does not grow. */
#include <procmem/maps.h>
#include <procmem/unit_read.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/look.h"
#include "support/markers.h"

enum { PAGE = 4096 };

/** A target, with all that is needed to read it. */
struct session {
	struct target target;
	struct look look;
	struct pm_unit_source source;
	uint64_t unreadable; /* bytes */
	uint64_t first_unreadable;
};

static void note(void *context, const struct pm_unreadable *range)
{
	struct session *session = context;
	if (session->unreadable == 0)
		session->first_unreadable = range->start;
	session->unreadable += range->end - range->start;
}

/** Opens readers of a running target. */
static void open_session(struct session *session, enum pm_maps_source maps,
                         enum pm_pagemap_method method)
{
	look_open_by(&session->look, session->target.pid, maps, method);
	session->source = (struct pm_unit_source){ .target = &session->look.memory,
		                                   .files = &session->look.files,
		                                   .unreadable = note,
		                                   .context = session };
}

/** Starts the target without opening it. */
static void start_markers(struct session *session, struct markers *markers)
{
	*session = (struct session){ 0 };
	target_start(&session->target, "markers", NULL);
	markers_take(markers, &session->target, "marker");
}

static void close_session(struct session *session)
{
	look_close(&session->look);
	target_stop(&session->target);
}

/**
 * Reads all that a plan wants of some ranges (NULL: of everything).
 * @return 0 or -1
 */
static int read_ranges(struct session *session, const struct pm_region_range *ranges, size_t count,
                       bool files, struct markers *markers, struct pm_error *error)
{
	const struct pm_plan_options options = { .pages = &session->look.pages, .files = files };
	static struct pm_unit unit;
	static char buffer[PM_UNIT_SIZE];
	struct pm_plan *plan;
	int more;

	must(pm_plan_open(&session->look.regions, ranges, count, &options, &plan, error), error);
	while ((more = pm_plan_next(plan, &unit, error)) > 0) {
		if (pm_unit_read(&session->source, &unit, buffer, error) < 0) {
			more = -1;
			break;
		}
		const char *at = buffer;
		for (size_t i = 0; i < unit.count; i++) {
			const struct pm_segment *segment = &unit.segments[i];
			if (!segment->wanted)
				continue;
			markers_feed(markers, segment->start, at, segment->end - segment->start);
			at += segment->end - segment->start;
		}
	}

	pm_plan_close(plan);
	return more;
}

/** Returns a number of kB from a file of the target in /proc, in bytes. */
static uint64_t kilobytes(const struct session *session, const char *file, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)session->target.pid, file);

	char *text = read_text(path, NULL), *line = strstr(text, key);
	assert_non_null(line);

	uint64_t value = strtoull(line + strlen(key), NULL, 10) * 1024;
	free(text);
	return value;
}

/**
 * All markers are read, no planned byte is unreadable, and the memory and page tables of the
 * target do not grow.
 */
static void expect_complete_and_harmless(enum pm_maps_source maps, enum pm_pagemap_method method,
                                         bool files)
{
	struct session session = { 0 };
	struct markers markers, file_markers;
	struct pm_error error;
	target_start(&session.target, "markers", NULL);
	markers_take(&markers, &session.target, "marker");
	markers_take(&file_markers, &session.target, "file_marker");
	open_session(&session, maps, method);
	uint64_t rss = kilobytes(&session, "smaps_rollup", "\nRss:"),
		 tables = kilobytes(&session, "status", "\nVmPTE:");

	must(read_ranges(&session, NULL, 0, files, &markers, &error), &error);
	markers_expect_all(&markers);
	/* Two pages of the mapping `short` are beyond the end of its file. They were never touched,
	 * so only the file is read for them. */
	assert_int_equal(session.unreadable, files ? 2 * PAGE : 0);
	assert_int_equal(kilobytes(&session, "smaps_rollup", "\nRss:"), rss);
	assert_in_range(kilobytes(&session, "status", "\nVmPTE:"), tables, tables + 65536);
	if (files) {
		must(read_ranges(&session, NULL, 0, true, &file_markers, &error), &error);
		markers_expect_all(&file_markers);
		assert_int_equal(kilobytes(&session, "smaps_rollup", "\nRss:"), rss);
	}
	markers_drop(&markers);
	markers_drop(&file_markers);
	close_session(&session);
}

static void all_markers_are_read(void **state)
{
	(void)state;
	expect_complete_and_harmless(PM_SMAPS, PM_PAGEMAP_SCAN, false);
}

static void all_markers_are_read_without_the_ioctl(void **state)
{
	(void)state;
	expect_complete_and_harmless(PM_SMAPS, PM_PAGEMAP_READ, false);
}

/** Without VmFlags everything is read from mem. */
static void all_markers_are_read_without_smaps(void **state)
{
	(void)state;
	expect_complete_and_harmless(PM_MAPS, PM_PAGEMAP_BEST, false);
}

/** To read a page that a fork shares must not give the target a copy of it. */
static void memory_stays_shared_after_a_fork(void **state)
{
	(void)state;
	struct session session = { 0 };
	struct markers none = { 0 };
	struct pm_error error;

	target_start(&session.target, "causes", "fork", "8", NULL);
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);
	uint64_t shared = kilobytes(&session, "smaps_rollup", "\nShared_Dirty:");
	assert_true(shared >= UINT64_C(8) << 20);

	must(read_ranges(&session, NULL, 0, false, &none, &error), &error);
	assert_int_equal(kilobytes(&session, "smaps_rollup", "\nShared_Dirty:"), shared);
	close_session(&session);
}

static void untouched_files_are_read_from_the_file(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip_because("map_files of deleted files needs CAP_CHECKPOINT_RESTORE");
	expect_complete_and_harmless(PM_SMAPS, PM_PAGEMAP_BEST, true);
}

/** A whole region, read without a plan: missing bytes must be reported as unreadable at once. */
static void expect_unreadable(struct session *session, const char *region, uint64_t first,
                              uint64_t size)
{
	uint64_t start, end;
	struct pm_error error;
	static char buffer[16 * PAGE];

	target_range(&session->target, region, &start, &end);
	session->unreadable = 0;
	must(pm_unit_read_bytes(&session->source, start, buffer, end - start, &error), &error);
	assert_int_equal(session->unreadable, size);
	assert_int_equal(session->first_unreadable, start + first);
}

static void only_bad_pages_are_unreadable(void **state)
{
	(void)state;
	struct session session = { 0 };
	target_start(&session.target, "markers", NULL);
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);
	if (!target_fact(&session.target, "unsupported uffd:"))
		expect_unreadable(&session, "uffd", PAGE, 3 * PAGE);
	if (!target_fact(&session.target, "unsupported guarded:"))
		expect_unreadable(&session, "guarded", 2 * PAGE, PAGE);
	expect_unreadable(&session, "short", 2 * PAGE, 2 * PAGE);

	char byte;
	size_t done = 1;
	struct pm_error error;
	const uint64_t nowhere[] = { 0, 0x1000, UINT64_C(0x0000800000000000),
		                     UINT64_C(0xffffffffff600000), UINT64_MAX };
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
		must(pm_reader_read(&session.look.memory, nowhere[i], &byte, 1, &done, &error),
		     &error);
		assert_int_equal(done, 0);
		assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
		assert_int_equal(error.address, nowhere[i]);
	}
	close_session(&session);
}

static void another_tracer_does_not_matter(void **state)
{
	(void)state;
	struct session session;
	struct markers markers;
	struct pm_error error;

	start_markers(&session, &markers);
	pid_t pid = session.target.pid;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
	assert_int_equal(waitpid(pid, NULL, __WALL), pid);
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);
	must(read_ranges(&session, NULL, 0, false, &markers, &error), &error);
	markers_expect_all(&markers);

	markers_drop(&markers);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, 0, 0), 0);
	close_session(&session);
}

static void memory_is_reached_through_a_living_thread(void **state)
{
	(void)state;
	struct session session;
	struct markers markers;
	struct pm_error error;
	start_markers(&session, &markers);
	/* Opened before the first thread exits, and opened afterwards. */
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);
	target_tell(&session.target, "leave");
	char path[64], *text = NULL;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)session.target.pid);
	do {
		free(text);
		text = read_text(path, NULL);
	} while (!strstr(text, ") Z "));
	free(text);
	must(read_ranges(&session, NULL, 0, false, &markers, &error), &error);
	markers_expect_all(&markers);

	markers_forget(&markers);
	struct session late = { .target = session.target };
	open_session(&late, PM_SMAPS, PM_PAGEMAP_BEST);
	must(read_ranges(&late, NULL, 0, false, &markers, &error), &error);
	markers_expect_all(&markers);
	late.target = (struct target){ 0 };
	close_session(&late);
	markers_drop(&markers);
	close_session(&session);
}

static void expect_gone(struct session *session, const char *words)
{
	uint64_t start, end;
	struct pm_error error = { 0 };
	char buffer[PAGE];

	target_range(&session->target, "plain", &start, &end);
	size_t done;
	assert_int_equal(pm_reader_read(&session->look.memory, start, buffer, sizeof buffer, &done,
	                                &error),
	                 -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	if (!strstr(error.text, words))
		fail_msg("'%s' does not say '%s'", error.text, words);
}

static void an_exec_is_noticed(void **state)
{
	(void)state;
	struct session session = { 0 };
	target_start(&session.target, "markers", NULL);
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);
	fputs("exec\n", session.target.to);
	assert_int_equal(fflush(session.target.to), 0);
	free(target_await(&session.target, "idle"));
	expect_gone(&session, "exec");

	/* The memory of the new program, which process_vm_readv(2) would read under the same PID,
	 * must not be returned. */
	struct pm_regions now;
	struct pm_error error;
	struct pm_process *process;
	must(pm_process_open(NULL, session.target.pid, &process, &error), &error);
	pm_regions_init(&now);
	must(pm_maps_read(process, PM_SMAPS, &now, &error), &error);
	pm_regions_deinit(&session.look.regions);
	session.look.regions = now;
	char byte;
	size_t done;
	for (size_t i = 0; i < now.count; i++)
		if (now.items[i].bytes[PM_SIZE_RSS] > 0 && now.items[i].perms & PM_PERM_READ &&
		    now.items[i].mapping[0] == '/')
			assert_int_equal(pm_reader_read(&session.look.memory, now.items[i].start,
			                                &byte, 1, &done, &error),
			                 -1);
	pm_process_close(process);
	close_session(&session);
}

static void an_exit_is_noticed(void **state)
{
	(void)state;
	struct session session = { 0 };
	target_start(&session.target, "markers", NULL);
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);
	fputs("quit\n", session.target.to);
	assert_int_equal(fflush(session.target.to), 0);

	/* Not reaped: its PID stays in use. */
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)session.target.pid, &info, WEXITED | WNOWAIT), 0);
	expect_gone(&session, "exited");
	close_session(&session);
}

static void *read_plain(void *context)
{
	struct session *session = context;
	uint64_t start, end;
	target_range(&session->target, "plain", &start, &end);

	char *buffer = malloc(end - start);
	for (int i = 0; i < 50 && buffer; i++) {
		size_t done = 0;
		if (pm_reader_read(&session->look.memory, start, buffer, end - start, &done, NULL) <
		            0 ||
		    done != end - start)
			break;
		if (i == 49 && memcmp(buffer, "<plain_0>", 9) == 0) {
			free(buffer);
			return context;
		}
	}

	free(buffer);
	return NULL;
}

static void threads_can_share_a_reader(void **state)
{
	(void)state;
	struct session session = { 0 };
	pthread_t threads[4];
	target_start(&session.target, "markers", NULL);
	open_session(&session, PM_SMAPS, PM_PAGEMAP_BEST);

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_plain, &session), 0);

	for (size_t i = 0; i < 4; i++) {
		void *result;
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_ptr_equal(result, &session);
	}

	close_session(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_markers_are_read),
		cmocka_unit_test(all_markers_are_read_without_the_ioctl),
		cmocka_unit_test(all_markers_are_read_without_smaps),
		cmocka_unit_test(memory_stays_shared_after_a_fork),
		cmocka_unit_test(untouched_files_are_read_from_the_file),
		cmocka_unit_test(only_bad_pages_are_unreadable),
		cmocka_unit_test(another_tracer_does_not_matter),
		cmocka_unit_test(memory_is_reached_through_a_living_thread),
		cmocka_unit_test(an_exec_is_noticed),
		cmocka_unit_test(an_exit_is_noticed),
		cmocka_unit_test(threads_can_share_a_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
