/* SPDX-License-Identifier: MIT */
/* Lists of unreadable ranges: joining, ownership of the reasons, order. */
#include <procmem/unreadable.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void add(struct pm_unreadable_list *list, uint64_t start, uint64_t end, const char *why)
{
	const struct pm_unreadable range = {
		.start = start, .end = end, .os_errno = 5, .why = why
	};
	struct pm_error error;
	assert_int_equal(pm_unreadable_list_add(list, &range, &error), 0);
}

static void adjacent_ranges_are_joined(void **state)
{
	(void)state;
	struct pm_unreadable_list list = { 0 };

	add(&list, 0x1000, 0x2000, "guard");
	add(&list, 0x2000, 0x3000, "guard");
	add(&list, 0x3000, 0x4000, "device");
	add(&list, 0x5000, 0x6000, "device");
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].start, 0x1000);
	assert_int_equal(list.items[0].end, 0x3000);
	assert_int_equal(list.items[0].os_errno, 5);
	assert_string_equal(list.items[0].why, "guard");
	assert_int_equal(list.items[2].start, 0x5000);
	assert_int_equal(list.bytes, 0x4000);

	pm_unreadable_list_deinit(&list);
	assert_int_equal(list.count, 0);
	assert_int_equal(list.bytes, 0);
}

/** The text of the caller may change, and reasons stay valid while the list grows. */
static void reasons_are_copied(void **state)
{
	(void)state;
	struct pm_unreadable_list list = { 0 };
	char why[32];

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(why, sizeof why, "reason %u", i / 2 % 7);
		add(&list, i * UINT64_C(0x2000), i * UINT64_C(0x2000) + 0x1000, why);
	}
	memset(why, 0, sizeof why);

	assert_int_equal(list.count, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(why, sizeof why, "reason %u", i / 2 % 7);
		assert_string_equal(list.items[i].why, why);
	}

	pm_unreadable_list_deinit(&list);
}

static void list_can_be_sorted_and_reused(void **state)
{
	(void)state;
	struct pm_unreadable_list list = { 0 };

	pm_unreadable_list_sort(&list);
	add(&list, 0x5000, 0x6000, "second");
	add(&list, 0x1000, 0x2000, "first");
	pm_unreadable_list_sort(&list);
	assert_string_equal(list.items[0].why, "first");
	assert_string_equal(list.items[1].why, "second");

	pm_unreadable_list_clear(&list);
	assert_int_equal(list.count, 0);
	add(&list, 0x7000, 0x8000, "third");
	assert_int_equal(list.count, 1);
	assert_int_equal(list.bytes, 0x1000);
	assert_string_equal(list.items[0].why, "third");

	pm_unreadable_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjacent_ranges_are_joined),
		cmocka_unit_test(reasons_are_copied),
		cmocka_unit_test(list_can_be_sorted_and_reused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
