/* SPDX-License-Identifier: MIT */
/* Changes between two results of a trace. */
#include "trace/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/rows.h"

static const struct pm_trace_site previous[] = {
	{ .stack = 1, .tid = 10, .resident = 4 << 20, .mapped = 4 << 20, .calls = 4 },
	{ .stack = 2, .tid = 10, .resident = 2 << 20, .mapped = 2 << 20, .calls = 2 },
	{ .stack = 2, .tid = 11, .resident = 1 << 20, .mapped = 1 << 20, .calls = 1 },
	{ .stack = 3, .tid = 12, .mapped = 1 << 20, .calls = 1 },
	{ .stack = 1, .before = true, .resident = 8 << 20 },
};

static const struct pm_trace_site current[] = {
	{ .stack = 2, .tid = 10, .resident = 3 << 20, .mapped = 3 << 20, .calls = 3 },
};

enum { PREVIOUS = sizeof previous / sizeof *previous };

/** The sites of `previous` without memory now are added to `current`. */
static struct pm_trace_result add_released(bool per_thread)
{
	struct pm_trace_site old[PREVIOUS];
	struct pm_trace_result last = { .sites = old, .count = PREVIOUS };
	struct pm_trace_result now = { .sites = malloc(sizeof current), .count = 1 };
	const struct trace_report report = { .result = &now,
		                             .last = &last,
		                             .per_thread = per_thread };

	assert_non_null(now.sites);
	memcpy(now.sites, current, sizeof current);
	memcpy(old, previous, sizeof old);
	trace_report_sort(&last);
	trace_report_add_released(&now, &report);
	assert_memory_equal(&now.sites[0], &current[0], sizeof current[0]);

	return now;
}

static bool has(const struct pm_trace_result *result, const struct pm_trace_site *wanted)
{
	for (size_t i = 1; i < result->count; i++) {
		const struct pm_trace_site *site = &result->sites[i];
		if (site->stack == wanted->stack && site->before == wanted->before &&
		    site->tid == wanted->tid)
			return site->resident == 0 && site->mapped == 0 && site->calls == 0;
	}
	return false;
}

static void sites_without_memory_are_added(void **state)
{
	struct pm_trace_result result = add_released(false);

	(void)state;
	/* Site 3 had no resident memory before. */
	assert_int_equal(result.count, 3);
	assert_true(has(&result, &previous[0]));
	assert_true(has(&result, &previous[4]));
	pm_trace_result_deinit(&result);
}

static void threads_of_a_stack_are_distinguished(void **state)
{
	struct pm_trace_result result = add_released(true);

	(void)state;
	assert_int_equal(result.count, 4);
	assert_true(has(&result, &previous[0]));
	assert_true(has(&result, &previous[2]));
	assert_true(has(&result, &previous[4]));
	pm_trace_result_deinit(&result);
}

static void rows_show_the_change(void **state)
{
	struct pm_trace_result now = add_released(true);
	struct pm_trace_site old[PREVIOUS];
	struct pm_trace_result last = { .sites = old, .count = PREVIOUS };
	static const struct pm_stack stacks[1 + PREVIOUS];
	const struct trace_report report = {
		.result = &now, .last = &last, .stacks = stacks, .per_thread = true
	};
	const int64_t changes[] = { -(8 << 20), -(4 << 20) };
	const struct list_options options = { 0 };
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	memcpy(old, previous, sizeof old);
	trace_report_sort(&last);
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_STACK, &options, true, &error),
	                 0);

	assert_int_equal(rows.list.count, 4);
	for (size_t i = 0; i < 2; i++) {
		const struct trace_row *row = rows.list.items[i];
		assert_int_equal(row->change, changes[i]);
		assert_int_equal(row->resident, 0);
	}
	trace_rows_deinit(&rows);
	pm_trace_result_deinit(&now);
}

static void rows_with_the_same_change_are_sorted_by_size(void **state)
{
	static const struct pm_frame small = { .function = "a", .module = "/a", .address = 1 };
	static const struct pm_frame large = { .function = "b", .module = "/b", .address = 2 };
	static const struct pm_stack stacks[] = { { &large, 1, false }, { &small, 1, false } };
	struct pm_trace_site sites[] = { { .stack = 1, .resident = 2 << 20 },
		                         { .stack = 2, .resident = 1 << 20 } };
	const struct pm_trace_result result = { .sites = sites, .count = 2 };
	const struct trace_report report = { .result = &result, .last = &result, .stacks = stacks };
	const struct list_options options = { 0 };
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_LINE, &options, true, &error), 0);
	assert_int_equal(rows.list.count, 2);
	assert_int_equal(((const struct trace_row *)rows.list.items[0])->resident, 2 << 20);
	assert_int_equal(((const struct trace_row *)rows.list.items[1])->resident, 1 << 20);
	trace_rows_deinit(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_without_memory_are_added),
		cmocka_unit_test(threads_of_a_stack_are_distinguished),
		cmocka_unit_test(rows_show_the_change),
		cmocka_unit_test(rows_with_the_same_change_are_sorted_by_size),
	};
	return cmocka_run_group_tests_name("trace/report", tests, NULL, NULL);
}
