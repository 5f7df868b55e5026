/* SPDX-License-Identifier: MIT */
/* Processes around a target, in a saved tree with cgroup v2 whose sizes change on command. */
#include "target/neighbours.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/tree.h"

static const uint64_t mega = 1 << 20;

/** A tree: /shop has the limit, and 12 (the target), 13 and 14 are in it. */
struct fixture {
	char *root;
	char *sys;
	struct pm_process *process;
	struct neighbours neighbours;
	double time;
};

/** Writes the files of a process. Sizes are in KiB. */
static void write_process(const struct fixture *fixture, int pid, int parent, const char *name,
                          uint64_t anon, uint64_t shmem)
{
	char path[64];
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;

	tree_add_process(fixture->root, pid, name,
	                 "RssAnon:\t%" PRIu64 " kB\nRssFile:\t400 kB\nRssShmem:\t%" PRIu64
	                 " kB\nVmSwap:\t0 kB\n",
	                 anon, shmem);
	snprintf(path, sizeof path, "proc/%d/stat", pid);
	tree_write(fixture->root, path,
	           "%d (%s) S %d 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0\n", pid, name, parent);
	snprintf(path, sizeof path, "proc/%d/statm", pid);
	tree_write(fixture->root, path, "90000 %" PRIu64 " %" PRIu64 " 1 0 1 0\n",
	           (anon + shmem + 400) / page, (shmem + 400) / page);
}

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .root = tree_create(), .time = 1000 };
	write_process(&fixture, 12, 1, "master", 20000, 0);
	tree_write(fixture.root, "proc/12/cgroup", "0::/shop/web\n");
	write_process(&fixture, 13, 12, "worker", 10000, 0);
	write_process(&fixture, 14, 1, "sidecar", 30000, 0);
	write_process(&fixture, 50, 1, "stranger", 90000, 0);

	tree_write(fixture.root, "sys/fs/cgroup/shop/web/memory.max", "max\n");
	tree_write(fixture.root, "sys/fs/cgroup/shop/web/cgroup.procs", "12\n13\n");
	tree_write(fixture.root, "sys/fs/cgroup/shop/memory.max", "900000000\n");
	tree_write(fixture.root, "sys/fs/cgroup/shop/memory.current", "100000000\n");
	/* 0 is a process of another PID namespace; /proc does not show 99. */
	tree_write(fixture.root, "sys/fs/cgroup/shop/cgroup.procs", "0\n14\n99\n");

	fixture.process = tree_open_process(fixture.root, 12, &fixture.sys);
	const struct neighbours_options options = { .sys_root = fixture.sys,
		                                    .family = true,
		                                    .group = true };
	neighbours_begin(&fixture.neighbours, fixture.process, &options);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	neighbours_deinit(&fixture->neighbours);
	pm_process_close(fixture->process);
	tree_remove(fixture->root);
	free(fixture->sys);
	return 0;
}

static void sample(struct fixture *fixture)
{
	assert_int_equal(neighbours_add(&fixture->neighbours, fixture->time++, NULL), 0);
}

static const struct neighbour *find(const struct fixture *fixture, pid_t pid)
{
	for (size_t i = 0; i < fixture->neighbours.count; i++)
		if (fixture->neighbours.items[i].use.pid == pid)
			return &fixture->neighbours.items[i];
	return NULL;
}

static void assert_near(double value, double expected)
{
	assert_true(value > expected * 0.98 && value < expected * 1.02);
}

static void assert_growth(const struct fixture *fixture, const char *expected)
{
	struct text text = { 0 };

	assert_int_equal(neighbours_put_growth(&fixture->neighbours, 3, &text), *expected != '\0');
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

/** The child grows by 1 MiB/s, the sidecar by 256 KiB/s, the target does not grow. */
static void child_and_sidecar_are_named_with_their_rates(void **state)
{
	struct fixture *fixture = *state;

	for (uint64_t second = 0; second <= 20; second++) {
		write_process(fixture, 13, 12, "worker", 10000 + 1024 * second, 0);
		write_process(fixture, 14, 1, "sidecar", 30000 + 256 * second, 0);
		sample(fixture);
	}

	neighbours_judge(&fixture->neighbours);
	assert_int_equal(fixture->neighbours.count, 3);
	assert_string_equal(fixture->neighbours.group, "/shop");
	assert_int_equal(find(fixture, 12)->relation, NEIGHBOUR_TARGET);
	assert_int_equal(find(fixture, 13)->relation, NEIGHBOUR_CHILD);
	assert_int_equal(find(fixture, 14)->relation, NEIGHBOUR_MEMBER);
	assert_true(find(fixture, 14)->in_group && find(fixture, 13)->in_group);

	bool estimate;
	assert_near(neighbours_rate(find(fixture, 13), &estimate), (double)mega);
	assert_false(estimate);
	assert_near(neighbours_group_rate(&fixture->neighbours), (double)mega * 1.25);
	assert_growth(fixture, "child 13 worker +1.0M/s, process 14 sidecar +256.0K/s; "
	                       "12 itself does not grow (its RSS)");
}

/** Of many processes that grow, the fastest are named, and the others counted. */
static void further_processes_are_counted_with_their_rate(void **state)
{
	struct fixture *fixture = *state;

	for (uint64_t second = 0; second <= 20; second++) {
		write_process(fixture, 12, 1, "master", 20000 + 4096 * second, 0);
		write_process(fixture, 13, 12, "worker", 10000 + 3072 * second, 0);
		write_process(fixture, 14, 1, "sidecar", 30000 + 2048 * second, 0);
		for (int pid = 21; pid <= 23; pid++)
			write_process(fixture, pid, 13, "helper", 10000 + 1024 * second, 0);
		sample(fixture);
	}

	neighbours_judge(&fixture->neighbours);
	assert_int_equal(find(fixture, 22)->relation, NEIGHBOUR_DESCENDANT);
	assert_growth(fixture,
	              "child 13 worker +3.0M/s, process 14 sidecar +2.0M/s, descendant 21 helper "
	              "+1.0M/s, 2 more +2.0M/s; 12 itself +4.0M/s");
}

static void missing_processes_are_counted_and_named(void **state)
{
	struct fixture *fixture = *state;
	struct text text = { 0 };

	sample(fixture);
	sample(fixture);
	neighbours_judge(&fixture->neighbours);
	neighbours_put_missing(&fixture->neighbours, &text);
	assert_string_equal(text_terminate(&text), "; 1 process of other PID namespaces not visible"
	                                           "; 99 could not be read");
	text_deinit(&text);
	assert_growth(fixture, "");
}

/** A worker is forked: it shares 20 MB with its parent, and then grows by 1 MiB/s. */
static void shared_pages_of_a_new_child_are_no_growth(void **state)
{
	struct fixture *fixture = *state;

	/* The processes of the tree have started 1 s after boot. */
	fixture->time = 0.5;
	sample(fixture);
	for (uint64_t second = 1; second <= 20; second++) {
		tree_write(fixture->root, "sys/fs/cgroup/shop/web/cgroup.procs", "12\n13\n15\n");
		write_process(fixture, 15, 12, "forked", 20000 + 1024 * second, 0);
		sample(fixture);
	}

	neighbours_judge(&fixture->neighbours);
	assert_int_equal(find(fixture, 15)->relation, NEIGHBOUR_CHILD);
	assert_near(neighbours_group_rate(&fixture->neighbours), (double)mega);
	assert_growth(fixture, "child 15 forked +1.0M/s; 12 itself does not grow (its RSS)");
}

/** Shared memory counts for what each process uses, but not for the sum. */
static void shared_memory_is_not_counted_twice(void **state)
{
	struct fixture *fixture = *state;

	for (uint64_t second = 0; second <= 20; second++) {
		write_process(fixture, 13, 12, "worker", 10000, 1024 * second);
		write_process(fixture, 14, 1, "sidecar", 30000, 1024 * second);
		sample(fixture);
	}

	neighbours_judge(&fixture->neighbours);
	assert_near(neighbours_rate(find(fixture, 13), NULL), (double)mega);
	assert_true(neighbours_group_rate(&fixture->neighbours) == 0);
}

/** A page cache that grows is not memory that fills a limit. */
static void ended_processes_and_mapped_files_do_not_grow(void **state)
{
	struct fixture *fixture = *state;

	for (uint64_t second = 0; second <= 12; second++) {
		write_process(fixture, 13, 12, "worker", 10000 + 1024 * second, 0);
		sample(fixture);
	}

	/* Another process has the PID now. */
	tree_write(fixture->root, "proc/13/stat",
	           "13 (worker) S 12 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7000 0 0\n");
	tree_write(fixture->root, "proc/13/statm", "90000 1 1 1 0 1 0\n");
	sample(fixture);

	neighbours_judge(&fixture->neighbours);
	assert_true(find(fixture, 13)->gone);
	assert_false(neighbours_grows(find(fixture, 13)));
	assert_growth(fixture, "");
}

/** The whole machine is observed, and has more processes than are followed. */
static void descendants_take_the_places_of_strangers(void **state)
{
	struct fixture *fixture = *state;
	const size_t strangers = NEIGHBOURS_MAX;
	struct text text = { 0 };

	fixture->neighbours.options.machine = true;
	/* All show the same files, since many files take long. */
	for (size_t i = 0; i < strangers; i++) {
		char path[4096];

		snprintf(path, sizeof path, "%s/proc/%zu", fixture->root, 100 + i);
		assert_int_equal(symlink("50", path), 0);
	}
	sample(fixture);
	assert_int_equal(fixture->neighbours.count, NEIGHBOURS_MAX);
	/* 12, 13, 14 and 50 are there, too. */
	assert_int_equal(fixture->neighbours.left_out, 4);
	assert_non_null(find(fixture, 13));

	write_process(fixture, 90000, 13, "helper", 1000, 0);
	fixture->neighbours.list_due = 0;
	sample(fixture);
	assert_int_equal(find(fixture, 90000)->relation, NEIGHBOUR_DESCENDANT);
	assert_int_equal(fixture->neighbours.count, NEIGHBOURS_MAX);
	assert_int_equal(fixture->neighbours.left_out, 5);

	/* A sample that does not list all processes forgets nothing. */
	fixture->neighbours.list_due = fixture->time + 10;
	sample(fixture);
	assert_int_equal(fixture->neighbours.left_out, 5);
	neighbours_put_missing(&fixture->neighbours, &text);
	assert_non_null(
		strstr(text_terminate(&text), "; 5 or more processes beyond the first 4096"));
	text_deinit(&text);
}

static void descendants_are_found_at_any_depth(void **state)
{
	struct fixture *fixture = *state;

	/* A child can have a lower PID than its parent. */
	for (int i = 0; i < 200; i++)
		write_process(fixture, 300 - i, i == 0 ? 12 : 301 - i, "nested", 1000, 0);
	/* PIDs that were reused can form a loop. */
	write_process(fixture, 400, 401, "loop", 1000, 0);
	write_process(fixture, 401, 400, "loop", 1000, 0);
	sample(fixture);

	assert_int_equal(find(fixture, 300)->relation, NEIGHBOUR_CHILD);
	for (int pid = 101; pid < 300; pid++)
		assert_int_equal(find(fixture, pid)->relation, NEIGHBOUR_DESCENDANT);
	assert_null(find(fixture, 400));
}

static void a_reused_pid_has_another_parent(void **state)
{
	struct fixture *fixture = *state;

	write_process(fixture, 60, 13, "orphan", 1000, 0);
	sample(fixture);
	assert_null(find(fixture, 50));
	assert_int_equal(find(fixture, 60)->relation, NEIGHBOUR_DESCENDANT);

	/* 50 is a child of the target now. The parent of 60 is 1 because 13 has ended. */
	write_process(fixture, 50, 12, "reused", 1000, 0);
	tree_write(fixture->root, "proc/50/stat",
	           "50 (reused) S 12 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7000 0 0\n");
	write_process(fixture, 60, 1, "orphan", 1000, 0);
	fixture->neighbours.list_due = 0;
	sample(fixture);
	assert_int_equal(find(fixture, 50)->relation, NEIGHBOUR_CHILD);
	assert_int_equal(find(fixture, 60)->relation, NEIGHBOUR_DESCENDANT);

	/* What an orphan starts is a descendant, too. */
	write_process(fixture, 61, 60, "late", 1000, 0);
	fixture->neighbours.list_due = 0;
	sample(fixture);
	assert_int_equal(find(fixture, 61)->relation, NEIGHBOUR_DESCENDANT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(child_and_sidecar_are_named_with_their_rates,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(further_processes_are_counted_with_their_rate,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing_processes_are_counted_and_named, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(shared_pages_of_a_new_child_are_no_growth, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(shared_memory_is_not_counted_twice, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(ended_processes_and_mapped_files_do_not_grow,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(descendants_take_the_places_of_strangers, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(descendants_are_found_at_any_depth, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(a_reused_pid_has_another_parent, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
