/* SPDX-License-Identifier: MIT */
/* Searching living targets: compared with what they say they placed. */
#include <procmem/scan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/strings_scan.h>
#include <cmocka.h>

#include "support/markers.h"
#include "support/session.h"

enum { PAGE = 4096 };

/** Scans for the text that is to be at an address, and nowhere else. */
static void expect_one(struct session *session, const struct session_scan *how, const char *text,
                       uint64_t address)
{
	if (session_scan(session, how) < 0)
		fail_msg("%s", session->error.text);
	if (session->hits.count != 1 || session->hits.items[0].start != address ||
	    strcmp(session->texts[0], text) != 0)
		fail_msg("'%s' at %#llx: %zu hits, the first '%s' at %#llx", text,
		         (unsigned long long)address, session->hits.count,
		         session->hits.count > 0 ? session->texts[0] : "",
		         session->hits.count > 0 ? (unsigned long long)session->hits.items[0].start
		                                 : 0);

	assert_false(session->hits.items[0].truncated);
	assert_int_equal(session->changed, 0);
	assert_int_equal(session->unreadable, 0);
}

/**
 * The text is moved over each offset around a border; each way to search for it finds it once and
 * whole.
 */
static void slide(uint64_t border)
{
	struct session session = { 0 };
	target_start(&session.target, "slider", NULL);
	session_open(&session);

	const char *text = target_fact(&session.target, "marker");
	size_t length = strlen(text);
	const struct pm_strings_options options = { .min_length = length };
	struct pm_scanner *scanners[4];

	assert_int_equal(pm_strings_scanner_create(&options, &scanners[0], NULL), 0);
	scanners[1] = pattern_scanner(text, PM_PATTERN_FIXED);
	scanners[2] = pattern_scanner("pre:MARKER<[0-9]+>END", 0);
	scanners[3] = pattern_scanner("\\w+:(?=MARK)[^>]+(?<=5)>E\\w+", 0);

	uint64_t start, end;
	target_range(&session.target, "lower", &start, &end);
	border = border ? border : end - start;

	for (uint64_t offset = border - length - 1; offset <= border + 1; offset++) {
		char command[40];
		snprintf(command, sizeof command, "place %llu", (unsigned long long)offset);
		target_tell(&session.target, command);
		for (unsigned i = 0; i < 8; i++) {
			const struct session_scan how = { .scanner = scanners[i / 2],
				                          .region = "lower",
				                          .last = "upper",
				                          .workers = 1 + i % 2,
				                          .again = true };
			expect_one(&session, &how, text, start + offset);
		}
	}

	for (int i = 0; i < 4; i++)
		pm_scanner_destroy(scanners[i]);

	session_close(&session);
}

static void across_a_unit_boundary(void **state)
{
	(void)state;
	slide(PM_UNIT_SIZE);
}

static void across_a_region_boundary(void **state)
{
	(void)state;
	slide(0);
}

/** A number of kB from the target's status. */
static uint64_t status(const struct session *session, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/status", (int)session->target.pid);

	char *text = read_text(path, NULL), *line = strstr(text, key);
	assert_non_null(line);

	uint64_t value = strtoull(line + strlen(key), NULL, 10);
	free(text);
	return value;
}

/** Whether an address is in a region that the target tells of. */
static bool is_told(const struct target *target, uint64_t address)
{
	for (size_t i = 0; i < target->count; i++) {
		const char *fact = target->facts[i];
		if (strncmp(fact, "region ", 7) != 0)
			continue;
		char *at;
		uint64_t start = strtoull(strchr(fact + 7, ' '), &at, 16),
			 end = strtoull(at + 1, NULL, 16);
		if (address >= start && address < end)
			return true;
	}

	return false;
}

/**
 * The hits in the regions that the target tells of are its markers, one for one; its own notes of
 * them stand elsewhere.
 */
static void expect_markers(const struct session *session, const struct markers *markers)
{
	size_t told = 0;
	for (size_t i = 0; i < session->hits.count; i++)
		told += is_told(&session->target, session->hits.items[i].start);

	assert_int_equal(told, markers->count);
	for (size_t i = 0; i < markers->count; i++) {
		const struct marker *marker = &markers->items[i];
		size_t at = 0;
		while (at < session->hits.count && session->hits.items[at].start != marker->address)
			at++;
		if (at == session->hits.count ||
		    strncmp(session->texts[at], marker->text, MARKER_TEXT) != 0)
			fail_msg("%s in %s was not found at %#llx", marker->text, marker->region,
			         (unsigned long long)marker->address);
	}
}

/**
 * All that a target placed in all sorts of memory is found, and it has no page and no page table
 * more than before.
 */
static void everything_is_found_and_nothing_grows(void **state)
{
	(void)state;
	struct session session = { 0 };
	struct markers markers;
	target_start(&session.target, "markers", NULL);
	markers_take(&markers, &session.target, "marker");
	session_open(&session);

	struct pm_scanner *scanner = pattern_scanner("<[a-z_]+_[0-9]+>#+", 0);
	for (unsigned workers = 1; workers <= 4; workers *= 2) {
		uint64_t rss = status(&session, "\nVmRSS:"), tables = status(&session, "\nVmPTE:"),
			 swap = status(&session, "\nVmSwap:");
		const struct session_scan how = { .scanner = scanner,
			                          .workers = workers,
			                          .again = true };
		if (session_scan(&session, &how) < 0)
			fail_msg("%s", session.error.text);
		expect_markers(&session, &markers);
		assert_true(status(&session, "\nVmPTE:") <= tables);
		/* Pages that were swapped out come back. */
		assert_int_equal(status(&session, "\nVmRSS:") + status(&session, "\nVmSwap:"),
		                 rss + swap);
	}

	pm_scanner_destroy(scanner);
	markers_drop(&markers);
	session_close(&session);
}

/** Pages that no process will ever fill are skipped, with any plan. */
static void user_faults_do_not_block(void **state)
{
	(void)state;
	struct session session = { 0 };
	target_start(&session.target, "markers", "small", NULL);

	const char *reason = target_fact(&session.target, "unsupported uffd:");
	if (reason)
		skip_because("userfaultfd: %s", reason);
	session_open(&session);

	struct pm_scanner *scanner = pattern_scanner("<uffd_[0-9]+>#+", 0);
	const struct session_scan how = {
		.scanner = scanner, .region = "uffd", .workers = 2, .all_pages = true, .again = true
	};

	if (session_scan(&session, &how) < 0)
		fail_msg("%s", session.error.text);
	assert_int_equal(session.hits.count, 1);
	assert_int_equal(session.unreadable, 3 * PAGE);
	assert_int_equal(session.totals.unreadable, 3 * PAGE);
	assert_int_equal(session.totals.searched, PAGE);
	pm_scanner_destroy(scanner);
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(across_a_unit_boundary),
		cmocka_unit_test(across_a_region_boundary),
		cmocka_unit_test(everything_is_found_and_nothing_grows),
		cmocka_unit_test(user_faults_do_not_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
