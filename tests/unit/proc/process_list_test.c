/* SPDX-License-Identifier: MIT */
/* The list against /proc itself. */
#include <procmem/process_list.h>

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/process_rollup.h"
#include "support/child.h"
#include "support/target.h"

static const struct pm_process_row *find_row(const struct pm_process_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].pid == pid)
			return &list->items[i];
	return NULL;
}

static char *proc_text(pid_t pid, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	return read_text(path, NULL);
}

/** A number in the text of status, by a way of its own. */
static uint64_t status_value(const char *status, const char *key)
{
	const char *line = strstr(status, key);
	return line ? strtoull(line + strlen(key), NULL, 10) : 0;
}

static void read_list(struct pm_process_list *list)
{
	struct pm_error error = { 0 };
	if (pm_process_list_read(list, &error) < 0)
		fail_msg("%s", error.text);
}

static void figures_equal_status(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "mapper", NULL);

	struct pm_process_list list;
	read_list(&list);

	const struct pm_process_row *row = find_row(&list, target.pid);
	assert_non_null(row);

	char *status = proc_text(target.pid, "status");
	assert_int_equal(row->rss, status_value(status, "\nVmRSS:") * 1024);
	assert_int_equal(row->peak, status_value(status, "\nVmHWM:") * 1024);
	assert_int_equal(row->swap, status_value(status, "\nVmSwap:") * 1024);
	assert_int_equal(row->size, status_value(status, "\nVmSize:") * 1024);
	assert_int_equal(row->threads, status_value(status, "\nThreads:"));
	assert_int_equal(row->uid, geteuid());
	assert_int_equal(row->ppid, status_value(status, "\nPPid:"));
	assert_int_equal(row->ppid, getpid());
	assert_true(row->rss > 1024 * 1024);

	assert_string_equal(row->comm, "mapper");
	assert_false(row->kernel_thread);

	struct pm_process *process;
	struct pm_process_info info;
	assert_int_equal(pm_process_open(NULL, target.pid, &process, NULL), 0);
	assert_int_equal(pm_process_read_info(process, &info, NULL), 0);
	assert_int_equal(row->start_ticks, info.start_ticks);
	assert_int_equal(pm_process_start_ticks(process), info.start_ticks);
	assert_true((double)row->time_ns / 1e9 * (double)sysconf(_SC_CLK_TCK) >=
	            (double)row->start_ticks);

	char *command;
	assert_int_equal(pm_process_read_command(process, &command, NULL), 0);
	assert_string_equal(row->command, command);
	free(command);
	pm_process_close(process);
	free(status);
	pm_process_list_deinit(&list);
	target_stop(&target);
}

static int count_processes(void)
{
	DIR *directory = opendir("/proc");
	assert_non_null(directory);

	struct dirent *entry;
	int count = 0;
	while ((entry = readdir(directory)))
		count += entry->d_name[0] >= '0' && entry->d_name[0] <= '9';

	closedir(directory);
	return count;
}

static void holds_every_process_once(void **state)
{
	(void)state;
	struct pm_process_list list;
	int before = count_processes();
	read_list(&list);

	int after = count_processes();
	/* Other processes start and end concurrently. */
	assert_in_range(list.count, (before < after ? before : after) / 2,
	                (before > after ? before : after) * 2);

	for (size_t i = 1; i < list.count; i++)
		assert_true(list.items[i - 1].pid < list.items[i].pid);

	const struct pm_process_row *own = find_row(&list, getpid());
	assert_non_null(own);

	char *comm = proc_text(getpid(), "comm");
	comm[strcspn(comm, "\n")] = '\0';
	assert_string_equal(own->comm, comm);
	free(comm);
	pm_process_list_deinit(&list);
}

static void kernel_threads_are_marked(void **state)
{
	(void)state;
	struct pm_process_list list;
	read_list(&list);

	const struct pm_process_row *kthreadd = find_row(&list, 2);
	bool exists = kthreadd && strcmp(kthreadd->comm, "kthreadd") == 0;
	size_t marked = 0;
	for (size_t i = 0; i < list.count; i++) {
		const struct pm_process_row *row = &list.items[i];
		marked += row->kernel_thread;
		if (row->kernel_thread) {
			assert_int_equal(row->rss, 0);
			assert_string_equal(row->command, "");
		}
	}

	assert_true(!exists || (kthreadd->kernel_thread && marked > 1));
	pm_process_list_deinit(&list);
	if (!exists)
		skip_because("there are no kernel threads here, as in a container");
}

static void hostile_names_are_unchanged(void **state)
{
	(void)state;
	static const char *const names[] = { "ed) ge (x", "two\nlines", "\033[31mred", "\xff\xfe",
		                             "-",         " ",          "tab\\t\tx",   "" };
	enum { COUNT = sizeof names / sizeof *names };

	pid_t children[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		children[i] = child_start(names[i], NULL);

	struct pm_process_list list;
	read_list(&list);
	for (size_t i = 0; i < COUNT; i++)
		child_stop(children[i]);

	for (size_t i = 0; i < COUNT; i++) {
		const struct pm_process_row *row = find_row(&list, children[i]);
		assert_non_null(row);
		if (strcmp(row->comm, names[i]) != 0)
			fail_msg("'%s' came as '%s'", names[i], row->comm);
	}

	pm_process_list_deinit(&list);
}

static void command_lines_are_unchanged(void **state)
{
	(void)state;
	static char *const arguments[] = { "/bin/sleep", "a\033[31m\nb", "1000", "0.5", NULL };
	pid_t child = child_start("x", arguments);
	struct pm_process_list list;

	read_list(&list);
	child_stop(child);

	const struct pm_process_row *row = find_row(&list, child);
	assert_non_null(row);
	assert_string_equal(row->command, "a\033[31m\nb 1000 0.5");
	pm_process_list_deinit(&list);
}

static void long_command_lines_are_complete(void **state)
{
	(void)state;
	enum { LONG = 100000, COUNT = 12 };

	char *argument = malloc(LONG + 1);
	assert_non_null(argument);
	memset(argument, 'a', LONG);
	argument[LONG] = '\0';

	char *arguments[COUNT + 4] = { "/bin/sh", "sh", "-c", "kill -STOP $$" };
	for (size_t i = 4; i < COUNT + 3; i++)
		arguments[i] = argument;

	pid_t child = child_start("x", arguments);
	struct pm_process_list list;
	read_list(&list);

	const struct pm_process_row *row = find_row(&list, child);
	assert_non_null(row);
	assert_int_equal(strlen(row->command),
	                 strlen("sh -c kill -STOP $$") + (COUNT - 1) * (LONG + 1));
	child_stop(child);
	pm_process_list_deinit(&list);
	free(argument);
}

static void dead_leader_has_values(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "dead_leader", NULL);

	struct pm_process_list list;
	read_list(&list);

	const struct pm_process_row *row = find_row(&list, target.pid);
	assert_non_null(row);
	assert_true(row->rss >= 1024 * 1024);
	assert_true(row->peak >= row->rss);
	assert_non_null(strstr(row->command, "dead_leader"));
	pm_process_list_deinit(&list);
	target_stop(&target);
}

static void lack_of_descriptors_is_an_error(void **state)
{
	(void)state;
	pid_t child = fork();
	assert_true(child >= 0);

	if (child == 0) {
		struct rlimit limit = { 3, 3 };
		struct pm_process_list list;
		struct pm_error error = { 0 };
		setrlimit(RLIMIT_NOFILE, &limit);
		_exit(pm_process_list_read(&list, &error) == -1 && error.kind == PM_ERROR_RESOURCES
		              ? 0
		              : 1);
	}

	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void pss_equals_the_kernel(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "many_regions", "200", "64", NULL);

	struct pm_process *process;
	uint64_t pss = 0;
	assert_int_equal(pm_process_open(NULL, target.pid, &process, NULL), 0);
	assert_int_equal(pm_process_read_pss(process, &pss, NULL), 0);

	char *text = proc_text(target.pid, "smaps_rollup");
	uint64_t truth = status_value(text, "\nPss:") * 1024;
	free(text);
	pm_process_close(process);
	target_stop(&target);

	/* The shares of the C library change as other processes come and go. */
	assert_in_range(pss, truth - truth / 8, truth + truth / 8);
	assert_true(pss > 1024 * 1024);
}

static void rollup_equals_the_kernel(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "many_regions", "200", "64", NULL);

	struct pm_process *process;
	struct pm_process_rollup rollup;
	assert_int_equal(pm_process_open(NULL, target.pid, &process, NULL), 0);
	assert_int_equal(pm_process_rollup_read(process, &rollup, NULL), 0);

	char *text = proc_text(target.pid, "smaps_rollup");
	uint64_t private = status_value(text, "\nPrivate_Clean:") +
	                   status_value(text, "\nPrivate_Dirty:");
	uint64_t rss = status_value(text, "\nRss:");
	free(text);
	pm_process_close(process);
	target_stop(&target);

	assert_int_equal(rollup.rss, rss * 1024);
	assert_in_range(rollup.private_pages, private * 896, private * 1152);
	assert_int_equal(pm_process_rollup_uss(&rollup), rollup.private_pages + rollup.hugetlb);
	assert_in_range(rollup.pss, rollup.private_pages, rollup.rss);
	assert_true(rollup.private_pages > 1024 * 1024);
}

/** A text of smaps_rollup, as of a kernel without some fields. */
static void rollup_of_saved_text(void **state)
{
	(void)state;
	struct pm_process_rollup rollup = { .rss = 7 };

	assert_true(pm_process_rollup_parse("00400000-7ffe000 ---p 0 00:00 0 [rollup]\n"
	                                    "Rss:     40 kB\nPss:     20 kB\n"
	                                    "Pss_Anon: 1 kB\nPrivate_Clean:  3 kB\n"
	                                    "Private_Dirty:  5 kB\nShared_Hugetlb: 2048 kB\n"
	                                    "Private_Hugetlb: 4096 kB\nSwapPss: 6 kB\n",
	                                    &rollup));
	assert_int_equal(rollup.rss, 40 * 1024);
	assert_int_equal(rollup.pss, 20 * 1024);
	assert_int_equal(rollup.private_pages, 8 * 1024);
	assert_int_equal(rollup.hugetlb, 4096 * 1024);
	assert_int_equal(rollup.shared_hugetlb, 2048 * 1024);
	assert_int_equal(rollup.swap_pss, 6 * 1024);
	assert_int_equal(pm_process_rollup_uss(&rollup), (8 + 4096) * 1024);

	assert_false(pm_process_rollup_parse("Rss: 4 kB\n", &rollup));
	assert_false(pm_process_rollup_parse("", &rollup));
	assert_int_equal(rollup.rss, 40 * 1024);
}

static void pss_of_processes_without_memory(void **state)
{
	(void)state;
	pid_t zombie = child_start("pmt zombie", NULL);
	siginfo_t end;
	kill(zombie, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)zombie, &end, WEXITED | WNOWAIT), 0);

	struct pm_process *process;
	struct pm_error error = { 0 };
	uint64_t pss = 7;
	assert_int_equal(pm_process_open(NULL, zombie, &process, NULL), 0);
	assert_int_equal(pm_process_read_pss(process, &pss, &error), -1);
	pm_process_close(process);
	waitpid(zombie, NULL, 0);
	assert_int_equal(error.kind, PM_ERROR_NO_MEMORY);

	assert_non_null(strstr(error.text, "is a zombie"));
	assert_int_equal(pss, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_equal_status),
		cmocka_unit_test(rollup_equals_the_kernel),
		cmocka_unit_test(rollup_of_saved_text),
		cmocka_unit_test(holds_every_process_once),
		cmocka_unit_test(kernel_threads_are_marked),
		cmocka_unit_test(hostile_names_are_unchanged),
		cmocka_unit_test(command_lines_are_unchanged),
		cmocka_unit_test(long_command_lines_are_complete),
		cmocka_unit_test(dead_leader_has_values),
		cmocka_unit_test(lack_of_descriptors_is_an_error),
		cmocka_unit_test(pss_equals_the_kernel),
		cmocka_unit_test(pss_of_processes_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
