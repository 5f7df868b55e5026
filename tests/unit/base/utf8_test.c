/* SPDX-License-Identifier: MIT */
/* Escaping of untrusted bytes, and widths on a terminal. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/** Bytes and their escaped form. `bytes` has a length because it may contain NUL. */
struct example {
	const char *bytes;
	size_t length;
	const char *escaped;
};

#define EXAMPLE(bytes, escaped) { bytes, sizeof(bytes) - 1, escaped }

static const struct example examples[] = {
	EXAMPLE("", ""),
	EXAMPLE("plain text ~", "plain text ~"),
	EXAMPLE("back\\slash \\x41", "back\\slash \\x41"),
	EXAMPLE("a\0b", "a\\x00b"),
	EXAMPLE("\033[31m\r\n\t\177", "\\x1b[31m\\x0d\\x0a\\x09\\x7f"),
	EXAMPLE("gr\303\266\303\237e \342\202\254 \346\227\245 \360\237\230\200",
	        "gr\303\266\303\237e \342\202\254 \346\227\245 \360\237\230\200"),
	/* Control characters of Latin-1: for terminals U+009B is ESC [. */
	EXAMPLE("\302\23331m", "\\xc2\\x9b31m"),
	/* Changes the direction of text. NOLINTBEGIN(misc-misleading-bidirectional) */
	EXAMPLE("\342\200\256abc", "\\xe2\\x80\\xaeabc"),
	EXAMPLE("\342\201\246", "\\xe2\\x81\\xa6"),
	/* NOLINTEND(misc-misleading-bidirectional) */
	EXAMPLE("\342\200\250", "\\xe2\\x80\\xa8"),
	/* Not UTF-8: stray, truncated, overlong, surrogate, beyond U+10FFFF. */
	EXAMPLE("\377\376\200", "\\xff\\xfe\\x80"),
	EXAMPLE("\342\202", "\\xe2\\x82"),
	EXAMPLE("\342\202x", "\\xe2\\x82x"),
	EXAMPLE("\300\257", "\\xc0\\xaf"),
	EXAMPLE("\340\200\257", "\\xe0\\x80\\xaf"),
	EXAMPLE("\355\240\200", "\\xed\\xa0\\x80"),
	EXAMPLE("\364\220\200\200", "\\xf4\\x90\\x80\\x80"),
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct text text = { 0 };
		utf8_escape(&text, examples[i].bytes, examples[i].length);
		assert_string_equal(text_terminate(&text), examples[i].escaped);
		text_deinit(&text);
	}
}

/** The result is always one line of UTF-8 without control characters, and stable. */
static void test_all_pairs_of_bytes(void **state)
{
	(void)state;
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		const char bytes[] = { (char)(pair >> 8), (char)pair };
		struct text once = { 0 }, twice = { 0 };
		utf8_escape(&once, bytes, sizeof bytes);
		for (size_t i = 0; i < once.length; i++)
			assert_true((unsigned char)once.bytes[i] >= 0x20 && once.bytes[i] != 0x7f);
		utf8_escape(&twice, once.bytes, once.length);
		assert_int_equal(once.length, twice.length);
		assert_memory_equal(once.bytes, twice.bytes, once.length);
		text_deinit(&once);
		text_deinit(&twice);
	}
}

static size_t columns(const char *string)
{
	return utf8_columns(string, strlen(string));
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(columns(""), 0);
	assert_int_equal(columns("libc.so"), 7);
	assert_int_equal(columns("gr\303\266\303\237e"), 5);
	assert_int_equal(columns("e\314\201"), 1);                /* e and a combining accent */
	assert_int_equal(columns("\346\227\245\346\234\254"), 4); /* two wide characters */
	assert_int_equal(columns("\360\237\230\200!"), 3);
}

static size_t fit(const char *string, size_t room)
{
	return utf8_fit(string, strlen(string), room);
}

/** Checks which end of a text is kept. */
static void check_end(const char *string, size_t columns, const char *expected)
{
	struct text text = { 0 };

	utf8_escape_end(&text, string, strlen(string), columns);
	assert_string_equal(text_terminate(&text), expected);
	assert_true(columns == SIZE_MAX || utf8_columns(text.bytes, text.length) <= columns);
	text_deinit(&text);
}

static void test_escape_end(void **state)
{
	(void)state;
	check_end("/sys/shop", SIZE_MAX, "/sys/shop");
	check_end("/sys/shop", 9, "/sys/shop");
	check_end("/sys/shop", 8, "\xe2\x80\xa6ys/shop");
	check_end("/sys/shop", 2, "\xe2\x80\xa6p");
	/* U+4E2D has two columns: half of it does not remain. */
	check_end("a\xe4\xb8\xad"
	          "bc",
	          4,
	          "\xe2\x80\xa6"
	          "bc");
	check_end("a\nbcd", 4,
	          "\xe2\x80\xa6"
	          "bcd");
}

static void test_fit(void **state)
{
	(void)state;
	assert_int_equal(fit("libc.so", 4), 4);
	assert_int_equal(fit("libc.so", 100), 7);
	assert_int_equal(fit("gr\303\266\303\237e", 3), 4);
	assert_int_equal(fit("\346\227\245\346\234\254", 3), 3); /* the second does not fit */
	assert_int_equal(fit("e\314\201x", 1), 3);
	assert_int_equal(fit("x", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples), cmocka_unit_test(test_all_pairs_of_bytes),
		cmocka_unit_test(test_columns),  cmocka_unit_test(test_escape_end),
		cmocka_unit_test(test_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
