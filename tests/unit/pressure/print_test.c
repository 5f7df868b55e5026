/* SPDX-License-Identifier: MIT */
/* The text of `procmem pressure` for a saved machine with cgroup v2, on a screen of 80 columns. */
#include "pressure/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "support/target.h"
#include "support/tree.h"

static const char group[] = "/kubepods.slice/kubepods-burstable.slice/kubepods-pod0123/web";

/** Writes a file of the group. */
static void write_group(const char *root, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "sys/fs/cgroup%s/%s", group, name);
	tree_write(root, path, "%s", text);
}

static char *make_machine(void)
{
	char *root = tree_create();

	tree_add_process(root, 12, "shop", "VmRSS:\t 4096 kB\nVmSwap:\t 1024 kB\n");
	tree_write(root, "proc/12/cgroup", "0::%s\n", group);
	tree_write(root, "proc/meminfo", "MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n");
	tree_write(root, "proc/vmstat", "oom_kill 0\npgscan_direct 0\nallocstall_normal 0\n");
	tree_write(root, "sys/fs/cgroup/kubepods.slice/memory.current", "90000000\n");
	tree_write(root, "sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/memory.current",
	           "80000000\n");
	write_group(root, "../memory.current", "70000000\n");
	write_group(root, "memory.current", "66060288\n");
	write_group(root, "memory.max", "67108864\n");
	write_group(root, "memory.stat",
	            "pgscan_direct 0\npgsteal_direct 0\ninactive_file 60000000\n");
	write_group(root, "memory.events", "low 0\nhigh 0\nmax 100\noom 0\noom_kill 0\n");
	write_group(root, "memory.pressure",
	            "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
	            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	return root;
}

/** Changes the counters of the group: 50 % of 2 s stalled, 200 scanned pages, 100 hits. */
static void load(const char *root)
{
	write_group(root, "memory.stat",
	            "pgscan_direct 200\npgsteal_direct 50\ninactive_file 60000000\n");
	write_group(root, "memory.events", "low 0\nhigh 0\nmax 200\noom 0\noom_kill 0\n");
	write_group(root, "memory.pressure",
	            "some avg10=70.00 avg60=5.00 avg300=0.00 total=1000000\n"
	            "full avg10=65.00 avg60=0.00 avg300=0.00 total=900000\n");
}

/**
 * Measures and prints.
 * @param change  called between the readings, or NULL
 * @param log     the log; NULL if it cannot be read
 * @return        the text, which the caller frees
 */
static char *print(void (*change)(const char *root), const struct pm_oom_log *log)
{
	char *root = make_machine(), *sys;
	struct pm_process *process = tree_open_process(root, 12, &sys);
	struct pressure_options options = { .seconds = 2 };
	struct pressure_report report = {
		.options = &options, .has_target = true, .pid = 12, .name = "shop", .command = ""
	};
	struct pm_pressure_source *source;
	struct pm_pressure_reading before;
	struct pm_error error = { 0 };

	must(pm_pressure_open(process, NULL, sys, &source, &error), &error);
	must(pm_pressure_read(source, &before, &error), &error);
	if (change)
		change(root);
	must(pm_pressure_read(source, &report.reading, &error), &error);
	report.reading.time_ns = before.time_ns + UINT64_C(2000000000);
	must(pm_pressure_compare(&before, &report.reading, &report.change, &error), &error);

	report.has_log = log != NULL;
	if (log)
		report.log = *log;
	else
		pm_error_set(&report.log_error, PM_ERROR_ACCESS, 0, "use sudo");
	must(pm_signs_find(&report.reading, &report.change, log, true, &report.signs, &error),
	     &error);

	struct out out;
	out_init(&out, -1);
	out.width = 80;
	pressure_print(&report, &out);
	char *text = strdup(text_terminate(&out.buffer));
	text_deinit(&out.buffer);

	pm_signs_deinit(&report.signs);
	pm_pressure_change_deinit(&report.change);
	pm_pressure_deinit(&report.reading);
	pm_pressure_deinit(&before);
	pm_pressure_close(source);
	pm_process_close(process);
	free(sys);
	tree_remove(root);
	return text;
}

/** Checks that the text has words, with any line breaks, and that no line is too long. */
static void check(const char *text, const char *const *expected)
{
	char *flat = strdup(text);

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(utf8_columns(line, strcspn(line, "\n")) <= 80);
	size_t used = 0;
	for (const char *at = text; *at; at++)
		if (*at != '\n' && (*at != ' ' || (used > 0 && flat[used - 1] != ' ')))
			flat[used++] = *at;
		else if (used > 0 && flat[used - 1] != ' ')
			flat[used++] = ' ';
	flat[used] = '\0';

	for (; *expected; expected++)
		if (!strstr(flat, *expected))
			fail_msg("'%s' is missing in:\n%s", *expected, text);
	free(flat);
}

static void calm(void **state)
{
	(void)state;
	struct pm_oom_log log = { .complete = true };
	char *text = print(NULL, &log);

	assert_int_equal(strncmp(text, "shop (12)   calm\n", 17), 0);
	check(text,
	      (const char *const[]){ "shop rss 4.0M, swap 1.0M", "63.0M of 64.0M 98% none none ",
	                             "host 1.0G of 2.0G 50% none none", "rates over 2.0s", NULL });
	assert_null(strchr(text, '!'));
	free(text);
}

static void loaded(void **state)
{
	(void)state;
	char *text = print(load, NULL);

	assert_int_equal(strncmp(text, "shop (12)   waits: \xe2\x80\xa6", 22), 0);
	check(text,
	      (const char *const[]){
		      "stall 50%, limit 50/s +1 none",
		      "all tasks waited for memory 65 % of the last 10 s; systemd-oomd "
		      "kills after 30 s of that (more than 60 %: oomd.conf(5))",
		      "tasks wait for memory 50 % of the time (more than 10 %: own choice)",
		      "tasks waited for memory 5.0 % of the last minute (more than 1 %: own "
		      "choice)",
		      "limit reached 50/s: tasks must reclaim (more than 0/s: kernel "
		      "documentation)",
		      "100/s, 25 % of the scanned pages could be reclaimed (more than 0/s: USE "
		      "method)",
		      "OOM kills are not known: use sudo", NULL });
	free(text);
}

/** A kill, in the log as it may be: with names that a terminal must not receive. */
static void killed(void **state)
{
	(void)state;
	struct pm_oom_kill kill = { .age_known = true,
		                    .seconds_ago = 75,
		                    .pid = 77,
		                    .comm = "\033[31mred",
		                    .constraint = PM_OOM_MEMCG,
		                    .sizes_known = true,
		                    .anon_rss = 32 << 20,
		                    .file_rss = 4096 };
	memcpy(kill.group, group, sizeof group);
	memcpy(kill.limit_group, group, sizeof group);
	struct pm_oom_log log = { .kills = &kill, .count = 1, .dropped = 3 };
	char *text = print(NULL, &log);

	assert_int_equal(strncmp(text, "shop (12)   failed: \xe2\x80\xa6", 23), 0);
	check(text, (const char *const[]){
			    "at least 1 OOM kill in the last hour, the last 1m 15s ago: "
			    "\\x1b[31mred (77)",
			    "1m 15s ago \\x1b[31mred (77) 32.0M 4.0K - limit of \xe2\x80\xa6",
			    "(counts for an hour: own choice)",
			    "and 3 more in the log of the kernel", NULL });
	assert_null(strchr(text, '\033'));
	free(text);
}

/** Removes the files of the group. */
static void remove_group(const char *root)
{
	static const char *const names[] = { "current", "max", "stat", "events", "pressure" };
	char path[512];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/sys/fs/cgroup%s/memory.%s", root, group, names[i]);
		assert_int_equal(unlink(path), 0);
	}
}

/** What cannot be read is not calm. */
static void removed_group(void **state)
{
	(void)state;
	struct pm_oom_log log = { .complete = true };
	char *text = print(remove_group, &log);

	check(text, (const char *const[]){
			    "shop (12) calm as far as is known (not all cgroups can be read) ",
			    "not known not known not known ", "removed or without readable files",
			    NULL });
	free(text);
}

/** Now and the last hour are both in the first line. */
static void killed_and_loaded(void **state)
{
	(void)state;
	struct pm_oom_kill kills[7] = { 0 };
	struct pm_oom_log log = { .kills = kills, .count = 7, .complete = true };

	for (int i = 0; i < 7; i++) {
		kills[i] = (struct pm_oom_kill){ .age_known = true,
			                         .seconds_ago = 100 - i,
			                         .pid = 70 + i,
			                         .comm = "worker",
			                         .constraint = PM_OOM_MEMCG };
		snprintf(kills[i].group, sizeof kills[i].group, "%s/%d", group, i % 2);
		memcpy(kills[i].limit_group, group, sizeof group);
	}
	char *text = print(load, &log);

	static const char first[] = "shop (12)   7 OOM kills in the last hour; waits: \xe2\x80\xa6";
	assert_int_equal(strncmp(text, first, sizeof first - 1), 0);
	check(text, (const char *const[]){ "1m 34s ago worker (76) ? ? ? limit of \xe2\x80\xa6",
	                                   "and 2 more in the log of the kernel", NULL });
	assert_null(strstr(text, "(71)"));
	assert_non_null(strstr(text, "od0123/web, in \xe2\x80\xa6"));
	free(text);
}

/** Kills in groups that have nothing to do with the target are only counted. */
static void killed_elsewhere(void **state)
{
	(void)state;
	struct pm_oom_kill kills[9] = { 0 };
	struct pm_oom_log log = { .kills = kills, .count = 9, .complete = true };

	for (int i = 0; i < 9; i++) {
		const char *where = i == 0 ? group : "/nt-other";
		kills[i] = (struct pm_oom_kill){ .age_known = true,
			                         .seconds_ago = 100 - i,
			                         .pid = 70 + i,
			                         .comm = "worker",
			                         .constraint = PM_OOM_MEMCG };
		snprintf(kills[i].group, sizeof kills[i].group, "%s", where);
		snprintf(kills[i].limit_group, sizeof kills[i].limit_group, "%s", where);
	}
	/* The log of old kernels does not have the group, and this one is called as the target. */
	memset(kills[7].group, 0, sizeof kills[7].group);
	memset(kills[7].limit_group, 0, sizeof kills[7].limit_group);
	memset(kills[8].group, 0, sizeof kills[8].group);
	memset(kills[8].limit_group, 0, sizeof kills[8].limit_group);
	memcpy(kills[8].comm, "shop", sizeof "shop");
	char *text = print(NULL, &log);

	check(text, (const char *const[]){
			    "1m 40s ago worker (70)", "1m 32s ago shop (78)",
			    "7 OOM kills of other or unknown groups in the log: --json", NULL });
	assert_null(strstr(text, "(71)"));
	assert_null(strstr(text, "(77)"));
	assert_null(strstr(text, " more in the log"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calm),
		cmocka_unit_test(loaded),
		cmocka_unit_test(killed),
		cmocka_unit_test(removed_group),
		cmocka_unit_test(killed_elsewhere),
		cmocka_unit_test(killed_and_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
