/* SPDX-License-Identifier: MIT */
/* Formats in texts and lines of source, and which texts fit them: printf(3) makes the texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/format_match.h>

static const char *const formats[] = {
	"item/%08u",         "order %d of %s", "%p: %5.2f%% of %zu bytes",
	"[%-10s] %c%c flag", "%%done %i",      "a%sb%sc%dend",
};

/** Writes a text with one of the formats, from a number. */
static int write_text(size_t format, char *text, size_t size, unsigned n)
{
	switch (format) {
	case 0:
		return snprintf(text, size, "item/%08u", n);
	case 1:
		return snprintf(text, size, "order %d of %s", -(int)n, n % 2 ? "of of" : "");
	case 2:
		return snprintf(text, size, "%p: %5.2f%% of %zu bytes", (void *)text, n / 7.0,
		                (size_t)n);
	case 3:
		return snprintf(text, size, "[%-10s] %c%c flag", "x", 'a', 'b');
	case 4:
		return snprintf(text, size, "%%done %i", (int)n);
	default:
		return snprintf(text, size, "a%sb%sc%dend", "bcb", "cc1en", (int)n);
	}
}

/** Every text fits the format that made it, and no format of another text. */
static void texts_fit_their_format(void **state)
{
	(void)state;
	char text[128];
	enum { FORMATS = sizeof formats / sizeof *formats };

	for (size_t made = 0; made < FORMATS; made++) {
		for (unsigned n = 0; n < 200; n += 13) {
			size_t length = (size_t)write_text(made, text, sizeof text - 5, n);
			for (size_t with = 0; with < FORMATS; with++) {
				size_t fitting = 0;
				size_t match = pm_format_match(formats[with], strlen(formats[with]),
				                               text, length, &fitting);
				assert_int_equal(fitting, match > 0 ? length : 0);
				if ((match > 0) != (made == with))
					fail_msg("%s with %s: %zu", text, formats[with], match);
			}

			/* The text may continue. */
			strcpy(text + length, "\n...");
			size_t fitting = 0;
			assert_true(pm_format_match(formats[made], strlen(formats[made]), text,
			                            length + 4, &fitting) > 0);
			/* "%s" or a space after a number can include bytes that follow. */
			assert_true(fitting >= length && fitting <= length + 4);
		}
	}
}

static void braces_fit_any_text(void **state)
{
	(void)state;
	static const struct {
		const char *format, *text;
		size_t literals;
	} examples[] = {
		{ "user {} from {}", "user root from 10.0.0.1", 8 },
		{ "item-{:08x}!", "item-00ff!", 4 },
		{ "${user.name} logged in", "mary logged in", 8 },
		{ "key#{i} of cache", "key5 of cache", 10 },
		{ "user {} from {}", "user root of", 0 },
		{ "item {n}", "item", 0 },
	};

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		size_t fitting = 0;
		assert_int_equal(pm_format_match(examples[i].format, strlen(examples[i].format),
		                                 examples[i].text, strlen(examples[i].text),
		                                 &fitting),
		                 examples[i].literals);
	}
}

/** A format that fits only the start of a text. */
static void rest_of_a_text_is_reported(void **state)
{
	(void)state;
	size_t fitting = 0;
	assert_int_equal(
		pm_format_match("item/%08u", 9, "item/00000042 zzz unrelated", 27, &fitting), 4);
	assert_int_equal(fitting, 14);
	assert_int_equal(pm_format_match("item/%08u", 9, "item/42", 7, &fitting), 4);
	assert_int_equal(fitting, 7);
	assert_int_equal(pm_format_match("item/%08u", 9, "item/x", 6, &fitting), 0);
	assert_int_equal(fitting, 7);
}

static void expect_formats(const char *text, const char *const *expected)
{
	size_t at = 0, format = 0, length, length_of_text = strlen(text);
	/* A buffer without spare bytes, for the sanitizers. */
	char *copy = malloc(length_of_text + 1);
	assert_non_null(copy);
	memcpy(copy, text, length_of_text);

	while ((length = pm_format_next(copy, length_of_text, &at, &format)) > 0) {
		assert_non_null(*expected);
		assert_int_equal(length, strlen(*expected));
		assert_memory_equal(copy + format, *expected, length);
		expected++;
	}
	assert_null(*expected);
	free(copy);
}

static void formats_are_found_in_source(void **state)
{
	(void)state;
	expect_formats("item/%08u", (const char *const[]){ "item/%08u", NULL });
	expect_formats("cache.append(f'item/{n:08}' + \"of %s shop\")",
	               (const char *const[]){ "item/{n:08}", "of %s shop", NULL });
	expect_formats("it's 5% of \"nothing\"", (const char *const[]){ NULL });
	expect_formats("100 % sure, %", (const char *const[]){ NULL });
	expect_formats("{\"user\": 17, \"name\": {}}", (const char *const[]){ NULL });
	expect_formats("%d%d", (const char *const[]){ NULL });
	expect_formats("", (const char *const[]){ NULL });
	expect_formats("\"", (const char *const[]){ NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_fit_their_format),
		cmocka_unit_test(braces_fit_any_text),
		cmocka_unit_test(rest_of_a_text_is_reported),
		cmocka_unit_test(formats_are_found_in_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
