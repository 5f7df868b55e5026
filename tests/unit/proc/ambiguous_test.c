/* SPDX-License-Identifier: MIT */
/* How processes of the same name are distinguished. */
#include "proc/ambiguous.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

enum { MOST = 30 };

#define JAVA "java -Xmx4g -cp /opt/shop/lib/one.jar:/opt/shop/lib/two.jar com.example.Shop "

static void expect(const char *const *commands, size_t count, const char *const *expected)
{
	struct pm_namesake items[8] = { 0 };
	char text[MOST + 1];
	for (size_t i = 0; i < count; i++)
		items[i].command = commands[i];

	for (size_t i = 0; i < count; i++) {
		pm_ambiguous_distinguish(items, count, i, MOST, text);
		if (strcmp(text, expected[i]) != 0)
			fail_msg("'%s' is shown as '%s', not '%s'", commands[i], text, expected[i]);
	}
}
#define EXPECT(commands, expected) expect(commands, sizeof(commands) / sizeof *(commands), expected)

static void short_command_lines_are_complete(void **state)
{
	(void)state;
	const char *const commands[] = { "redis-server *:6379", "redis-server *:6380",
		                         "redis-server" };
	EXPECT(commands, commands);
}

static void long_command_lines_show_the_difference(void **state)
{
	(void)state;
	const char *const at_the_end[] = { JAVA "--port 8081", JAVA "--port 8082" };
	EXPECT(at_the_end, ((const char *const[]){ "...om.example.Shop --port 8081",
	                                           "...om.example.Shop --port 8082" }));

	const char *const in_between[] = {
		JAVA "--port 8081 --and-much-more --that-is-the-same",
		JAVA "--port 8082 --and-much-more --that-is-the-same",
	};

	EXPECT(in_between, ((const char *const[]){ "...8081 --and-much-more --t...",
	                                           "...8082 --and-much-more --t..." }));

	const char *const at_the_begin[] = { "java -Done " JAVA, "java -Dtwo " JAVA };
	EXPECT(at_the_begin, ((const char *const[]){ "java -Done java -Xmx4g -cp ...",
	                                             "java -Dtwo java -Xmx4g -cp ..." }));

	/* Each against the one that is most like it; the third differs from both at once. */
	const char *const three[] = { JAVA "1", JAVA "2",
		                      "java -version of something that is long" };
	const char *const told[] = { ".../two.jar com.example.Shop 1",
		                     ".../two.jar com.example.Shop 2",
		                     "java -version of something ..." };

	EXPECT(three, told);
}

static void equal_command_lines_show_the_start(void **state)
{
	(void)state;
	const char *const commands[] = { JAVA, JAVA };
	EXPECT(commands, ((const char *const[]){ "java -Xmx4g -cp /opt/shop/l...",
	                                         "java -Xmx4g -cp /opt/shop/l..." }));
}

/** No half letter, at no length. */
static void characters_are_not_split(void **state)
{
	(void)state;
	static const char letters[] = "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
	static const char signs[] = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac";
	char commands[2][160], text[MOST + 1];

	for (size_t pad = 0; pad < 40; pad++) {
		struct pm_namesake items[2] = { { .command = commands[0] },
			                        { .command = commands[1] } };
		for (size_t i = 0; i < 2; i++) {
			memset(commands[i], 'x', pad);
			snprintf(commands[i] + pad, sizeof commands[i] - pad, "%s%zu%s", letters, i,
			         signs);
			pm_ambiguous_distinguish(items, i + 1, i, MOST, text);
			assert_true(strlen(text) <= MOST);

			for (const char *at = text; *at;) {
				size_t letter = (unsigned char)*at >= 0xe0   ? 3
				                : (unsigned char)*at >= 0xc0 ? 2
				                                             : 1;
				assert_true(((unsigned char)*at & 0xc0) != 0x80 &&
				            strlen(at) >= letter);
				at += letter;
			}
		}
	}
}

static void users_and_ages_are_reported(void **state)
{
	(void)state;
	uint64_t now = pm_clock_ns(CLOCK_BOOTTIME) / 1000000000 * (uint64_t)sysconf(_SC_CLK_TCK);
	struct pm_namesake items[] = {
		{ .pid = 11, .uid = 0, .start_ticks = now, .command = "shop" },
		{ .pid = 4194304,
		  .uid = 0,
		  .start_ticks = 0,
		  .command = "shop --with a lot of words that take up all of that room" },
	};

	struct pm_error error = { 0 };
	assert_int_equal(pm_ambiguous_error("shop", items, 2, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_AMBIGUOUS);
	assert_non_null(strstr(error.text, "'shop' matches 2 processes"));
	assert_non_null(strstr(error.text, ": 11 (up "));
	assert_non_null(strstr(error.text, ", 4194304 (up "));
	assert_non_null(
		strstr(error.text, ": shop --with a lot of words that take up all of that room)"));

	/* Only now it matters. */
	items[1].uid = 4000000000;
	pm_ambiguous_error("shop", items, 2, &error);
	assert_non_null(strstr(error.text, ": 11 (root, up "));
	assert_non_null(strstr(error.text, "4194304 (uid 4000000000, up "));
}

/** The longest that there can be still has all of them. */
static void eight_matches_are_listed(void **state)
{
	(void)state;
	struct pm_namesake items[100];
	char word[64] = "12345678901234567890123456789012", pid[24];
	struct pm_error error = { 0 };

	for (size_t i = 0; i < 100; i++)
		items[i] = (struct pm_namesake){ .pid = 4194000 + (pid_t)i,
			                         .uid = 4000000000 + (uid_t)i,
			                         .command = JAVA };

	pm_ambiguous_error(word, items, 100, &error);
	for (int i = 0; i < 8; i++) {
		snprintf(pid, sizeof pid, " %d (", 4194000 + i);
		assert_non_null(strstr(error.text, pid));
	}

	/* The command line that all of them have is there once. */
	assert_non_null(strstr(error.text, ") and 92 more; their command line: java -Xmx4g"));
	assert_null(strstr(strstr(error.text, "java") + 1, "java -Xmx4g"));

	items[99].command = "java";
	pm_ambiguous_error(word, items, 100, &error);
	for (int i = 0; i < 8; i++) {
		snprintf(pid, sizeof pid, " %d (", 4194000 + i);
		assert_non_null(strstr(error.text, pid));
	}
	assert_string_equal(strchr(error.text, '\0') - strlen(") and 92 more"), ") and 92 more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_command_lines_are_complete),
		cmocka_unit_test(long_command_lines_show_the_difference),
		cmocka_unit_test(equal_command_lines_show_the_start),
		cmocka_unit_test(characters_are_not_split),
		cmocka_unit_test(users_and_ages_are_reported),
		cmocka_unit_test(eight_matches_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
