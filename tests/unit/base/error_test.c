/* SPDX-License-Identifier: MIT */
#include <procmem/error.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void is_filled(void **state)
{
	(void)state;
	struct pm_error error = { .pid = 7, .address = 9 };
	assert_int_equal(pm_error_set(&error, PM_ERROR_IO, EIO, "no %s in %d", "luck", 12), -1);
	assert_int_equal(error.kind, PM_ERROR_IO);
	assert_int_equal(error.os_errno, EIO);
	assert_int_equal(error.pid, 0);
	assert_int_equal(error.address, 0);
	assert_string_equal(error.text, "no luck in 12");
}

static void may_be_null(void **state)
{
	(void)state;
	assert_int_equal(pm_error_set(NULL, PM_ERROR_IO, 0, "%s", "unused"), -1);
	assert_int_equal(pm_error_prefix(NULL, "%s: ", "unused"), -1);
}

static void is_truncated_at_its_size(void **state)
{
	(void)state;
	char text[2 * PM_ERROR_TEXT_SIZE];
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';

	struct pm_error error = { 0 };
	pm_error_set(&error, PM_ERROR_FORMAT, 0, "%s", text);
	assert_int_equal(strlen(error.text), PM_ERROR_TEXT_SIZE - 1);
}

static void accepts_its_own_text_as_argument(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	pm_error_set(&error, PM_ERROR_IO, 0, "inner");
	pm_error_set(&error, PM_ERROR_GONE, 0, "outer (%s)", error.text);
	assert_string_equal(error.text, "outer (inner)");
}

static void is_one_line(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	pm_error_set(&error, PM_ERROR_USAGE, 0, "'%s' is not a name", "a\nb\r\n");
	assert_string_equal(error.text, "'a b  ' is not a name");
	pm_error_prefix(&error, "%s: ", "x\ny");
	assert_string_equal(error.text, "x y: 'a b  ' is not a name");
}

static void prefix_keeps_the_rest(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	pm_error_set(&error, PM_ERROR_ACCESS, EACCES, "it is not yours");
	error.pid = 31;
	error.address = 0x1000;
	assert_int_equal(pm_error_prefix(&error, "cannot read %s: ", "maps"), -1);
	assert_string_equal(error.text, "cannot read maps: it is not yours");
	assert_int_equal(error.kind, PM_ERROR_ACCESS);

	assert_int_equal(error.os_errno, EACCES);
	assert_int_equal(error.pid, 31);
	assert_int_equal(error.address, 0x1000);
}

/** Lengths around the border: the prefix stays whole, the sentence is cut. */
static void prefix_is_cut_at_the_border(void **state)
{
	(void)state;
	for (size_t length = PM_ERROR_TEXT_SIZE - 6; length < PM_ERROR_TEXT_SIZE; length++) {
		struct pm_error error = { 0 };
		memset(error.text, 'y', length);
		pm_error_prefix(&error, "abc: ");
		assert_memory_equal(error.text, "abc: yyy", 8);
		size_t wanted = length + 5 < PM_ERROR_TEXT_SIZE ? length + 5
		                                                : PM_ERROR_TEXT_SIZE - 1;
		assert_int_equal(strlen(error.text), wanted);
	}
}

static void prefix_too_long_changes_nothing(void **state)
{
	(void)state;
	char prefix[PM_ERROR_TEXT_SIZE + 1];
	memset(prefix, 'p', sizeof prefix);
	prefix[sizeof prefix - 1] = '\0';

	struct pm_error error = { 0 };
	pm_error_set(&error, PM_ERROR_IO, 0, "the reason");
	pm_error_prefix(&error, "%s", prefix);
	assert_string_equal(error.text, "the reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_filled),
		cmocka_unit_test(may_be_null),
		cmocka_unit_test(is_truncated_at_its_size),
		cmocka_unit_test(accepts_its_own_text_as_argument),
		cmocka_unit_test(is_one_line),
		cmocka_unit_test(prefix_keeps_the_rest),
		cmocka_unit_test(prefix_is_cut_at_the_border),
		cmocka_unit_test(prefix_too_long_changes_nothing),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
