/* SPDX-License-Identifier: MIT */
/* Names of generated code in real processes: /tmp/perf-PID.map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <procmem/unwinder.h>
#include <cmocka.h>

#include "support/frames_sample.h"

static void test_names_of_generated_code(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_stack stack;
	struct pm_error error = { 0 };
	char path[64];
	(void)state;

	target_start(&fixture.target, "frames", NULL);
	frames_sample_open(&fixture, fixture.target.pid);
	fixture.registers[PM_UNWIND_IP] = 0x1008;
	uint32_t number = frames_sample_unwind(&fixture);

	must(pm_unwinder_name(fixture.unwinder, &error), &error);
	pm_stacks_get(fixture.stacks, number, &stack);
	assert_null(stack.frames[0].function);
	assert_null(stack.frames[0].module);

	/* The runtime writes the names later. */
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)fixture.target.pid);
	FILE *map = fopen(path, "wxe");
	assert_non_null(map);
	fputs("1000 10 shop.Order::price\n", map);
	fclose(map);
	must(pm_unwinder_name(fixture.unwinder, &error), &error);
	unlink(path);

	pm_stacks_get(fixture.stacks, number, &stack);
	assert_string_equal(stack.frames[0].function, "shop.Order::price");
	assert_int_equal(stack.frames[0].source, PM_FRAME_JIT);
	frames_sample_close(&fixture);
}

/** Calls exec in another mount namespace, as another user, who owns the names. */
static const char changing_script[] =
	"echo begun; read line; exec unshare --mount sh -c '"
	"mount -t tmpfs none /mnt && cp \"$0\" /mnt/hidden && mount -t tmpfs none /tmp && "
	"echo 1000 10 shop.Order::price >/tmp/perf-$$.map && chown 65534 /tmp/perf-$$.map && "
	"exec setpriv --reuid 65534 /mnt/hidden' \"$0\"";

static void test_names_after_a_change_of_root_and_user(void **state)
{
	struct frames_sample fixture = { 0 };
	struct pm_error error = { 0 };
	struct pm_stack stack;
	(void)state;

	if (geteuid() != 0)
		skip_because("only root can create a mount namespace");
	frames_sample_start(&fixture, changing_script);
	frames_sample_exec(&fixture);
	fixture.registers[PM_UNWIND_IP] = 0x1008;
	uint32_t number = frames_sample_unwind(&fixture);
	must(pm_unwinder_name(fixture.unwinder, &error), &error);
	pm_stacks_get(fixture.stacks, number, &stack);
	assert_non_null(stack.frames[0].function);
	assert_string_equal(stack.frames[0].function, "shop.Order::price");
	frames_sample_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_generated_code),
		cmocka_unit_test(test_names_after_a_change_of_root_and_user),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
