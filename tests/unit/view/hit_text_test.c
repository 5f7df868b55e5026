/* SPDX-License-Identifier: MIT */
/* A match as a line: the text around it, where that is cut, and what is marked. */
#include "base/utf8.h"
#include "grep/grep.h"
#include "grep/line.h"
#include "view/hit_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM_FOR_A_MATCH = 40 };

/** Makes a hit on `size` bytes of a text. The rest of the text surrounds it. */
static struct pm_hit hit_in(const char *text, size_t length, size_t at, size_t size)
{
	return (struct pm_hit){
		.address = 0x7f0000001000 + at,
		.bytes = (const uint8_t *)text + at,
		.size = size,
		.before = at,
		.after = length - at - size,
		.encoding = PM_ENCODING_8BIT,
	};
}

static void expect_side(struct hit_side side, size_t bytes, size_t columns, bool more)
{
	assert_int_equal(side.bytes, bytes);
	assert_int_equal(side.columns, columns);
	assert_int_equal(side.more, more);
}

static void text_ends_at_control_and_invalid_characters(void **state)
{
	(void)state;
	static const char text[] = "no\nb\xc3\xbc\tHIT \xe4\xb8\xad \xff no";
	struct pm_hit hit = hit_in(text, sizeof text - 1, 7, 3);
	/* A tab is shown as \x09, the Chinese character is two columns wide. */
	expect_side(hit_text_before(&hit, 100), 4, 6, false);
	expect_side(hit_text_after(&hit, 100), 5, 4, false);

	/* The second byte of a character is not a character. */
	hit = hit_in("\xbc"
	             "HIT\xc3",
	             5, 1, 3);
	expect_side(hit_text_before(&hit, 100), 0, 0, false);
	expect_side(hit_text_after(&hit, 100), 0, 0, false);

	/* Control characters end the text: those that change its direction, and those of
	 * Latin-1. */
	hit = hit_in("\xe2\x80\xae"
	             "HIT\xc2\x9b",
	             8, 3, 3);
	expect_side(hit_text_before(&hit, 100), 0, 0, false);
	expect_side(hit_text_after(&hit, 100), 0, 0, false);
}

static void width_is_shared(void **state)
{
	(void)state;
	static const char text[] = "aaaaaaaaaaHITbbb";
	struct hit_side sides[2];
	struct pm_hit hit = hit_in(text, sizeof text - 1, 10, 3);

	hit_text_around(&hit, 13, sides);
	expect_side(sides[0], 10, 10, false);
	expect_side(sides[1], 3, 3, false);

	/* The long side gets the room that the short one does not need. */
	hit_text_around(&hit, 10, sides);
	expect_side(sides[0], 7, 7, true);
	expect_side(sides[1], 3, 3, false);
	hit_text_around(&hit, 4, sides);
	expect_side(sides[0], 2, 2, true);
	expect_side(sides[1], 2, 2, true);
	hit_text_around(&hit, 0, sides);

	expect_side(sides[0], 0, 0, true);
	expect_side(sides[1], 0, 0, true);
}

static void expect_text(enum pm_encoding encoding, const char *bytes, size_t size,
                        const char *expected)
{
	struct text text = { 0 };
	hit_text_add(encoding, (const uint8_t *)bytes, size, &text);
	assert_string_equal(text_terminate(&text), expected);
	text_deinit(&text);
}

static void utf16_is_decoded(void **state)
{
	(void)state;
	expect_text(PM_ENCODING_UTF16LE, "a\0\xfc\0\x2d\x4e", 6, "a\xc3\xbc\xe4\xb8\xad");
	expect_text(PM_ENCODING_UTF16BE, "\0a\0\xfc\x4e\x2d", 6, "a\xc3\xbc\xe4\xb8\xad");

	/* U+1F600 is a surrogate pair. Half a pair, its halves in the wrong order and half a unit
	 * are shown as bytes. */
	expect_text(PM_ENCODING_UTF16LE, "\x3d\xd8\x00\xde", 4, "\xf0\x9f\x98\x80");
	expect_text(PM_ENCODING_UTF16LE,
	            "\x3d\xd8"
	            "a\0",
	            4, "\\x3d\\xd8a");
	expect_text(PM_ENCODING_UTF16LE, "\x00\xde\x3d\xd8", 4, "\\x00\\xde\\x3d\\xd8");

	expect_text(PM_ENCODING_UTF16LE, "a\0b", 3, "a\\x62");
	/* Control characters are escaped. */
	expect_text(PM_ENCODING_UTF16LE, "\x1b\0[\0", 4, "\\x1b[");
}

static void utf16_has_text_around_it(void **state)
{
	(void)state;
	struct pm_hit hit = hit_in("xx\x01\0a\0H\0b\0\t\0\0\0", 14, 6, 2);
	hit.encoding = PM_ENCODING_UTF16LE;
	expect_side(hit_text_before(&hit, 100), 2, 1, false);
	expect_side(hit_text_after(&hit, 100), 4, 5, false);
	expect_side(hit_text_after(&hit, 3), 2, 1, true);
}

/** Checks the line of a hit in a heap region, on a terminal of this width. */
static void expect_line(struct pm_hit hit, size_t columns, const char *expected)
{
	struct pm_region region = { .start = 0x7f0000001000,
		                    .end = 0x7f0000002000,
		                    .kind = PM_KIND_HEAP,
		                    .mapping = "[heap]" };
	const struct pm_regions regions = { .items = &region, .count = 1 };
	const struct grep_options options = { .max = UINT64_MAX };
	const struct out out = { .width = columns };
	const struct grep_view view = { .options = &options,
		                        .regions = &regions,
		                        .out = &out,
		                        .prefix = "",
		                        .form = GREP_LINES };

	struct text line = { 0 };
	grep_line(&view, &hit, NULL, &line);
	assert_string_equal(text_terminate(&line), expected);
	assert_true(columns < ROOM_FOR_A_MATCH || columns == SIZE_MAX ||
	            utf8_columns(line.bytes, line.length - 1) <= columns);
	text_deinit(&line);
}

static void lines(void **state)
{
	(void)state;
	static const char text[] = "left left left MATCH\x01 right right right";
	struct pm_hit hit = hit_in(text, sizeof text - 1, 15, 6);
	expect_line(hit, SIZE_MAX,
	            "7f000000100f  heap [heap]+0xf: left left left MATCH\\x01 right right right\n");
	expect_line(hit, 60, "7f000000100f  heap [heap]+0xf: …eft left MATCH\\x01 right ri…\n");

	/* The match has priority over the text around it, and is not cut within an escape. */
	expect_line(hit, 40, "7f000000100f  heap [heap]+0xf: MATCH\\x01\n");
	hit.changed = true;
	expect_line(hit, SIZE_MAX,
	            "7f000000100f~ heap [heap]+0xf: left left left MATCH\\x01 right right right\n");
	hit.changed = false;
	hit.truncated = true;
	hit.after = 0;

	expect_line(hit, SIZE_MAX, "7f000000100f  heap [heap]+0xf: left left left MATCH\\x01…\n");
}

static void long_matches_are_cut(void **state)
{
	(void)state;
	char bytes[4000], expected[1100] = "7f0000001000  heap [heap]+0x0: ";
	memset(bytes, 'm', sizeof bytes);

	struct pm_hit hit = hit_in(bytes, sizeof bytes, 0, sizeof bytes);
	size_t head = strlen(expected);
	memset(expected + head, 'm', 999);
	strcpy(expected + head + 999, "…\n");
	expect_line(hit, SIZE_MAX, expected);
	strcpy(expected + head + 28, "…\n");
	expect_line(hit, 60, expected);
	memset(bytes, 1, sizeof bytes);

	expect_line(hit, 60,
	            "7f0000001000  heap [heap]+0x0: \\x01\\x01\\x01\\x01\\x01\\x01\\x01…\n");
	expect_line(hit, 59, "7f0000001000  heap [heap]+0x0: \\x01\\x01\\x01\\x01\\x01\\x01…\n");

	/* Part of the match is shown even on a terminal that is far too narrow. */
	expect_line(hit, 20, "7f0000001000  heap [heap]+0x0: \\x01\\x01\\x01…\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_ends_at_control_and_invalid_characters),
		cmocka_unit_test(width_is_shared),
		cmocka_unit_test(utf16_is_decoded),
		cmocka_unit_test(utf16_has_text_around_it),
		cmocka_unit_test(lines),
		cmocka_unit_test(long_matches_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
