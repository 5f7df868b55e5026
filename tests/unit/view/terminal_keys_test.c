/* SPDX-License-Identifier: MIT */
/* Keys and events of the mouse are decoded, in however many pieces their bytes arrive. */
#include "view/terminal_keys.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void feed(struct terminal_keys *keys, const char *bytes, size_t length)
{
	size_t room;
	char *to = terminal_keys_room(keys, &room);

	assert_true(length <= room);
	memcpy(to, bytes, length);
	keys->length += length;
}

/** Expects one key, if the bytes arrive together and if they arrive one by one. */
static void expect(const char *bytes, size_t length, uint32_t key)
{
	struct terminal_keys whole = { 0 }, pieces = { 0 };

	feed(&whole, bytes, length);
	assert_int_equal(terminal_keys_next(&whole, false), key);
	assert_int_equal(terminal_keys_next(&whole, true), TERMINAL_NO_KEY);

	for (size_t i = 0; i < length; i++) {
		assert_int_equal(terminal_keys_next(&pieces, false), TERMINAL_NO_KEY);
		/* Only a single ESC is the Escape key if nothing follows for a while. */
		if (i > 1)
			assert_int_equal(terminal_keys_next(&pieces, true), TERMINAL_NO_KEY);
		feed(&pieces, bytes + i, 1);
	}
	assert_int_equal(terminal_keys_next(&pieces, false), key);
	assert_int_equal(pieces.length, 0);
}

#define EXPECT(bytes, key) expect((bytes), sizeof(bytes) - 1, (key))

static void keys_of_common_terminals_are_known(void **state)
{
	(void)state;
	EXPECT("\033[A", TERMINAL_UP);
	EXPECT("\033OB", TERMINAL_DOWN);
	EXPECT("\033[1;5A", TERMINAL_UP);
	EXPECT("\033[5~", TERMINAL_PAGE_UP);
	EXPECT("\033[6~", TERMINAL_PAGE_DOWN);
	EXPECT("\033[H", TERMINAL_HOME);
	EXPECT("\033[7~", TERMINAL_HOME);
	EXPECT("\033[4~", TERMINAL_END);
	EXPECT("\033OM", TERMINAL_ENTER);

	/* xterm, rxvt, the console of Linux */
	EXPECT("\033OP", TERMINAL_F1);
	EXPECT("\033[11~", TERMINAL_F1);
	EXPECT("\033[[A", TERMINAL_F1);
	EXPECT("\033OR", TERMINAL_F3);
	EXPECT("\033OS", TERMINAL_F4);
	EXPECT("\033[15~", TERMINAL_F5);
	EXPECT("\033[[E", TERMINAL_F5);
	EXPECT("\033[17~", TERMINAL_F6);
	EXPECT("\033[21~", TERMINAL_F10);
	EXPECT("\033[24~", TERMINAL_OTHER);
	EXPECT("\033[16~", TERMINAL_OTHER);
	EXPECT("\033[3~", TERMINAL_OTHER);
}

static void characters_are_decoded(void **state)
{
	(void)state;
	EXPECT("q", 'q');
	EXPECT("\r", TERMINAL_ENTER);
	EXPECT("\177", TERMINAL_BACKSPACE);
	EXPECT("\b", TERMINAL_BACKSPACE);
	EXPECT("\025", 'U' - '@');
	EXPECT("\303\226", 0xd6);
	EXPECT("\342\202\254", 0x20ac);
	EXPECT("\377", TERMINAL_OTHER);
	EXPECT("\0", TERMINAL_OTHER);
}

static void only_a_single_escape_is_the_escape_key(void **state)
{
	struct terminal_keys keys = { 0 };

	(void)state;
	feed(&keys, "\033", 1);
	assert_true(terminal_keys_has_escape(&keys));
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_NO_KEY);
	assert_int_equal(terminal_keys_next(&keys, true), TERMINAL_ESCAPE);
	assert_false(terminal_keys_has_escape(&keys));

	feed(&keys, "\033q\033\033[A", 6);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_ESCAPE);
	assert_int_equal(terminal_keys_next(&keys, false), 'q');
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_ESCAPE);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_UP);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_NO_KEY);
}

static void expect_mouse(const char *bytes, uint32_t key, int row, int column)
{
	struct terminal_keys keys = { 0 };

	expect(bytes, strlen(bytes), key);
	feed(&keys, bytes, strlen(bytes));
	terminal_keys_next(&keys, false);
	assert_int_equal(keys.mouse.row, row);
	assert_int_equal(keys.mouse.column, column);
}

static void events_of_the_mouse_have_a_position(void **state)
{
	(void)state;
	expect_mouse("\033[<0;1;1M", TERMINAL_CLICK, 0, 0);
	expect_mouse("\033[<0;300;120M", TERMINAL_CLICK, 119, 299);
	expect_mouse("\033[<64;5;7M", TERMINAL_WHEEL_UP, 6, 4);
	expect_mouse("\033[<65;5;7M", TERMINAL_WHEEL_DOWN, 6, 4);
	/* with Ctrl */
	expect_mouse("\033[<16;5;7M", TERMINAL_CLICK, 6, 4);
	/* released, the right button */
	EXPECT("\033[<0;5;7m", TERMINAL_RELEASE);
	EXPECT("\033[<2;5;7M", TERMINAL_RELEASE);
	/* the older form */
	expect_mouse("\033[M !\"", TERMINAL_CLICK, 1, 0);
	expect_mouse("\033[M`!\"", TERMINAL_WHEEL_UP, 1, 0);
	EXPECT("\033[M#!\"", TERMINAL_RELEASE);
}

static void invalid_sequences_do_not_become_keys(void **state)
{
	struct terminal_keys keys = { 0 };

	(void)state;
	/* A sequence that another one interrupts is dropped. */
	feed(&keys, "\033[<0;5\033[A", 9);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_OTHER);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_UP);

	/* One without an end fills the buffer, and is dropped then. */
	feed(&keys, "\033[", 2);
	while (keys.length < TERMINAL_KEYS_BUFFER) {
		assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_NO_KEY);
		feed(&keys, "9", 1);
	}
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_OTHER);
	assert_int_equal(keys.length, 0);
	EXPECT("\033[99999999999999999999~", TERMINAL_OTHER);
}

static void sequences_of_terminfo_are_known(void **state)
{
	struct terminal_keys keys = { 0 };

	(void)state;
	terminal_keys_add(&keys, NULL, TERMINAL_UP);
	terminal_keys_add(&keys, "", TERMINAL_UP);
	terminal_keys_add(&keys, "x", TERMINAL_UP);
	terminal_keys_add(&keys, "\033", TERMINAL_UP);
	terminal_keys_add(&keys, "\033[a sequence that is too long", TERMINAL_UP);
	assert_int_equal(keys.named_count, 0);

	/* wyse50 */
	terminal_keys_add(&keys, "\013", TERMINAL_UP);
	terminal_keys_add(&keys, "\033J", TERMINAL_PAGE_UP);
	feed(&keys, "\013\033J\033", 4);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_UP);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_PAGE_UP);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_NO_KEY);
	feed(&keys, "[B", 2);
	assert_int_equal(terminal_keys_next(&keys, false), TERMINAL_DOWN);

	for (int i = 0; i < 2 * TERMINAL_KEYS_NAMED_MAX; i++)
		terminal_keys_add(&keys, "\033Q", TERMINAL_F1);
	assert_int_equal(keys.named_count, TERMINAL_KEYS_NAMED_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_common_terminals_are_known),
		cmocka_unit_test(characters_are_decoded),
		cmocka_unit_test(only_a_single_escape_is_the_escape_key),
		cmocka_unit_test(events_of_the_mouse_have_a_position),
		cmocka_unit_test(invalid_sequences_do_not_become_keys),
		cmocka_unit_test(sequences_of_terminfo_are_known),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("terminal_keys", tests, NULL, NULL);
}
