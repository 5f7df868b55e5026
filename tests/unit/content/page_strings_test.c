/* SPDX-License-Identifier: MIT */
/* Strings of pages, in known memory of the test process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <procmem/maps.h>

#include <procmem/page_strings.h>

enum { PAGES = 64, LONG = 6000 };

static size_t page;

/** Skips a test whose texts are made for pages of 4 KiB. */
static void require_small_pages(void)
{
	if (page == 4096)
		return;

	fputs("skipped: the pages of this machine are not 4 KiB\n", stderr);
	skip();
}

/** A mapping of the test between two guards, and a search in it. */
struct fixture {
	char *memory;
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_page_strings *strings;
	struct pm_page_set pages;
	struct pm_page_strings_found found;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	page = (size_t)sysconf(_SC_PAGESIZE);
	char *guards = mmap(NULL, (PAGES + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);
	assert_ptr_not_equal(guards, MAP_FAILED);
	fixture->memory = guards + page;
	assert_int_equal(mprotect(fixture->memory, PAGES * page, PROT_READ | PROT_WRITE), 0);

	/* A huge page would touch pages that must stay untouched. Kernels without huge pages
	 * refuse this. */
	(void)madvise(fixture->memory, PAGES * page, MADV_NOHUGEPAGE);
	assert_int_equal(pm_process_open(NULL, getpid(), &fixture->process, NULL), 0);
	pm_regions_init(&fixture->regions);
	*state = fixture;

	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	pm_page_strings_found_deinit(&fixture->found);
	pm_page_set_deinit(&fixture->pages);
	pm_page_strings_close(fixture->strings);
	pm_regions_deinit(&fixture->regions);
	pm_process_close(fixture->process);
	munmap(fixture->memory - page, (PAGES + 2) * page);
	free(fixture);

	return 0;
}

/** Writes a text `before` bytes before a page. */
static void put(struct fixture *fixture, size_t number, size_t before, const char *text)
{
	memcpy(fixture->memory + number * page - before, text, strlen(text));
}

static void add_pages(struct fixture *fixture, size_t number, size_t count)
{
	uint64_t start = (uintptr_t)fixture->memory + number * page;
	if (fixture->regions.count == 0)
		assert_int_equal(pm_maps_read(fixture->process, PM_SMAPS, &fixture->regions, NULL),
		                 0);
	assert_int_equal(pm_page_set_add(&fixture->pages,
	                                 (struct pm_range){ start, start + count * page },
	                                 &fixture->regions, NULL),
	                 0);
}

/** Searches the pages that were added. */
static void find(struct fixture *fixture)
{
	const struct pm_page_strings_options options = { .max = 100 };
	struct pm_error error = { 0 };
	if (pm_page_strings_open(fixture->process, true, &fixture->strings, &error) < 0 ||
	    pm_page_strings_begin(fixture->strings, &fixture->regions, &error) < 0 ||
	    pm_page_strings_find(fixture->strings, &fixture->pages, &options, &fixture->found,
	                         &error) < 0)
		fail_msg("%s", error.text);
}

static void expect(const struct fixture *fixture, size_t index, const char *text, uint64_t count)
{
	assert_true(index < fixture->found.count);
	const struct pm_page_string *string = &fixture->found.strings[index];
	if (string->length != strlen(text) || memcmp(string->bytes, text, string->length) != 0)
		fail_msg("'%.*s' is not '%s'", (int)string->length, string->bytes, text);
	assert_int_equal(string->count, count);
}

static void text_across_the_edges_is_whole(void **state)
{
	struct fixture *fixture = *state;
	put(fixture, 10, 7, "application/grpc");
	put(fixture, 11, 3, "localhost:50051");
	add_pages(fixture, 10, 1);
	find(fixture);
	assert_int_equal(fixture->found.count, 2);
	expect(fixture, 0, "application/grpc", 1);
	expect(fixture, 1, "localhost:50051", 1);

	assert_int_equal(fixture->found.pages, page);
	assert_int_equal(fixture->found.searched, page);
}

static void text_around_the_pages_does_not_count(void **state)
{
	struct fixture *fixture = *state;
	put(fixture, 9, 0, "old and far");
	put(fixture, 10, 20, "old, ends at edge..");
	put(fixture, 10, 0, "\1new text");
	put(fixture, 11, 0, "old, starts at edge");
	put(fixture, 11, 1, "\1");
	put(fixture, 11, -(size_t)100, "old and after");
	add_pages(fixture, 10, 1);

	find(fixture);
	assert_int_equal(fixture->found.count, 1);
	expect(fixture, 0, "new text", 1);
	assert_int_equal(fixture->found.searched, page);
}

/** Of "fragment" only four characters are in the pages: too few for a string. */
static void parts_of_a_string_count_once(void **state)
{
	struct fixture *fixture = *state;
	put(fixture, 10, 4, "fragment");
	put(fixture, 21, 2, "fragment");
	add_pages(fixture, 10, 1);
	add_pages(fixture, 20, 1);
	find(fixture);
	assert_int_equal(fixture->found.count, 1);
	expect(fixture, 0, "fragment", 2);
}

static void a_text_over_two_new_pages_and_an_old_one_counts_once(void **state)
{
	struct fixture *fixture = *state;
	char text[3 * 4096] = "";

	require_small_pages();
	memset(text, 'x', page + 20);
	put(fixture, 11, 10, text);
	put(fixture, 30, 5, "other text");
	add_pages(fixture, 10, 1);
	add_pages(fixture, 12, 1);
	add_pages(fixture, 29, 2);

	find(fixture);
	assert_int_equal(fixture->found.count, 2);
	text[PM_PAGE_STRING_MAX] = '\0';
	expect(fixture, 0, text, 1);
	expect(fixture, 1, "other text", 1);
	assert_int_equal(fixture->found.searched, 4 * page);
}

/** The start is not searched: only the part in the page counts, from a whole character on. */
static void text_from_far_before_starts_at_the_page(void **state)
{
	struct fixture *fixture = *state;
	char text[LONG] = "";

	require_small_pages();
	memset(text, 'x', page + 100);
	memcpy(text + page + 99, "\xc3\xa9what is new", strlen("\xc3\xa9what is new"));
	put(fixture, 10, page + 100, text);

	/* The part of this one in the page is too short for a string. */
	memset(text, 'y', page + 100);
	strcpy(text + page + 50, "abc");
	put(fixture, 20, page + 50, text);

	/* This one fills the page before from its start. */
	memset(text, 'z', page);
	strcpy(text + page, "end");
	put(fixture, 30, page, text);
	add_pages(fixture, 10, 1);
	add_pages(fixture, 20, 1);
	add_pages(fixture, 30, 1);
	find(fixture);

	assert_int_equal(fixture->found.count, 2);
	expect(fixture, 0, "what is new", 1);
	memset(text, 'z', PM_PAGE_STRING_MAX);
	text[PM_PAGE_STRING_MAX] = '\0';
	expect(fixture, 1, text, 1);
}

static void text_crosses_from_one_region_into_its_continuation(void **state)
{
	struct fixture *fixture = *state;
	put(fixture, 10, 5, "left and right");
	put(fixture, 11, 5, "there and here");

	/* Two borders: mprotect(2) splits the mapping. */
	assert_int_equal(
		mprotect(fixture->memory + 10 * page, page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	add_pages(fixture, 10, 1);
	assert_int_equal(fixture->pages.count, 1);
	find(fixture);
	assert_int_equal(fixture->found.count, 2);
	expect(fixture, 0, "left and right", 1);

	expect(fixture, 1, "there and here", 1);
}

static unsigned char is_there(const struct fixture *fixture, size_t number)
{
	unsigned char there;
	assert_int_equal(mincore(fixture->memory + number * page, page, &there), 0);
	return there & 1;
}

static void absent_pages_around_are_not_touched(void **state)
{
	struct fixture *fixture = *state;
	put(fixture, 10, 0, "starts here");
	put(fixture, 10, -(page - 9), "ends here");
	add_pages(fixture, 10, 1);
	find(fixture);
	assert_int_equal(fixture->found.count, 2);
	expect(fixture, 0, "starts here", 1);
	expect(fixture, 1, "ends here", 1);

	assert_false(is_there(fixture, 9));
	assert_true(is_there(fixture, 10));
	assert_false(is_there(fixture, 11));
}

/** Texts that cross the edges of blocks are whole, too. */
static void thinned_blocks_have_no_fragments(void **state)
{
	struct fixture *fixture = *state;

	enum { LENGTH = sizeof "twenty three characters" };
	for (size_t at = 0; at + LENGTH <= PAGES * page; at += LENGTH)
		memcpy(fixture->memory + at, "twenty three characters", LENGTH);

	add_pages(fixture, 0, PAGES);
	assert_int_equal(pm_page_set_thin(&fixture->pages, 1, NULL), 0);
	assert_int_equal(fixture->pages.bytes, PAGES * page);
	find(fixture);
	assert_true(fixture->found.searched < PAGES * page);
	assert_int_equal(fixture->found.count, 1);
	assert_int_equal(fixture->found.strings[0].length, 23);
	assert_int_equal(fixture->pages.count, 1);

	assert_int_equal(fixture->found.strings[0].count,
	                 (fixture->found.searched + LENGTH - 1) / LENGTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_across_the_edges_is_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_around_the_pages_does_not_count, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(parts_of_a_string_count_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_text_over_two_new_pages_and_an_old_one_counts_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_from_far_before_starts_at_the_page, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(text_crosses_from_one_region_into_its_continuation,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(absent_pages_around_are_not_touched, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(thinned_blocks_have_no_fragments, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
