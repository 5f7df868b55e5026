/* SPDX-License-Identifier: MIT */
/* Text in the first bytes of a chunk. */
#include <procmem/chunk_text.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Expects a text in the bytes of a literal, without the NUL that C adds. */
#define EXPECT(bytes, text, offset) expect(bytes, sizeof(bytes) - 1, text, offset)

static void expect(const char *bytes, size_t size, const char *text, size_t offset)
{
	/* A copy of the exact size, so that AddressSanitizer finds reads beyond it. */
	char *copy = malloc(size + 1);
	memcpy(copy, bytes, size);
	copy = realloc(copy, size ? size : 1);

	struct pm_chunk_text found = pm_chunk_text_find(copy, size);
	assert_int_equal(found.length, strlen(text));
	if (found.length > 0) {
		assert_memory_equal(found.text, text, found.length);
		assert_int_equal(found.offset, offset);
		assert_ptr_equal(found.text, copy + offset);
	}
	free(copy);
}

static void text_at_the_start(void **state)
{
	(void)state;
	EXPECT("some text\0\x01\x02", "some text", 0);
	EXPECT("abcd\0", "abcd", 0);
	EXPECT("abcd", "abcd", 0);
	EXPECT("GET / HTTP/1.1\r\nHost: x\r\n\0", "GET / HTTP/1.1\r\nHost: x\r\n", 0);
	EXPECT("caf\xc3\xa9 au lait\0", "caf\xc3\xa9 au lait", 0);
	EXPECT("\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\0", "\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2", 0);
}

static void no_text(void **state)
{
	(void)state;
	EXPECT("", "", 0);
	EXPECT("abc\0\0\0\0\0", "", 0);
	EXPECT("abcd\x01\x02", "", 0);
	EXPECT("\0\0\0\0\0\0\0\0", "", 0);
	EXPECT("\x01\x02\x03\x04\x05\x06\x07\x08", "", 0);
	/* Overlong, a surrogate, above U+10FFFF, a control character. */
	EXPECT("abc\xc0\xaf\0", "", 0);
	EXPECT("abc\xe0\x80\xaf\0", "", 0);
	EXPECT("abc\xed\xa0\x80\0", "", 0);
	EXPECT("abc\xf4\x90\x80\x80\0", "", 0);
	EXPECT("abc\xc2\x85\0", "", 0);
}

static void text_elsewhere(void **state)
{
	(void)state;
	EXPECT("\x01\0\0\0\0\0\0\0a text of a record\0", "a text of a record", 8);
	EXPECT("\x01\0\0\0seven77\0", "", 0);
	EXPECT("ab\0\0eight888\0", "eight888", 4);
}

/** The address of a program or its heap consists of six bytes that can be letters. */
static void addresses_are_no_text(void **state)
{
	(void)state;
	EXPECT("p`UUUU\0\0", "", 0);
	EXPECT("p`UUUV\0\0", "", 0);
	EXPECT("p`UUUW\0\0", "p`UUUW", 0);
}

static void text_that_is_cut(void **state)
{
	char bytes[100];
	(void)state;

	memset(bytes, 'x', sizeof bytes);
	struct pm_chunk_text found = pm_chunk_text_find(bytes, sizeof bytes);
	assert_int_equal(found.length, 64);
	assert_true(found.cut);
	bytes[63] = '\0';
	assert_false(pm_chunk_text_find(bytes, sizeof bytes).cut);

	/* The end is in the middle of a character. */
	bytes[62] = '\xe2', bytes[63] = '\x82';
	found = pm_chunk_text_find(bytes, sizeof bytes);
	assert_int_equal(found.length, 62);
	assert_true(found.cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_at_the_start), cmocka_unit_test(no_text),
		cmocka_unit_test(text_elsewhere),    cmocka_unit_test(addresses_are_no_text),
		cmocka_unit_test(text_that_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
