/* SPDX-License-Identifier: MIT */
/* Searching a target that changes meanwhile: at a moment that is known, because it is told to when
 * a certain unit was read. */
#include <procmem/scan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "support/session.h"

/* As in the target; all are texts that stand so far apart, those of the first unit, and those that
 * stay when others go. */
enum {
	MEGABYTE = 1024 * 1024,
	APART = 2048,
	ALL = 4 * MEGABYTE / APART,
	FIRST = MEGABYTE / APART,
	STAY = FIRST / 2
};

/** A reader before that of a session. */
struct interrupter {
	struct session *session;
	const char *command; /* sent when the first range of this size was read */
	const char *answer;
};

static int read_and_tell(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                         size_t *done, struct pm_error *error)
{
	struct interrupter *interrupter = context;
	struct pm_reader *reader = &interrupter->session->look.memory;
	int result = reader->ops->read(reader->context, ranges, count, buffer, done, error);
	if (!interrupter->command || pm_range_size(*ranges) < MEGABYTE)
		return result;

	FILE *to = interrupter->session->target.to;
	fprintf(to, "%s\n", interrupter->command);
	assert_int_equal(fflush(to), 0);
	interrupter->command = NULL;

	if (interrupter->answer)
		free(target_await(&interrupter->session->target, interrupter->answer));
	else {
		siginfo_t info;
		assert_int_equal(waitid(P_PID, (id_t)interrupter->session->target.pid, &info,
		                        WEXITED | WNOWAIT),
		                 0);
	}

	return result;
}

static const struct pm_reader_ops interrupting = { .read = read_and_tell };

/**
 * Searches the texts with one worker; after the first unit was read the target obeys a command.
 * @return as pm_scan_run()
 */
static int scan_and_tell(struct session *session, const char *command, const char *answer)
{
	struct interrupter interrupter = { session, command, answer };
	struct pm_reader reader = { &interrupting, &interrupter };

	target_start(&session->target, "slider", NULL);
	session_open(session);

	struct pm_scanner *scanner = pattern_scanner("<[a-z]+ [0-9]+>", 0);
	const struct session_scan how = { .scanner = scanner,
		                          .region = "pages",
		                          .workers = 1,
		                          .again = true,
		                          .reader = &reader };
	int result = session_scan(session, &how);

	assert_null(interrupter.command);
	pm_scanner_destroy(scanner);

	return result;
}

/** Hits `[first, end)` are these texts. */
static void expect_texts(const struct session *session, const char *word, size_t first, size_t end)
{
	uint64_t start, unused;
	target_range(&session->target, "pages", &start, &unused);
	for (size_t i = first; i < end; i++) {
		char text[40];
		snprintf(text, sizeof text, "<%s %zu>", word, i);
		assert_int_equal(session->hits.items[i].start, start + i * APART);
		assert_string_equal(session->texts[i], text);
	}
}

static void changed_hits_are_marked(void **state)
{
	(void)state;
	struct session session = { 0 };
	assert_int_equal(scan_and_tell(&session, "change", "done change"), 0);
	assert_int_equal(session.hits.count, ALL);

	/* Shown is what was found, not what is there now. */
	expect_texts(&session, "kept", 0, FIRST);
	expect_texts(&session, "news", FIRST, ALL);
	assert_int_equal(session.changed, FIRST);
	assert_int_equal(session.totals.changed, FIRST);
	session_close(&session);
}

static void unmapped_memory_is_unreadable(void **state)
{
	(void)state;
	struct session session = { 0 };
	assert_int_equal(scan_and_tell(&session, "unmap", "done unmap"), 0);
	assert_int_equal(session.hits.count, FIRST);
	expect_texts(&session, "kept", 0, FIRST);
	assert_int_equal(session.changed, FIRST - STAY);
	assert_int_equal(session.unreadable, 3 * MEGABYTE);
	assert_int_equal(session.totals.unreadable, 3 * MEGABYTE);

	assert_int_equal(session.totals.searched, MEGABYTE);
	session_close(&session);
}

static void other_memory_in_its_place_is_searched(void **state)
{
	(void)state;
	struct session session = { 0 };
	assert_int_equal(scan_and_tell(&session, "remap", "done remap"), 0);
	assert_int_equal(session.hits.count, ALL);
	expect_texts(&session, "kept", 0, FIRST);
	expect_texts(&session, "other", FIRST, ALL);
	assert_int_equal(session.changed, FIRST - STAY);
	assert_int_equal(session.unreadable, 0);

	session_close(&session);
}

static void expect_gone(const char *command, const char *answer, const char *why)
{
	struct session session = { 0 };
	assert_int_equal(scan_and_tell(&session, command, answer), -1);
	assert_int_equal(session.error.kind, PM_ERROR_GONE);
	if (!strstr(session.error.text, why))
		fail_msg("'%s' does not say '%s'", session.error.text, why);

	/* Nothing of what is elsewhere now is shown as if it were the target's. */
	expect_texts(&session, "kept", 0, session.hits.count);
	assert_true(session.hits.count <= FIRST);
	session_close(&session);
}

static void an_exit_ends_the_scan(void **state)
{
	(void)state;
	expect_gone("quit", NULL, "exited");
}

static void an_exec_ends_the_scan(void **state)
{
	(void)state;
	expect_gone("exec", "idle", "exec");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_hits_are_marked),
		cmocka_unit_test(unmapped_memory_is_unreadable),
		cmocka_unit_test(other_memory_in_its_place_is_searched),
		cmocka_unit_test(an_exit_ends_the_scan),
		cmocka_unit_test(an_exec_ends_the_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
