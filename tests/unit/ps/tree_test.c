/* SPDX-License-Identifier: MIT */
/* The tree of made-up processes: reused PIDs, loops, missing parents, long chains. */
#include "ps/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/options.h"

enum { CHAIN = 20000 };

/** Makes a row. */
static struct ps_row row_of(struct pm_process_row *process)
{
	return (struct ps_row){ .process = process, .listed = true, .rollup_known = true };
}

/** Sorts rows by a column, and puts them into the order of the tree. */
static void order(struct ps_row *rows, size_t count, const char *sort, struct list *list)
{
	static struct list_options options;

	options = (struct list_options){ .sort = sort };
	assert_int_equal(list_init(list, ps_columns_spec(true, false), &options, false, NULL), 0);
	for (size_t i = 0; i < count; i++)
		list_add(list, &rows[i]);

	ps_tree_sum(rows, count);
	list_sort(list);
	ps_tree_order(list);
}

static pid_t pid_at(const struct list *list, size_t at)
{
	return ((const struct ps_row *)list->items[at])->process->pid;
}

static void sums_and_order(void **state)
{
	(void)state;
	struct pm_process_row processes[] = {
		{ .pid = 1, .start_ticks = 1, .rss = 10 },
		{ .pid = 2, .ppid = 1, .start_ticks = 2, .rss = 1 },
		{ .pid = 3, .ppid = 1, .start_ticks = 3, .rss = 5 },
		{ .pid = 4, .ppid = 2, .start_ticks = 4, .rss = 20 },
		{ .pid = 9, .ppid = 8, .start_ticks = 4, .rss = 100 },
	};
	struct ps_row rows[5];
	struct list list;

	for (size_t i = 0; i < 5; i++)
		rows[i] = row_of(&processes[i]);
	rows[3].rollup_known = false;

	/* Process 9 is a root, because its parent is not listed. */
	order(rows, 5, NULL, &list);
	const pid_t expected[] = { 9, 1, 2, 4, 3 };
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pid_at(&list, i), expected[i]);
	list_deinit(&list);

	assert_int_equal(rows[0].tree_rss, 36);
	assert_int_equal(rows[1].tree_rss, 21);
	assert_int_equal(rows[3].depth, 2);
	assert_int_equal(rows[4].depth, 0);
	assert_false(rows[0].tree_pss_known);
	assert_true(rows[2].tree_pss_known);

	order(rows, 5, "pid", &list);
	const pid_t by_pid[] = { 1, 2, 4, 3, 9 };
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(pid_at(&list, i), by_pid[i]);
	list_deinit(&list);
}

static void a_younger_process_is_no_parent(void **state)
{
	(void)state;
	struct pm_process_row processes[] = {
		{ .pid = 5, .ppid = 7, .start_ticks = 10 },
		{ .pid = 7, .start_ticks = 11 },
	};
	struct ps_row rows[] = { row_of(&processes[0]), row_of(&processes[1]) };

	ps_tree_sum(rows, 2);
	assert_null(rows[0].parent);
	assert_int_equal(rows[0].depth, 0);
}

static void loops_end(void **state)
{
	(void)state;
	struct pm_process_row processes[] = {
		{ .pid = 1, .ppid = 1, .rss = 1 },
		{ .pid = 2, .ppid = 3, .rss = 1 },
		{ .pid = 3, .ppid = 2, .rss = 1 },
		{ .pid = 4, .ppid = 3, .rss = 1 },
	};
	struct ps_row rows[4];
	struct list list;

	for (size_t i = 0; i < 4; i++)
		rows[i] = row_of(&processes[i]);

	order(rows, 4, "pid", &list);
	assert_int_equal(list.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pid_at(&list, i), processes[i].pid);
	list_deinit(&list);
}

static void descendants_are_listed(void **state)
{
	(void)state;
	struct pm_process_row processes[] = {
		{ .pid = 1 },
		{ .pid = 2, .ppid = 1 },
		{ .pid = 3, .ppid = 2 },
		{ .pid = 4, .ppid = 1 },
	};
	struct ps_row rows[4];

	for (size_t i = 0; i < 4; i++)
		rows[i] = (struct ps_row){ .process = &processes[i] };
	rows[1].listed = true;

	ps_tree_list_descendants(rows, 4);
	assert_false(rows[0].listed);
	assert_true(rows[1].listed);
	assert_true(rows[2].listed);
	assert_false(rows[3].listed);
}

static void long_chains(void **state)
{
	(void)state;
	struct pm_process_row *processes = calloc(CHAIN, sizeof *processes);
	struct ps_row *rows = calloc(CHAIN, sizeof *rows);
	struct list list;
	assert_non_null(processes);
	assert_non_null(rows);

	for (int i = 0; i < CHAIN; i++) {
		processes[i] = (struct pm_process_row){ .pid = i + 1, .ppid = i, .rss = 1 };
		rows[i] = row_of(&processes[i]);
	}

	order(rows, CHAIN, NULL, &list);
	assert_int_equal(rows[0].tree_rss, CHAIN);
	assert_int_equal(rows[CHAIN - 1].depth, CHAIN - 1);
	assert_int_equal(pid_at(&list, CHAIN - 1), CHAIN);

	list_deinit(&list);
	free(rows);
	free(processes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_order), cmocka_unit_test(a_younger_process_is_no_parent),
		cmocka_unit_test(loops_end),      cmocka_unit_test(descendants_are_listed),
		cmocka_unit_test(long_chains),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
