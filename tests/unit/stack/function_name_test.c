/* SPDX-License-Identifier: MIT */
/* Short names of functions: without arguments and return types. */
#include "stack/function_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *mangled, const char *name)
{
	char buffer[1024];

	pm_function_name(mangled, buffer, sizeof buffer);
	assert_string_equal(buffer, name);
}

static void test_names_that_are_not_mangled_stay(void **state)
{
	(void)state;
	expect("main", "main");
	expect("", "");
	expect("odd name (1)", "odd name (1)");
}

static void test_arguments_and_return_types_are_removed(void **state)
{
	(void)state;
	expect("_ZN4shop5OrderC1Ei", "shop::Order::Order");
	expect("_ZNK4shop5Order5priceEv", "shop::Order::price");
	expect("_ZN6frames7descendILi19EEEii", "frames::descend<19>");
	expect("_ZN12_GLOBAL__N_13runEi", "(anonymous namespace)::run");
	expect("_ZN4shop5Order4findEPFivE", "shop::Order::find");
	expect("_ZN4shop5Order4findEi.cold", "shop::Order::find");
}

static void test_operators_keep_their_names(void **state)
{
	(void)state;
	expect("_ZN4shop5OrderclEi", "shop::Order::operator()");
	expect("_ZN4shop5OrdercvbEv", "shop::Order::operator bool");
	expect("_Znwm", "operator new");
	expect("_ZN4shoplsERNS_5OrderEi", "shop::operator<<");
}

static void test_rust_names(void **state)
{
	(void)state;
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_that_are_not_mangled_stay),
		cmocka_unit_test(test_arguments_and_return_types_are_removed),
		cmocka_unit_test(test_operators_keep_their_names),
		cmocka_unit_test(test_rust_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
