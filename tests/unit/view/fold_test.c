/* SPDX-License-Identifier: MIT */
/* Repetitions in texts are folded, and nothing else is changed. */
#include "view/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Folds `count` copies of `group` between two texts, and compares the result. */
static void expect(const char *before, const char *group, size_t count, const char *after,
                   const char *expected)
{
	struct text text = { 0 }, folded = { 0 };
	text_string(&text, before);
	for (size_t i = 0; i < count; i++)
		text_string(&text, group);
	text_string(&text, after);

	/* A buffer without spare bytes, for the sanitizers. */
	char *copy = malloc(text.length + 1);
	assert_non_null(copy);
	if (text.length > 0)
		memcpy(copy, text.bytes, text.length);
	fold_repetitions(&folded, copy, text.length);
	assert_string_equal(text_terminate(&folded), expected);
	free(copy);
	text_deinit(&folded);
	text_deinit(&text);
}

static void repetitions_are_folded(void **state)
{
	(void)state;
	expect("", "B", 65536, "", "BBBB… (65,536 × B)");
	expect("head ", "B", 48, "tail", "head BBBB… (48 × B) tail");
	expect("<", "abc", 1000, ">", "<abcabc… (1,000 × abc) >");
	expect("", "ü", 100, "", "üü… (100 × ü)");
	/* The next character has the same first byte. */
	expect("", "ü", 100, "ö", "üü… (100 × ü) ö");
	expect("=", "0123456789abcdef0123456789ABCDEF", 4, "",
	       "=0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF… "
	       "(4 × 0123456789abcdef0123456789ABCDEF)");
}

static void other_texts_are_kept(void **state)
{
	(void)state;
	expect("", "", 0, "", "");
	expect("B", "", 0, "", "B");
	expect("", "B", 47, "", "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB");
	expect("", "0123456789abcdef0123456789ABCDEF", 3, "",
	       "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF"
	       "0123456789abcdef0123456789ABCDEF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repetitions_are_folded),
		cmocka_unit_test(other_texts_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
