/* SPDX-License-Identifier: MIT */
/* Which process a word means. */
#include <procmem/process_find.h>
#include <procmem/process_list.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/child.h"
#include "support/target.h"
#include "support/tree.h"

static void expect_failure(const char *word, enum pm_error_kind kind, const char *sentence)
{
	pid_t pid = -7;
	struct pm_error error = { 0 };
	assert_int_equal(pm_process_find(word, &pid, &error), -1);
	if (error.kind != kind || !strstr(error.text, sentence))
		fail_msg("'%s' gives kind %d: %s", word, (int)error.kind, error.text);
	assert_int_equal(pid, -7);
	assert_int_equal(pm_process_find(word, &pid, NULL), -1);

	pid_t *pids = NULL;
	size_t count = 0;
	if (kind != PM_ERROR_AMBIGUOUS)
		assert_int_equal(pm_process_find_all(word, &pids, &count, NULL), -1);
	assert_null(pids);
}

static void words_that_are_not_a_target(void **state)
{
	(void)state;
	expect_failure("", PM_ERROR_USAGE, "an empty word does not name a process");
	expect_failure("0", PM_ERROR_USAGE, "'0' is not a PID");
	expect_failure("12abc", PM_ERROR_USAGE,
	               "'12abc' is neither a PID nor the name of a process");
	expect_failure("-1", PM_ERROR_USAGE, "'-1' is neither a PID nor the name of a process");
	expect_failure("99999999", PM_ERROR_NOT_FOUND, "no process has PID 99999999");
	expect_failure("99999999999999999999", PM_ERROR_NOT_FOUND,
	               "no process has PID 99999999999999999999");

	expect_failure("no such program\nat all", PM_ERROR_NOT_FOUND,
	               "no process is called 'no such program at all'");
}

static void expect_found(const char *word, pid_t expected)
{
	pid_t pid = -7;
	struct pm_error error = { 0 };
	if (pm_process_find(word, &pid, &error) < 0)
		fail_msg("'%s': %s", word, error.text);
	assert_int_equal(pid, expected);
}

/**
 * All of them, by ascending PID; PIDs wrap around, so the children may be in another order.
 */
static void expect_all_found(const char *word, const pid_t *expected, size_t expected_count)
{
	pid_t *pids = NULL;
	size_t count = 0, seen = 0;
	struct pm_error error = { 0 };
	if (pm_process_find_all(word, &pids, &count, &error) < 0)
		fail_msg("'%s': %s", word, error.text);
	assert_int_equal(count, expected_count);

	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || pids[i - 1] < pids[i]);
		for (size_t j = 0; j < count; j++)
			seen += pids[i] == expected[j];
	}

	assert_int_equal(seen, expected_count);
	free(pids);
}

static void a_number_is_a_pid(void **state)
{
	(void)state;
	char word[16];
	pid_t child = child_start("424242", NULL);
	snprintf(word, sizeof word, "%d", (int)child);
	expect_found(word, child);
	expect_all_found(word, &child, 1);
	snprintf(word, sizeof word, "%d", (int)getpid());
	expect_found(word, getpid());

	/* A process of that name exists now; it is not meant. (No PID is that large.) */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = child_start("99999999", NULL);
	expect_failure("99999999", PM_ERROR_NOT_FOUND, "no process has PID 99999999");
	child_stop(child);
}

/** A name that no other process has, not even this test run a second time beside. */
static const char *unique(const char *begin, char *name)
{
	snprintf(name, 64, "%s%d", begin, (int)getpid());
	return name;
}

static void names(void **state)
{
	(void)state;
	char plain[64], number[64], long_name[64], path[80], title[80], near[64];
	pid_t child = child_start(unique("pmt ", plain), NULL);
	expect_found(plain, child);
	unique("pmx ", near);
	char sentence[96];
	snprintf(sentence, sizeof sentence, "did you mean '%s'?", plain);
	expect_failure(near, PM_ERROR_NOT_FOUND, sentence);
	child_stop(child);

	child = child_start(unique("12pmt", number), NULL);
	expect_found(number, child);
	child_stop(child);

	snprintf(path, sizeof path, "/no/where/%s",
	         unique("pmt-a-long-first-argument-", long_name));
	child = child_start("x", (char *[]){ "/bin/sleep", path, "1000", NULL });
	expect_found(long_name, child);
	child_stop(child);

	snprintf(title, sizeof title, "pmtd: user@pts/%s", plain);
	child = child_start("x", (char *[]){ "/bin/sleep", title, "1000", NULL });
	expect_found(title, child);
	expect_failure(plain, PM_ERROR_NOT_FOUND, "no process is called");
	child_stop(child);
}

static void name_of_the_program_file(void **state)
{
	(void)state;
	char name[64], path[256];
	char *folder = tree_create();
	snprintf(path, sizeof path, "%s/%s", folder, unique("pmt-a-long-program-", name));

	size_t length;
	char *program = read_text("/bin/sleep", &length);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(program, 1, length, file), length);
	assert_int_equal(fchmod(fileno(file), 0700), 0);
	fclose(file);
	free(program);

	pid_t child = child_start("x", (char *[]){ path, "x", "1000", NULL });
	expect_found(name, child);
	tree_remove(folder);
	expect_found(name, child);
	child_stop(child);
}

static void own_process_never_matches(void **state)
{
	(void)state;
	char before[16], own[64];
	prctl(PR_GET_NAME, before);
	prctl(PR_SET_NAME, unique("pmt own ", own));
	expect_failure(own, PM_ERROR_NOT_FOUND, "no process is called");

	pid_t child = child_start(own, NULL);
	expect_found(own, child);
	child_stop(child);
	prctl(PR_SET_NAME, before);
}

static void several_matches_are_listed(void **state)
{
	(void)state;
	enum { COUNT = 9 };

	char name[64], words[96];
	pid_t children[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		children[i] = child_start(unique("pmt ", name), NULL);

	struct pm_error error = { 0 };
	pid_t pid;
	assert_int_equal(pm_process_find(name, &pid, &error), -1);
	expect_all_found(name, children, COUNT);

	for (size_t i = 0; i < COUNT; i++)
		child_stop(children[i]);

	assert_int_equal(error.kind, PM_ERROR_AMBIGUOUS);
	snprintf(words, sizeof words, "'%s' matches 9 processes", name);
	assert_non_null(strstr(error.text, words));
	assert_non_null(strstr(error.text, " and 1 more"));

	size_t listed = 0;
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(words, sizeof words, " %d (", (int)children[i]);
		listed += strstr(error.text, words) != NULL;
	}

	assert_int_equal(listed, 8);
}

/** Fails unless the word matches exactly these two processes, and pm_process_find() lists both. */
static void expect_ambiguous(const char *word, pid_t one, pid_t other)
{
	pid_t pids[] = { one, other };
	char listed[64];
	expect_all_found(word, pids, 2);
	expect_failure(word, PM_ERROR_AMBIGUOUS, "matches 2 processes");

	pid_t pid;
	struct pm_error error = { 0 };
	assert_int_equal(pm_process_find(word, &pid, &error), -1);
	for (size_t i = 0; i < 2; i++) {
		snprintf(listed, sizeof listed, " %d (", (int)pids[i]);
		assert_non_null(strstr(error.text, listed));
	}
}

/** A word that is the name of two processes is ambiguous, whichever of their names it is. */
static void all_names_count_the_same(void **state)
{
	(void)state;
	char name[64];
	char *word = (char *)(uintptr_t)unique("pmt", name);
	pid_t argument = child_start("x", (char *[]){ "/bin/sleep", word, "1000", NULL });
	expect_found(name, argument);

	pid_t comm = child_start(name, NULL);
	expect_ambiguous(name, argument, comm);
	child_stop(argument);

	child_stop(comm);
}

static void scripts_and_starts_of_names(void **state)
{
	(void)state;
	char name[64], path[256], longer[80];
	char *folder = tree_create();
	snprintf(path, sizeof path, "%s/%s.sh", folder, unique("pmt-leak-", name));
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs("kill -STOP $$\n", file) >= 0);
	assert_int_equal(fclose(file), 0);

	pid_t script = child_start("x", (char *[]){ "/bin/sh", "sh", "-u", path, "one", NULL });
	snprintf(longer, sizeof longer, "%s.sh", name);
	expect_found(longer, script);
	expect_found(name, script);
	expect_failure("pmt-lea", PM_ERROR_NOT_FOUND, "no process is called");
	expect_failure("one", PM_ERROR_NOT_FOUND, "no process is called");

	/* An equal name is better than the start of one. Two starts are ambiguous. */
	char *other_path = longer;
	snprintf(longer, sizeof longer, "%s-server", name);
	pid_t server = child_start("x", (char *[]){ "/bin/sleep", other_path, "1000", NULL });
	expect_ambiguous(name, script, server);
	pid_t exact = child_start("x", (char *[]){ "/bin/sleep", name, "1000", NULL });
	expect_found(name, exact);

	child_stop(exact);
	child_stop(server);
	child_stop(script);
	tree_remove(folder);
}

static void living_process_is_preferred_to_zombie(void **state)
{
	(void)state;
	char name[64];
	pid_t zombie = child_start(unique("pmt ", name), NULL);
	siginfo_t end;
	kill(zombie, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)zombie, &end, WEXITED | WNOWAIT), 0);
	expect_found(name, zombie);

	pid_t living = child_start(name, NULL);
	expect_found(name, living);
	child_stop(living);
	waitpid(zombie, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_that_are_not_a_target),
		cmocka_unit_test(a_number_is_a_pid),
		cmocka_unit_test(names),
		cmocka_unit_test(name_of_the_program_file),
		cmocka_unit_test(own_process_never_matches),
		cmocka_unit_test(several_matches_are_listed),
		cmocka_unit_test(all_names_count_the_same),
		cmocka_unit_test(scripts_and_starts_of_names),
		cmocka_unit_test(living_process_is_preferred_to_zombie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
