/* SPDX-License-Identifier: MIT */
/* The words that the Tab key offers in a session, requested as readline does, without a terminal.
 */
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <readline/readline.h>

#include "base/alloc.h"
#include "shell/complete.h"
#include "shell/run.h"
#include "shell/session.h"
#include "shell/target.h"
#include "support/child.h"

struct fixture {
	struct shell shell;
	struct out out;
	pid_t child;
};

static int setup(void **state)
{
	static struct fixture fixture;
	char pid[16];
	fixture = (struct fixture){ 0 };
	fixture.child = child_start("tabbed", NULL);
	snprintf(pid, sizeof pid, "%d", (int)fixture.child);
	out_init(&fixture.out, STDOUT_FILENO);
	fixture.shell = (struct shell){ .out = &fixture.out, .results = results_create() };
	assert_int_equal(shell_target_attach(&fixture.shell, pid, NULL), STATUS_OK);

	shell_complete_start(&fixture.shell);
	*state = &fixture;

	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	shell_target_detach(&fixture->shell);
	results_destroy(fixture->shell.results);
	child_stop(fixture->child);
	return 0;
}

/** Returns the start of the word that is being typed, as readline finds it. */
static size_t start_of_word(const char *line)
{
	size_t at = strlen(line);
	while (at > 0 && !strchr(rl_completer_word_break_characters, line[at - 1]))
		at--;
	return at;
}

/**
 * Returns all words offered at the end of a line, between spaces: " heap malloc ".
 * @return the words; release with free()
 */
static char *offered(const char *line)
{
	struct text words = { 0 };
	size_t start = start_of_word(line);

	rl_line_buffer = alloc_string(line);
	char **matches = rl_attempted_completion_function(rl_line_buffer + start, (int)start,
	                                                  (int)strlen(line));
	text_char(&words, ' ');

	/* The first entry is the common prefix, unless there is just one. */
	for (size_t i = matches && matches[1] ? 1 : 0; matches && matches[i]; i++) {
		text_string(&words, matches[i]);
		text_char(&words, ' ');
	}

	for (size_t i = 0; matches && matches[i]; i++)
		free(matches[i]);

	free(matches);
	free(rl_line_buffer);
	rl_line_buffer = NULL;
	text_terminate(&words);

	return words.bytes;
}

static void expect(const char *line, const char *words)
{
	char *found = offered(line);
	assert_string_equal(found, words);
	free(found);
}

static void expect_among(const char *line, const char *word)
{
	char *found = offered(line), spaced[64];
	snprintf(spaced, sizeof spaced, " %s ", word);
	if (!strstr(found, spaced))
		fail_msg("'%s' is not offered after '%s', but%s", word, line, found);
	free(found);
}

/** Checks whether readline offers names of files if no word matches. */
static void expect_files(const char *line, bool files)
{
	free(offered(line));
	if ((rl_attempted_completion_over == 0) != files)
		fail_msg("names of files are %soffered after '%s'", files ? "not " : "", line);
}

static void test_commands_come_first(void **state)
{
	(void)state;
	expect("headr", " headroom ");
	expect("info; reg", " regions ");
	expect_among("", "map");
	expect_among("", "attach");
	expect_among("help wat", "watch");
	expect("shel", " ");
	expect("nonsense a", " ");
}

static void test_options_are_those_of_the_command(void **state)
{
	(void)state;
	expect("map --min-r", " --min-rss ");
	expect("headroom --fr", " --from ");
	expect("set map --min-r", " --min-rss ");
	expect("map --peek", " ");
	expect_among("grep --", "--help");
}

static void test_columns_are_in_the_list(void **state)
{
	(void)state;
	expect("map --sort rs", " rss ");
	expect("map -s rs", " rss ");
	expect("map --sort=rs", " rss ");
	expect("map -o start,end,anon_", " anon_huge ");
	expect("map --columns +rs", " +rss ");
	expect("map --columns he", " help ");
	expect("map --sort he", " ");

	expect("set map --sort rs", " rss ");
	expect("ps --sort limi", " limit limit% ");
	expect("ps -o pid,comma", " command ");
	expect("map --by kind --sort larg", " largest ");
	expect("map --by=kind -o coun", " count ");
	expect("map --by kind --sort pss_", " ");
	expect("watch --sort r", " rate rss ");

	/* In other commands the letter has another meaning. */
	expect("strings -o star", " ");
}

static void test_every_completion_is_accepted(void **state)
{
	static const char *const lines[] = {
		"map --color=",        "map --perms ",     "map --by ",
		"map --kind ",         "map --sort ",      "map --columns ",
		"diff --by ",          "watch --sort ",    "watch --do ",
		"strings --encoding ", "strings --radix ", "ps --sort ",
		"ps --columns ",       "grep --color=",    "map --by object --columns ",
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char *words = offered(lines[i]), *rest = words, *word;
		size_t count = 0;
		while ((word = strtok_r(rest, " ", &rest))) {
			struct text line = { 0 };
			bool continues = word[strlen(word) - 1] == ':';
			text_format(&line, "%s%s%s --help > /dev/null", lines[i], word,
			            continues ? "x" : "");
			shell_run_text(&fixture->shell, text_terminate(&line));
			if (fixture->shell.status != STATUS_OK)
				fail_msg("%s is refused", line.bytes);
			text_deinit(&line);
			count++;
		}

		assert_true(count > 1);
		free(words);
	}
}

static void test_operands_are_completed_where_expected(void **state)
{
	struct fixture *fixture = *state;
	char line[64], pid[16];

	snprintf(pid, sizeof pid, "%d", (int)fixture->child);
	expect("map he", " heap ");
	expect("map -k he,mall", " malloc ");
	expect("map --kind=hea", " heap ");
	expect("strings [sta", " [stack] ");
	expect("map --mapping libc.s", " libc.so.6 ");
	expect_among("attach tabb", "tabbed");
	snprintf(line, sizeof line, "attach %s", pid);

	expect_among(line, pid);
	/* These have a process as operand, but no regions. */
	expect_among("headroom tabb", "tabbed");
	expect("headroom [sta", " ");
	expect_among("ps tabb", "tabbed");
	expect_among("diff before.pmrec tabb", "tabbed");

	/* A pattern can be anything. */
	expect("grep he", " ");
	expect("grep x he", " heap ");
	expect("grep -e x he", " heap ");
}

static void test_without_a_target_commands_accept_one(void **state)
{
	struct fixture *fixture = *state;
	shell_target_detach(&fixture->shell);
	expect_among("map tabb", "tabbed");
	expect("map mallo", " ");
	expect("grep x tabb", " tabbed ");
	expect("grep x tabbed hea", " heap ");
	expect_files("map cor", true);
}

static void test_existing_numbers_are_completed(void **state)
{
	struct fixture *fixture = *state;
	results_add_hit(fixture->shell.results, 0x1000, 1, "x", 1);
	for (uint64_t i = 1; i <= 3; i++)
		results_add_region(fixture->shell.results, i << 20, (i << 20) + 4096, "anon", "");

	expect("dump #", " #1 #r1 #r2 #r3 ");
	expect("x/4gx #r", " #r1 #r2 #r3 ");
	expect("map #2", " ");
}

static void test_files_are_completed_where_expected(void **state)
{
	static const char *const with[] = { "source ",         "attach ./",  "dump -o ",
		                            "map > ",          "map | cat ", "!cat ",
		                            "watch --record ", "diff ./",    "grep -f " };
	static const char *const without[] = { "map ",  "map --sort ", "map -n ",  "grep ",
		                               "snap ", "stop ",       "set map ", "x " };

	(void)state;
	for (size_t i = 0; i < sizeof with / sizeof *with; i++)
		expect_files(with[i], true);

	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		expect_files(without[i], false);
}

/** The prompt notices an exec. Until then, the list of regions cannot be read. */
static void test_after_an_exec_there_are_no_completions_or_leaks(void **state)
{
	static char *const program[] = { "/bin/sh", "sh", "-c", "kill -STOP $$; exec sleep 1000",
		                         NULL };
	struct fixture *fixture = *state;
	char pid[16];
	pid_t child = child_start("", program);

	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	snprintf(pid, sizeof pid, "%d", (int)child);
	assert_int_equal(shell_target_attach(&fixture->shell, pid, NULL), STATUS_OK);
	expect("strings [sta", " [stack] ");
	kill(child, SIGCONT);

	while (pm_process_check(fixture->shell.target.process, NULL) == 0)
		usleep(1000);

	expect("strings [sta", " ");
	size_t before = mallinfo2().uordblks;
	for (int i = 0; i < 50; i++)
		expect("strings [sta", " ");

	/* A leaked list of regions would be larger than this. */
	assert_true(mallinfo2().uordblks < before + 50 * 256);
	child_stop(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_commands_come_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_options_are_those_of_the_command, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_columns_are_in_the_list, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_completion_is_accepted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_operands_are_completed_where_expected, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_without_a_target_commands_accept_one, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_existing_numbers_are_completed, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(test_files_are_completed_where_expected, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(
			test_after_an_exec_there_are_no_completions_or_leaks, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
