/* SPDX-License-Identifier: MIT */
/* The store of stacks: equal stacks have one number, and names belong to one program. */
#include "stack/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t add(struct pm_stacks *stacks, const uint64_t *addresses, size_t count, bool cut)
{
	uint32_t number;

	assert_int_equal(pm_stacks_add(stacks, addresses, count, cut, &number, NULL), 0);
	return number;
}

static struct pm_stacks *open_store(void)
{
	struct pm_stacks *stacks;

	assert_int_equal(pm_stacks_open(&stacks, NULL), 0);
	return stacks;
}

static void test_equal_stacks_have_one_number(void **state)
{
	(void)state;
	enum { STACKS = 5000 };
	struct pm_stacks *stacks = open_store();

	assert_int_equal(pm_stacks_count(stacks), 1);
	assert_int_equal(add(stacks, NULL, 0, false), PM_STACK_NONE);

	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < STACKS; i++) {
			uint64_t addresses[] = { i, i / 2, 7 };
			assert_int_equal(add(stacks, addresses, 3, false), i + 1);
		}
	assert_int_equal(pm_stacks_count(stacks), STACKS + 1);

	const uint64_t *addresses;
	bool cut;
	assert_int_equal(pm_stacks_addresses(stacks, 101, &addresses, &cut), 3);
	assert_int_equal(addresses[0], 100);
	assert_int_equal(addresses[1], 50);
	assert_false(cut);

	uint64_t same[] = { 100, 50, 7 };
	assert_int_equal(add(stacks, same, 3, true), STACKS + 1);
	assert_int_equal(add(stacks, same, 2, false), STACKS + 2);
	pm_stacks_close(stacks);
}

static void test_a_long_stack_loses_its_outermost_frames(void **state)
{
	(void)state;
	uint64_t addresses[PM_STACK_MAX + 1];
	const uint64_t *stored;
	bool cut;
	struct pm_stacks *stacks = open_store();

	for (size_t i = 0; i <= PM_STACK_MAX; i++)
		addresses[i] = i;
	uint32_t number = add(stacks, addresses, PM_STACK_MAX + 1, false);
	assert_int_equal(pm_stacks_addresses(stacks, number, &stored, &cut), PM_STACK_MAX);
	assert_int_equal(stored[0], 0);
	assert_true(cut);
	pm_stacks_close(stacks);
}

static void test_names_belong_to_one_program(void **state)
{
	(void)state;
	const uint64_t addresses[] = { 0x1000, 0x2000 };
	char first[] = "first", second[] = "second";
	const struct pm_frame inlined[] = {
		{ .function = second, .address = 0x1000, .source = PM_FRAME_INLINED },
		{ .function = first, .module = "/bin/x", .address = 0x1000 },
	};
	struct pm_stacks *stacks = open_store();
	struct pm_stack stack;
	uint64_t *unnamed;
	size_t count;

	uint32_t before = add(stacks, addresses, 2, false);
	assert_int_equal(pm_stacks_unnamed(stacks, &unnamed, &count, NULL), 0);
	assert_int_equal(count, 2);
	free(unnamed);

	assert_int_equal(pm_stacks_name(stacks, 0x1000, inlined, 2, NULL), 0);
	assert_int_equal(pm_stacks_name(stacks, 0x3000, inlined, 2, NULL), 0);
	pm_stacks_renew(stacks);
	memset(first, 'x', sizeof first - 1);
	pm_stacks_next_program(stacks);

	uint32_t after = add(stacks, addresses, 2, false);
	assert_int_not_equal(before, after);
	assert_int_equal(pm_stacks_unnamed(stacks, &unnamed, &count, NULL), 0);
	assert_int_equal(count, 2);
	free(unnamed);

	pm_stacks_get(stacks, before, &stack);
	assert_int_equal(stack.count, 3);
	assert_string_equal(stack.frames[0].function, "second");
	assert_string_equal(stack.frames[1].function, "first");
	assert_string_equal(stack.frames[1].module, "/bin/x");
	assert_null(stack.frames[2].function);
	assert_int_equal(stack.frames[2].address, 0x2000);

	pm_stacks_get(stacks, after, &stack);
	assert_int_equal(stack.count, 2);
	assert_null(stack.frames[0].function);

	pm_stacks_get(stacks, PM_STACK_NONE, &stack);
	assert_int_equal(stack.count, 0);
	assert_true(stack.cut);
	pm_stacks_close(stacks);
}

static void test_the_entry_of_a_program_has_no_caller(void **state)
{
	(void)state;
	const uint64_t addresses[] = { 0x1000, 0x2000 };
	const struct pm_frame entry = { .function = "_start", .address = 0x2000 };
	struct pm_stacks *stacks = open_store();
	struct pm_stack stack;
	uint32_t number = add(stacks, addresses, 2, true);
	uint32_t inner = add(stacks, addresses, 1, true);

	pm_stacks_get(stacks, number, &stack);
	assert_true(stack.cut);
	assert_int_equal(pm_stacks_name(stacks, 0x2000, &entry, 1, NULL), 0);
	pm_stacks_renew(stacks);

	pm_stacks_get(stacks, number, &stack);
	assert_false(stack.cut);
	pm_stacks_get(stacks, inner, &stack);
	assert_true(stack.cut);
	pm_stacks_close(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_stacks_have_one_number),
		cmocka_unit_test(test_a_long_stack_loses_its_outermost_frames),
		cmocka_unit_test(test_names_belong_to_one_program),
		cmocka_unit_test(test_the_entry_of_a_program_has_no_caller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
