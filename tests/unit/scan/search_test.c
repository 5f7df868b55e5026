/* SPDX-License-Identifier: MIT */
/* Searching a living target by one call: compared with what the target says it placed. */
#include <procmem/search.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <procmem/pattern_scan.h>
#include <cmocka.h>

#include "support/target.h"

enum { TEXT_MAX = 128 };

/** The matches of a search. */
struct matches {
	size_t count;
	size_t end_after; /* the visitor ends the search then; 0: never */
	pid_t thread;     /* that called the visitor */
	uint64_t last;    /* address of the last match */
	uint64_t wanted;  /* address of the match that the following is about */
	size_t found;     /* number of matches there */
	uint64_t region_start;
	size_t length;
	char text[TEXT_MAX];
};

static int note_match(void *context, const struct pm_match *match)
{
	struct matches *matches = context;

	assert_non_null(match->bytes);
	assert_true(match->length > 0);
	assert_in_range(match->address, match->region->start, match->region->end - 1);
	if (matches->count > 0)
		assert_true(match->address > matches->last);

	matches->count++;
	matches->last = match->address;
	matches->thread = gettid();

	if (match->address == matches->wanted) {
		assert_true(match->length < TEXT_MAX);
		matches->found++;
		matches->region_start = match->region->start;
		matches->length = match->length;
		memcpy(matches->text, match->bytes, match->length);
	}

	return matches->count == matches->end_after;
}

/** A target with one text in it, at a known address. */
struct fixture {
	struct target target;
	struct matches matches;
	struct pm_scan_totals totals;
	struct pm_error error;
	const char *text;
	uint64_t address; /* of the text */
	uint64_t start;   /* of the region */
	uint64_t end;
};

static int setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ 0 };
	target_start(&fixture.target, "slider", NULL);
	target_tell(&fixture.target, "place 100");
	fixture.text = target_fact(&fixture.target, "marker");
	target_range(&fixture.target, "lower", &fixture.start, &fixture.end);
	fixture.address = fixture.start + 100;
	fixture.matches.wanted = fixture.address;
	*state = &fixture;

	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	target_stop(&fixture->target);
	return 0;
}

static void expect_the_text(const struct fixture *fixture)
{
	const struct matches *matches = &fixture->matches;

	assert_int_equal(matches->found, 1);
	assert_int_equal(matches->length, strlen(fixture->text));
	assert_string_equal(matches->text, fixture->text);
	assert_int_equal(matches->region_start, fixture->start);
	assert_int_equal(matches->thread, gettid());
}

static void grep_finds_the_text_where_it_is(void **state)
{
	struct fixture *fixture = *state;
	const struct pm_search_options fixed = { .flags = PM_PATTERN_FIXED };

	must(pm_grep_process(fixture->target.pid, fixture->text, &fixed, note_match,
	                     &fixture->matches, &fixture->totals, &fixture->error),
	     &fixture->error);
	expect_the_text(fixture);
	/* The program file has the text, too. */
	assert_true(fixture->matches.count > 1);
	assert_int_equal(fixture->totals.hits, fixture->matches.count);
	assert_int_equal(fixture->totals.unreadable, 0);
	assert_true(fixture->totals.searched >= fixture->end - fixture->start);
}

static void grep_takes_a_regular_expression(void **state)
{
	struct fixture *fixture = *state;

	must(pm_grep_process(fixture->target.pid, "pre:MARKER<[0-9]+>END", NULL, note_match,
	                     &fixture->matches, NULL, &fixture->error),
	     &fixture->error);
	expect_the_text(fixture);
}

static void strings_finds_the_text_in_the_regions_given(void **state)
{
	struct fixture *fixture = *state;
	char range[64];
	snprintf(range, sizeof range, "%#" PRIx64 "-%#" PRIx64, fixture->start, fixture->end);
	const char *words[] = { range, NULL };
	const struct pm_search_options options = {
		.regions = words,
		.strings.min_length = strlen(fixture->text),
		.workers = 1,
	};

	must(pm_strings_process(fixture->target.pid, &options, note_match, &fixture->matches,
	                        &fixture->totals, &fixture->error),
	     &fixture->error);
	expect_the_text(fixture);
	assert_int_equal(fixture->matches.count, 1);
	assert_true(fixture->totals.searched <= fixture->end - fixture->start);
}

static void other_regions_are_not_searched(void **state)
{
	struct fixture *fixture = *state;
	const char *words[] = { "[stack]", NULL };
	const struct pm_search_options options = { .regions = words, .flags = PM_PATTERN_FIXED };

	must(pm_grep_process(fixture->target.pid, fixture->text, &options, note_match,
	                     &fixture->matches, &fixture->totals, &fixture->error),
	     &fixture->error);
	assert_int_equal(fixture->matches.count, 0);
	assert_true(fixture->totals.searched > 0);
}

/** The target has no region that is called [none]. */
static void absent_names_are_ignored(void **state)
{
	struct fixture *fixture = *state;
	char range[64];
	snprintf(range, sizeof range, "%#" PRIx64 "-%#" PRIx64, fixture->start, fixture->end);
	const char *words[] = { "[none]", range, NULL };
	const struct pm_search_options options = { .regions = words, .flags = PM_PATTERN_FIXED };

	must(pm_grep_process(fixture->target.pid, fixture->text, &options, note_match,
	                     &fixture->matches, &fixture->totals, &fixture->error),
	     &fixture->error);
	expect_the_text(fixture);

	words[1] = NULL;
	assert_int_equal(pm_grep_process(fixture->target.pid, fixture->text, &options, note_match,
	                                 &fixture->matches, NULL, &fixture->error),
	                 -1);
	assert_int_equal(fixture->error.kind, PM_ERROR_NOT_FOUND);
}

static void stopped_process_continues_afterwards(void **state)
{
	struct fixture *fixture = *state;
	const struct pm_search_options options = { .flags = PM_PATTERN_FIXED, .stop = true };

	must(pm_grep_process(fixture->target.pid, fixture->text, &options, note_match,
	                     &fixture->matches, &fixture->totals, &fixture->error),
	     &fixture->error);
	expect_the_text(fixture);
	target_tell(&fixture->target, "place 200");
}

static void strings_come_in_order(void **state)
{
	struct fixture *fixture = *state;

	must(pm_strings_process(fixture->target.pid, NULL, note_match, &fixture->matches,
	                        &fixture->totals, &fixture->error),
	     &fixture->error);
	assert_true(fixture->matches.count > 100);
	assert_int_equal(fixture->matches.count, fixture->totals.hits);
}

static void visitor_can_end_the_search(void **state)
{
	struct fixture *fixture = *state;

	fixture->matches.end_after = 3;
	must(pm_strings_process(fixture->target.pid, NULL, note_match, &fixture->matches, NULL,
	                        &fixture->error),
	     &fixture->error);
	assert_int_equal(fixture->matches.count, 3);
}

static void expect_failure(struct fixture *fixture, pid_t pid, const char *pattern,
                           const struct pm_search_options *options, enum pm_error_kind kind)
{
	memset(&fixture->totals, 0xff, sizeof fixture->totals);
	int result = pm_grep_process(pid, pattern, options, note_match, &fixture->matches,
	                             &fixture->totals, &fixture->error);
	assert_int_equal(result, -1);
	if (fixture->error.kind != kind)
		fail_msg("kind %d: %s", (int)fixture->error.kind, fixture->error.text);
	assert_int_equal(fixture->totals.hits, 0);
	assert_int_equal(fixture->totals.unreadable, 0);
	assert_int_equal(fixture->matches.count, 0);
}

static void failures(void **state)
{
	struct fixture *fixture = *state;
	pid_t pid = fixture->target.pid;
	const volatile sig_atomic_t cancelled = 1;
	const char *words[] = { "no-such-region", NULL };
	const struct pm_search_options unknown = { .regions = words };
	const struct pm_search_options many = { .workers = PM_SCAN_WORKERS_MAX + 1 };
	const struct pm_search_options cancel = { .cancel = &cancelled };

	expect_failure(fixture, pid, "a(", NULL, PM_ERROR_USAGE);
	expect_failure(fixture, pid, "", NULL, PM_ERROR_USAGE);
	expect_failure(fixture, 99999999, "a", NULL, PM_ERROR_NOT_FOUND);
	expect_failure(fixture, pid, "a", &unknown, PM_ERROR_USAGE);
	expect_failure(fixture, pid, "a", &many, PM_ERROR_USAGE);
	expect_failure(fixture, pid, "no such text anywhere", &cancel, PM_ERROR_CANCELLED);
}

/** A pattern that takes too long at each address is reported, if only as a failure. */
static void exceeded_limits_of_a_pattern_are_reported(void **state)
{
	struct fixture *fixture = *state;
	const char *words[] = { "[heap]", "[stack]", NULL };
	const struct pm_search_options options = { .regions = words };
	const char *pattern = "(?s)(.+)+(.+)+(.+)+(?!)";
	int result = pm_grep_process(fixture->target.pid, pattern, &options, note_match,
	                             &fixture->matches, &fixture->totals, &fixture->error);

	must(result, &fixture->error);
	if (fixture->totals.gave_up == 0)
		skip_because("the pattern reached no limit");

	result = pm_grep_process(fixture->target.pid, pattern, &options, note_match,
	                         &fixture->matches, NULL, &fixture->error);
	assert_int_equal(result, -1);
	assert_int_equal(fixture->error.kind, PM_ERROR_RESOURCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(grep_finds_the_text_where_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(grep_takes_a_regular_expression, setup, teardown),
		cmocka_unit_test_setup_teardown(strings_finds_the_text_in_the_regions_given, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(other_regions_are_not_searched, setup, teardown),
		cmocka_unit_test_setup_teardown(absent_names_are_ignored, setup, teardown),
		cmocka_unit_test_setup_teardown(stopped_process_continues_afterwards, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(strings_come_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(visitor_can_end_the_search, setup, teardown),
		cmocka_unit_test_setup_teardown(failures, setup, teardown),
		cmocka_unit_test_setup_teardown(exceeded_limits_of_a_pattern_are_reported, setup,
		                                teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
