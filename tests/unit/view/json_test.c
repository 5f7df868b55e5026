/* SPDX-License-Identifier: MIT */
/* Values of JSON: text in its two forms, times, and the layout of objects. */
#include "view/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/**
 * Checks the string that the bytes become, written by json_bytes() and by json_quote().
 *
 * @param expected  the string as JSON, with its quotes
 */
static void expect_quoted(const char *bytes, size_t length, const char *expected)
{
	struct text put = { 0 }, quoted = { 0 };
	struct json json = { .text = &put, .one_line = true };

	json_put(&json, NULL, json_bytes(bytes, length));
	json_quote(&quoted, bytes, length);
	assert_string_equal(text_terminate(&put), expected);
	assert_string_equal(text_terminate(&quoted), expected);

	text_deinit(&put);
	text_deinit(&quoted);
}

#define EXPECT_QUOTED(BYTES, EXPECTED) expect_quoted(BYTES, sizeof(BYTES) - 1, EXPECTED)

static void text_is_valid_utf8_in_json(void **state)
{
	(void)state;
	EXPECT_QUOTED("", "\"\"");
	EXPECT_QUOTED("plain", "\"plain\"");
	EXPECT_QUOTED("a \"quoted\" back\\slash", "\"a \\\"quoted\\\" back\\\\slash\"");
	EXPECT_QUOTED("\xc3\xbc\xe4\xb8\xad", "\"\xc3\xbc\xe4\xb8\xad\"");
	EXPECT_QUOTED("\xff\xc3", "\"\\\\xff\\\\xc3\"");
}

static void tabs_and_newlines_have_the_escapes_of_json(void **state)
{
	(void)state;
	EXPECT_QUOTED("a\tb\nc", "\"a\\tb\\nc\"");
	EXPECT_QUOTED("\t\n", "\"\\t\\n\"");
	/* A character that the tab cuts off. */
	EXPECT_QUOTED("\xc3\t\xbc", "\"\\\\xc3\\t\\\\xbc\"");
}

static void other_controls_are_hexadecimal(void **state)
{
	(void)state;
	EXPECT_QUOTED("\r\x1b[0m\x7f", "\"\\\\x0d\\\\x1b[0m\\\\x7f\"");
	EXPECT_QUOTED("nul\0byte", "\"nul\\\\x00byte\"");
	/* U+202E changes the direction of text. */
	EXPECT_QUOTED("\xe2\x80\xae", "\"\\\\xe2\\\\x80\\\\xae\"");
}

static void times_have_milliseconds(void **state)
{
	struct text text = { 0 };
	struct json json = { .text = &text, .one_line = true };

	(void)state;
	json_open(&json, NULL, '{');
	json_put(&json, "time", json_time(1769860800007000000));
	json_put(&json, "absent", NULL);
	json_shut(&json, '}');
	assert_string_equal(text_terminate(&text), "{\"time\":\"2026-01-31T12:00:00.007Z\"}");
	text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_valid_utf8_in_json),
		cmocka_unit_test(tabs_and_newlines_have_the_escapes_of_json),
		cmocka_unit_test(other_controls_are_hexadecimal),
		cmocka_unit_test(times_have_milliseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
