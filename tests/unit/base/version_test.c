/* SPDX-License-Identifier: MIT */
/* The version of the headers, of the library and of the build are the same. */
#include <procmem/version.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void all_versions_agree(void **state)
{
	(void)state;
	assert_string_equal(PM_VERSION, PROCMEM_PROJECT_VERSION);
	assert_string_equal(pm_version(), PM_VERSION);
}

static void the_number_has_the_parts_of_the_text(void **state)
{
	(void)state;
	char text[32];
	snprintf(text, sizeof text, "%d.%d.%d", PM_VERSION_NUMBER / 10000,
	         PM_VERSION_NUMBER / 100 % 100, PM_VERSION_NUMBER % 100);
	assert_string_equal(text, PM_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_versions_agree),
		cmocka_unit_test(the_number_has_the_parts_of_the_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
