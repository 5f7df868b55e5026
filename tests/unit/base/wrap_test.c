/* SPDX-License-Identifier: MIT */
/* Breaking of prose at the width of a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/wrap.h"

static void expect(const char *lines, size_t width, size_t indent, const char *wrapped)
{
	struct text text = { 0 };
	wrap(&text, lines, strlen(lines), width, indent);
	assert_string_equal(text_terminate(&text), wrapped);
	text_deinit(&text);
}

static void test_lines_that_fit_are_unchanged(void **state)
{
	(void)state;
	expect("", 10, 2, "");
	expect("\n", 10, 2, "\n");
	expect("ten of ten\n", 10, 2, "ten of ten\n");
	expect("a line of any length", SIZE_MAX, 2, "a line of any length");
}

static void test_lines_break_at_spaces(void **state)
{
	(void)state;
	expect("ten of ten and more\n", 10, 2, "ten of ten\n  and more\n");
	expect("eleven wide and more\n", 10, 0, "eleven\nwide and\nmore\n");
	expect("one line of words\nand another\n", 10, 0, "one line\nof words\nand\nanother\n");
	/* Spaces at a break are removed, those at the start of a line are not. */
	expect("   leading   trailing   ", 12, 3, "   leading\n   trailing");
}

static void test_lines_break_between_fields(void **state)
{
	(void)state;
	expect("7f00-7f10  16.0K  RSS 4.0K  rw-p", 21, 2, "7f00-7f10  16.0K\n  RSS 4.0K  rw-p");
	/* Not if a line would be less than half full. */
	expect("a  long field of many words", 16, 2, "a  long field of\n  many words");
}

static void test_a_word_that_is_too_long_is_not_split(void **state)
{
	(void)state;
	expect("/a/path/without/spaces", 10, 2, "/a/path/without/spaces");
	expect("see /a/path/without/spaces there", 10, 2, "see\n  /a/path/without/spaces\n  there");
}

static void test_columns_count_not_bytes(void **state)
{
	(void)state;
	expect("äöü äöü äöü", 7, 0, "äöü äöü\näöü");
}

static void test_no_width_loses_a_word(void **state)
{
	static const char line[] = "  0x7f1dff451000 is 0x0 into it, file offset 0x251000;  its "
				   "page is …present,   the file's own page";

	(void)state;
	for (size_t width = 1; width < 110; width++) {
		for (size_t indent = 0; indent < width; indent++) {
			struct text text = { 0 };
			const char *at = line;
			wrap(&text, line, strlen(line), width, indent);
			for (size_t i = 0; i < text.length; i++) {
				if (text.bytes[i] == ' ' || text.bytes[i] == '\n')
					continue;
				at += strspn(at, " ");
				assert_int_equal(*at++, text.bytes[i]);
			}
			assert_int_equal(*at, '\0');
			text_deinit(&text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_that_fit_are_unchanged),
		cmocka_unit_test(test_lines_break_at_spaces),
		cmocka_unit_test(test_lines_break_between_fields),
		cmocka_unit_test(test_a_word_that_is_too_long_is_not_split),
		cmocka_unit_test(test_columns_count_not_bytes),
		cmocka_unit_test(test_no_width_loses_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
