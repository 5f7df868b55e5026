/* SPDX-License-Identifier: MIT */
/* The targets tell the truth: what they print is what the kernel says of them. Everything else
 * relies on that. */
#include "support/target.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct target target;

static int stop(void **state)
{
	(void)state;
	target_stop(&target);
	return 0;
}

/** Text of a file below /proc/PID of the target. */
static char *proc_text(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)target.pid, name);
	return read_text(path, NULL);
}

/**
 * The line of smaps text that begins with a range.
 * @return NULL where there is no such region
 */
static const char *find_region(const char *smaps, const char *range)
{
	size_t length = strcspn(range, " ");
	for (const char *line = smaps; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, range, length) == 0 && line[length] == ' ')
			return line;
	}
	return NULL;
}

/** What follows KEY= in a fact, or NULL. */
static const char *value_of(const char *fact, const char *key)
{
	const char *found = strstr(fact, key);
	return found ? found + strlen(key) : NULL;
}

static void check_region(const char *smaps, const char *fact)
{
	const char *range = strchr(fact + strlen("region "), ' ') + 1;
	const char *line = find_region(smaps, range), *rest = strchr(range, ' ');
	if (!line)
		fail_msg("the kernel has no region of '%s'", fact);

	const char *resident = rest ? value_of(rest, " resident=") : NULL,
		   *name = rest ? value_of(rest, " name=") : NULL;
	if (resident) {
		uint64_t rss = strtoull(strstr(line, "\nRss:") + strlen("\nRss:"), NULL, 10) * 1024;
		if (rss != strtoull(resident, NULL, 10))
			fail_msg("'%s', but Rss is %" PRIu64, fact, rss);
	}

	if (name) {
		size_t length = strlen(name);
		const char *end = strchr(line, '\n');
		if ((size_t)(end - line) < length || strncmp(end - length, name, length) != 0)
			fail_msg("'%s', but the kernel says '%.*s'", fact, (int)(end - line), line);
	}
}

static void mapper_facts_match_its_maps(void **state)
{
	(void)state;
	target_start(&target, "mapper", NULL);

	char *smaps = proc_text("smaps");
	size_t checked = 0;
	for (size_t i = 0; i < target.count; i++) {
		const char *fact = target.facts[i];
		/*
		 * Blocks of malloc, the growth of the heap and guard pages lie within a region; the
		 * kernel may merge neighbours of the others too.
		 */
		if (strncmp(fact, "region ", 7) != 0 || strstr(fact, "kind=malloc") ||
		    strstr(fact, "kind=heap") || strstr(fact, "part of"))
			continue;
		check_region(smaps, fact);
		checked++;
	}

	assert_in_range(checked, 40, 100);
	free(smaps);
}

/** All that is needed of a field of status, in bytes. */
static uint64_t status_bytes(const char *key)
{
	char *status = proc_text("status");
	const char *line = strstr(status, key);
	assert_non_null(line);
	uint64_t bytes = strtoull(line + strlen(key), NULL, 10) * 1024;
	free(status);
	return bytes;
}

static void many_regions_creates_its_number(void **state)
{
	(void)state;
	target_start(&target, "many_regions", "1000", "20", NULL);

	char *maps = proc_text("maps");
	uint64_t start, end;
	target_range(&target, "all", &start, &end);

	size_t inside = 0;
	for (char *line = strtok(maps, "\n"); line; line = strtok(NULL, "\n")) {
		uint64_t at = strtoull(line, NULL, 16);
		inside += at >= start && at < end;
	}

	assert_int_equal(inside, 1000);
	uint64_t resident = target_fact_number(&target, "resident"), rss = status_bytes("VmRSS:");
	assert_int_equal(resident, 20 << 20);
	assert_true(rss >= resident && rss < resident + (8 << 20));
	free(maps);
}

static void server_fills_its_buffers(void **state)
{
	(void)state;
	target_start(&target, "sample_server", "--rate", "0", NULL);

	uint64_t before = status_bytes("VmRSS:");
	target_tell(&target, "fill");

	uint64_t grown = status_bytes("VmRSS:") - before;
	assert_in_range(grown, 128 << 20, 130 << 20);
	assert_non_null(target_fact(&target, "region heap"));
}

static void first_thread_of_dead_leader_is_dead(void **state)
{
	(void)state;
	target_start(&target, "dead_leader", NULL);

	char *maps = proc_text("maps"), *status = proc_text("status");
	assert_string_equal(maps, "");
	assert_non_null(strstr(status, "State:\tZ"));
	free(status);
	free(maps);

	char task[64];
	snprintf(task, sizeof task, "task/%d/maps", (int)target_fact_number(&target, "thread"));
	maps = proc_text(task);

	char range[64];
	snprintf(range, sizeof range, "%s", target_fact(&target, "region content"));
	range[strcspn(range, " ")] = '\0';
	assert_non_null(strstr(maps, range));
	free(maps);
}

static void zombie_parent_keeps_a_zombie(void **state)
{
	(void)state;
	target_start(&target, "zombie_parent", NULL);

	char path[64];
	snprintf(path, sizeof path, "/proc/%d/status", (int)target_fact_number(&target, "zombie"));

	char *status = read_text(path, NULL);
	assert_non_null(strstr(status, "State:\tZ"));
	free(status);
	target_tell(&target, "reap");
	assert_int_equal(access(path, F_OK), -1);
}

static void exec_changes_the_memory(void **state)
{
	(void)state;
	target_start(&target, "exiter", NULL);

	char *before = proc_text("maps");
	fputs("exec\n", target.to);
	fflush(target.to);
	free(target_await(&target, "ready"));

	char *after = proc_text("maps");
	assert_string_not_equal(before, after);
	free(before);
	free(after);
	target_tell(&target, "map");
	target_tell(&target, "unmap");
}

/** When the test dies, so does the target: its pipe closes, which only its end can do. */
static void target_dies_with_its_test(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);

	pid_t test = fork();
	if (test == 0) {
		/* A test of its own that is killed; the target inherits the writing end. */
		close(ends[0]);
		target_start(&target, "sample_server", "--rate", "0", NULL);
		if (write(ends[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}

	close(ends[1]);
	char byte;
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(test, SIGKILL);
	assert_int_equal(waitpid(test, NULL, 0), test);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(mapper_facts_match_its_maps, stop),
		cmocka_unit_test_teardown(many_regions_creates_its_number, stop),
		cmocka_unit_test_teardown(server_fills_its_buffers, stop),
		cmocka_unit_test_teardown(first_thread_of_dead_leader_is_dead, stop),
		cmocka_unit_test_teardown(zombie_parent_keeps_a_zombie, stop),
		cmocka_unit_test_teardown(exec_changes_the_memory, stop),
		cmocka_unit_test(target_dies_with_its_test),
	};

	return cmocka_run_group_tests_name("targets", tests, NULL, NULL);
}
