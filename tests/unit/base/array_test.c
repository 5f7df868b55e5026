/* SPDX-License-Identifier: MIT */
#include "base/array.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void grows_and_keeps_items(void **state)
{
	(void)state;
	uint64_t *items = NULL;
	size_t capacity = 0;
	for (size_t count = 0; count < 1000; count++) {
		assert_int_equal(pm_array_reserve(&items, &capacity, count, 1, sizeof *items, NULL),
		                 0);
		assert_true(capacity > count);
		items[count] = count * 3;
	}

	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i * 3);

	free(items);
}

static void doubles(void **state)
{
	(void)state;
	char *items = NULL;
	size_t capacity = 0, changes = 0;
	for (size_t count = 0; count < 100000; count++) {
		size_t before = capacity;
		assert_int_equal(pm_array_reserve(&items, &capacity, count, 1, 1, NULL), 0);
		changes += capacity != before;
	}

	assert_in_range(changes, 1, 17);
	free(items);
}

static void keeps_sufficient_capacity(void **state)
{
	(void)state;
	int *items = NULL;
	size_t capacity = 0;
	assert_int_equal(pm_array_reserve(&items, &capacity, 0, 100, sizeof *items, NULL), 0);
	assert_true(capacity >= 100);

	int *before = items;
	size_t room = capacity;
	assert_int_equal(pm_array_reserve(&items, &capacity, 50, room - 50, sizeof *items, NULL),
	                 0);
	assert_ptr_equal(items, before);
	assert_int_equal(capacity, room);
	free(items);
}

/** A reserve that must fail and leave everything as it was. */
static void refuses(size_t count, size_t more, size_t item_size)
{
	char *items = malloc(8);
	char *before = items;
	size_t capacity = 8;
	struct pm_error error = { 0 };

	assert_int_equal(pm_array_reserve(&items, &capacity, count, more, item_size, &error), -1);
	assert_ptr_equal(items, before);
	assert_int_equal(capacity, 8);
	assert_int_equal(error.kind, PM_ERROR_RESOURCES);
	assert_int_equal(error.os_errno, ENOMEM);
	free(items);
}

static void refuses_overflow(void **state)
{
	(void)state;
	refuses(SIZE_MAX, 1, 1);
	refuses(8, SIZE_MAX - 7, 1);
	refuses(8, SIZE_MAX / 4, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_and_keeps_items),
		cmocka_unit_test(doubles),
		cmocka_unit_test(keeps_sufficient_capacity),
		cmocka_unit_test(refuses_overflow),
	};

	return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
