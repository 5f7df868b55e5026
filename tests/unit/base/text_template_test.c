/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/tally.h>
#include <procmem/text_template.h>

static const struct {
	const char *text, *template;
} examples[] = {
	{ "", "" },
	{ "no number", "no number" },
	{ "order 17", "order #" },
	{ "17", "#" },
	{ "GET /api/v1/items/42001 HTTP/1.1", "GET /api/v#/items/# HTTP/#.#" },
	{ "2026-11-22T05:10:33.118Z", "#-#-#T#:#:#.#Z" },
	{ "at 0x7f01a0 of 0XABcd, not of 0xyz1", "at 0x# of 0x#, not of #xyz#" },
	{ "trace 4bf92f35 span abcdef01", "trace # span #" },
	{ "md5 d41d8cd98f00b204e9800998ecf8427e.", "md# #." },
	{ "id 550e8400-e29b-41d4-a716-446655440000;", "id #;" },
	{ "550e8400-eabc-41d4-a716-44665544000", "#-eabc-#-#-#" },
	{ "550e8400-e29b-41d4-a716-4466554400001", "#-#-#-#-#" },
	/* Filler. */
	{ "row 17 ........", "row # .\xe2\x80\xa6" },
	{ "row 4 xxxxxxxxxxxxxxxxxx|", "row # x\xe2\x80\xa6|" },
	{ "payload 5aaaaaaaaaaaaaaaaaaaaaaaaab", "payload #a\xe2\x80\xa6"
	                                         "b" },
	{ "-------", "-------" },
	{ "0000000000", "#" },
	/* Words that happen to be hexadecimal are kept. */
	{ "bad1 facade deadbeef cafe12", "bad# facade deadbeef cafe#" },
	{ "utf8 sha256 x86_64", "utf# sha# x#_#" },
	{ "\xc3\xa9\x01\xff"
	  "9",
	  "\xc3\xa9\x01\xff#" },
};

static void numbers_are_replaced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		size_t length = strlen(examples[i].text), wanted = strlen(examples[i].template);
		/* Buffers without spare bytes, for the sanitizers. */
		char *text = malloc(length + 1), *to = malloc(length + 1);
		assert_non_null(text);
		assert_non_null(to);
		memcpy(text, examples[i].text, length);
		to[length] = '!';

		size_t written = pm_text_template_write(text, length, to);
		if (written != wanted || memcmp(to, examples[i].template, wanted) != 0)
			fail_msg("%s: %.*s", examples[i].text, (int)written, to);
		assert_int_equal(to[length], '!');
		free(text);
		free(to);
	}
}

static void only_varied_items_show_their_template(void **state)
{
	char output[16];
	struct pm_tally_item *item = calloc(1, sizeof *item + 7);

	(void)state;
	assert_non_null(item);
	memcpy(item->text, "item 77", 7);
	item->length = 7;
	assert_int_equal(pm_text_template_of_item(item, output), 7);
	assert_memory_equal(output, "item 77", 7);

	item->varied = true;
	assert_int_equal(pm_text_template_of_item(item, output), 6);
	assert_memory_equal(output, "item #", 6);
	free(item);
}

/** A long word with many fillers: the time must not depend on their number. */
static void long_words_take_linear_time(void **state)
{
	(void)state;
	enum { WORD = 1 << 20, PERIOD = 9 };
	char *text = malloc(WORD), *to = malloc(WORD);
	assert_non_null(text);
	assert_non_null(to);
	memset(text, 'a', WORD);
	for (size_t i = PERIOD - 1; i < WORD; i += PERIOD)
		text[i] = 'b';

	/* Quadratic time would be minutes: the limit of the test run. */
	size_t written = pm_text_template_write(text, WORD, to);
	assert_int_equal(written, WORD / PERIOD * 5 + WORD % PERIOD);
	assert_memory_equal(to,
	                    "a\xe2\x80\xa6"
	                    "ba\xe2\x80\xa6"
	                    "b",
	                    10);
	free(to);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_replaced),
		cmocka_unit_test(only_varied_items_show_their_template),
		cmocka_unit_test(long_words_take_linear_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
