/* SPDX-License-Identifier: MIT */
/* What is said about a name that no process has, or several. */
#include "target/target_hint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_last_kill_of_a_name_is_named(void **state)
{
	(void)state;
	struct pm_oom_kill kills[] = {
		{ .pid = 7, .comm = "lookup", .age_known = true, .seconds_ago = 90 },
		{ .pid = 8,
		  .comm = "lookup",
		  .age_known = true,
		  .seconds_ago = 7,
		  .limit_group = "/shop" },
		{ .pid = 9, .comm = "a-very-long-nam", .age_known = true, .seconds_ago = 3 },
		{ .pid = 10, .comm = "old", .age_known = true, .seconds_ago = 4000 },
		{ .pid = 11, .comm = "saved" },
	};
	const struct pm_oom_log log = { .kills = kills, .count = 5 };
	struct text text = { 0 };

	assert_true(target_hint_describe_kill(&log, "lookup", &text));
	assert_string_equal(text_terminate(&text),
	                    "lookup (8) was OOM-killed 7.0s ago, limit of /shop");
	text_clear(&text);
	assert_true(target_hint_describe_kill(&log, "a-very-long-name", &text));
	assert_string_equal(text_terminate(&text), "a-very-long-nam (9) was OOM-killed 3.0s ago");

	text_clear(&text);
	assert_false(target_hint_describe_kill(&log, "look", &text));
	assert_false(target_hint_describe_kill(&log, "lookups", &text));
	assert_false(target_hint_describe_kill(&log, "old", &text));
	assert_false(target_hint_describe_kill(&log, "saved", &text));
	assert_false(target_hint_describe_kill(&log, "", &text));
	assert_int_equal(text.length, 0);
	text_deinit(&text);
}

static void the_parent_of_all_others_is_found(void **state)
{
	(void)state;
	struct pm_process_row rows[] = { { .pid = 3, .ppid = 5, .start_ticks = 12 },
		                         { .pid = 5, .ppid = 1, .start_ticks = 10 },
		                         { .pid = 6, .ppid = 5, .start_ticks = 11 },
		                         { .pid = 8, .ppid = 6, .start_ticks = 13 },
		                         { .pid = 9, .ppid = 5, .start_ticks = 9 } };
	const struct pm_process_list list = { .items = rows, .count = 5 };

	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 3, 5, 6 }, 3), 5);
	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 6, 8 }, 2), 6);
	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 3, 6 }, 2), 0);
	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 3, 5, 8 }, 3), 0);
	/* A process that is older than the one with the PID of its parent. */
	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 5, 9 }, 2), 0);
	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 5, 77 }, 2), 0);
	assert_int_equal(target_hint_parent(&list, (pid_t[]){ 5 }, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_kill_of_a_name_is_named),
		cmocka_unit_test(the_parent_of_all_others_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
