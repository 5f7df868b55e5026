/* SPDX-License-Identifier: MIT */
/* Names of generated code, from text that may be hostile. */
#include "stack/jit_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Expects the name that a text has for an address; NULL: none. */
static void expect(const char *text, uint64_t address, const char *name)
{
	struct pm_jit_name found = { .address = address };

	assert_int_equal(pm_jit_map_find(text, strlen(text), &found, 1, NULL), 0);
	if (!name) {
		assert_null(found.name);
		return;
	}
	assert_non_null(found.name);
	assert_int_equal(found.length, strlen(name));
	assert_memory_equal(found.name, name, found.length);
}

static void test_a_name_is_that_of_the_range(void **state)
{
	(void)state;
	const char *text = "1000 10 one\n0x2000 20 Lshop/Order;::price int\n";

	expect(text, 0xfff, NULL);
	expect(text, 0x1000, "one");
	expect(text, 0x100f, "one");
	expect(text, 0x1010, NULL);
	expect(text, 0x201f, "Lshop/Order;::price int");
}

static void test_java_methods_have_no_types(void **state)
{
	(void)state;
	expect("1000 10 void shop.Order.add(int, long)\n", 0x1000, "shop.Order.add");
	expect("1000 10 void shop.Order$$Lambda$2/0x00ab.<init>()\n", 0x1000,
	       "shop.Order$$Lambda$2/0x00ab.<init>");
	expect("1000 10 StubRoutines (1)\n", 0x1000, "StubRoutines (1)");
	expect("1000 10 LazyCompile:*add /a (b)/order.js:3\n", 0x1000,
	       "LazyCompile:*add /a (b)/order.js:3");
	expect("1000 10 JS:~add file (x.js)\n", 0x1000, "add file (x.js)");
	expect("1000 10 f ()\n", 0x1000, "f ()");
	expect("1000 10 a b c.d()\n", 0x1000, "a b c.d()");
	expect("1000 10 )\n", 0x1000, ")");
}

static void test_functions_of_javascript_have_no_marks(void **state)
{
	(void)state;
	expect("1000 10 JS:*add /srv/order.js:3:19\n", 0x1000, "add /srv/order.js:3:19");
	expect("1000 10 JS:^ /srv/order.js:3:19\n", 0x1000, "/srv/order.js:3:19");
	expect("1000 10 JS:add /srv/order.js:3:19\n", 0x1000, "JS:add /srv/order.js:3:19");
	expect("1000 10 JS:~\n", 0x1000, "JS:~");
	expect("1000 10 JS:~ \n", 0x1000, " ");
}

static void test_the_last_line_wins(void **state)
{
	(void)state;
	const char *text = "1000 100 old\n1040 10 inner\n1000 20 new\n";

	expect(text, 0x1000, "new");
	expect(text, 0x1020, "old");
	expect(text, 0x1048, "inner");
	expect(text, 0x1050, "old");
}

static void test_damaged_lines_are_ignored(void **state)
{
	(void)state;
	expect("1000 10\n", 0x1000, NULL);
	expect("1000 10 \n", 0x1000, NULL);
	expect("1000 0 empty\n", 0x1000, NULL);
	expect("x 10 name\n", 0x1000, NULL);
	expect("10000000000001000 10 name\n", 0x1000, NULL);
	expect("", 0x1000, NULL);
	/* The end of the line has not been written yet. */
	expect("1000 10 incompl", 0x1000, NULL);
	/* A range that reaches beyond the last address. */
	expect("ffffffffffffff00 ffffffff end\n", 0xffffffffffffff80, "end");
	expect("ffffffffffffff00 ffffffff end\n", 0x10, NULL);
}

static void test_many_lines_with_the_same_addresses(void **state)
{
	(void)state;
	enum { LINES = 20000, ADDRESSES = 20000 };
	char *text = malloc((size_t)LINES * 32);
	size_t length = 0;
	struct pm_jit_name *names = calloc(ADDRESSES, sizeof *names);
	assert_non_null(text);
	assert_non_null(names);

	for (size_t i = 0; i < LINES; i++)
		length += (size_t)sprintf(text + length, "0 ffffffff n%zu\n", i);
	for (size_t i = 0; i < ADDRESSES; i++)
		names[i].address = i;

	assert_int_equal(pm_jit_map_find(text, length, names, ADDRESSES, NULL), 0);
	for (size_t i = 0; i < ADDRESSES; i++)
		assert_memory_equal(names[i].name, "n19999", 6);
	free(names);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_is_that_of_the_range),
		cmocka_unit_test(test_java_methods_have_no_types),
		cmocka_unit_test(test_functions_of_javascript_have_no_marks),
		cmocka_unit_test(test_the_last_line_wins),
		cmocka_unit_test(test_damaged_lines_are_ignored),
		cmocka_unit_test(test_many_lines_with_the_same_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
