/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <procmem/typo.h>

static const char *const commands[] = { "map",   "ps",   "dump", "strings",  "grep",
	                                "watch", "snap", "diff", "headroom", "shell" };

static const char *nearest_command(const char *word)
{
	return pm_typo_nearest(word, commands, sizeof commands / sizeof *commands);
}

static void one_wrong_letter(void **state)
{
	(void)state;
	assert_string_equal(nearest_command("mao"), "map");
	assert_string_equal(nearest_command("mapp"), "map");
	assert_string_equal(nearest_command("ap"), "map");
	assert_string_equal(nearest_command("gerp"), "grep");
	assert_string_equal(nearest_command("strigns"), "strings");
	assert_string_equal(nearest_command("haedroom"), "headroom");
}

static void case_is_ignored(void **state)
{
	(void)state;
	assert_string_equal(nearest_command("MAP"), "map");
	assert_string_equal(nearest_command("Strings"), "strings");
}

static void start_of_a_word(void **state)
{
	(void)state;
	assert_string_equal(nearest_command("str"), "strings");
	assert_string_equal(nearest_command("head"), "headroom");
}

static void no_similar_name(void **state)
{
	(void)state;
	assert_null(nearest_command("valgrind"));
	assert_null(nearest_command("top"));

	/* Half of the letters are others. */
	const char *const columns[] = { "size", "rss", "inode", "kind" };
	assert_null(pm_typo_nearest("nope", columns, 4));
	assert_null(nearest_command(""));
	assert_null(pm_typo_nearest("map", NULL, 0));
}

static void nearest_of_several_names(void **state)
{
	(void)state;
	const char *const words[] = { "javac", NULL, "", "java", "jav" };
	assert_ptr_equal(pm_typo_nearest("javs", words, 5), words[3]);
	assert_ptr_equal(pm_typo_nearest("javacc", words, 5), words[0]);

	/* Equally near ones: the first. */
	assert_ptr_equal(pm_typo_nearest("jave", words, 5), words[3]);

	const char *const equal[] = { "cat", "bat" };
	assert_ptr_equal(pm_typo_nearest("rat", equal, 2), equal[0]);
}

static void lengths_are_bounded(void **state)
{
	(void)state;
	char longest[66], longer[66];
	memset(longest, 'a', 64);
	longest[64] = '\0';
	memset(longer, 'a', 65);
	longer[65] = '\0';

	const char *const words[] = { longer, longest };
	char typed[66];
	memcpy(typed, longest, sizeof longest);
	typed[10] = 'b';
	assert_ptr_equal(pm_typo_nearest(typed, words, 2), words[1]);
	assert_null(pm_typo_nearest(longer, words, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_wrong_letter),         cmocka_unit_test(case_is_ignored),
		cmocka_unit_test(start_of_a_word),          cmocka_unit_test(no_similar_name),
		cmocka_unit_test(nearest_of_several_names), cmocka_unit_test(lengths_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
