/* SPDX-License-Identifier: MIT */
/* What is found in pages: in memory of the test itself, whose every byte is known. */
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

/** For tests whose texts fit pages of 4 KiB. */
static void skip_other_pages(void)
{
	if (page == 4096)
		return;
	fputs("skipped: pages of this machine are not of 4 KiB\n", stderr);
	skip();
}

/** A mapping of the test, an island between two guards, and what looks into it. */
struct world {
	char *memory;
	struct pm_process *process;
	struct pm_regions regions;
	struct pm_page_strings *strings;
	struct pm_page_set pages;
	struct pm_page_strings_found found;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof *world);

	page = (size_t)sysconf(_SC_PAGESIZE);
	char *guards = mmap(NULL, (PAGES + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	                    0);
	assert_ptr_not_equal(guards, MAP_FAILED);
	world->memory = guards + page;
	assert_int_equal(mprotect(world->memory, PAGES * page, PROT_READ | PROT_WRITE), 0);

	/* A huge page would bring in what is to stay untouched; where there are none it does not
	 * matter. */
	(void)madvise(world->memory, PAGES * page, MADV_NOHUGEPAGE);
	assert_int_equal(pm_process_open(NULL, getpid(), &world->process, NULL), 0);
	pm_regions_init(&world->regions);
	*state = world;

	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	pm_page_strings_found_deinit(&world->found);
	pm_page_set_deinit(&world->pages);
	pm_page_strings_close(world->strings);
	pm_regions_deinit(&world->regions);
	pm_process_close(world->process);
	munmap(world->memory - page, (PAGES + 2) * page);
	free(world);

	return 0;
}

/** Puts a text so that it begins so many bytes before a page. */
static void put(struct world *world, size_t number, size_t before, const char *text)
{
	memcpy(world->memory + number * page - before, text, strlen(text));
}

static void add_pages(struct world *world, size_t number, size_t count)
{
	uint64_t start = (uintptr_t)world->memory + number * page;
	if (world->regions.count == 0)
		assert_int_equal(pm_maps_read(world->process, PM_SMAPS, &world->regions, NULL), 0);
	assert_int_equal(pm_page_set_add(&world->pages,
	                                 (struct pm_range){ start, start + count * page },
	                                 &world->regions, NULL),
	                 0);
}

/** Looks through the pages that were added. */
static void look(struct world *world)
{
	const struct pm_page_strings_options options = { .max = 100 };
	struct pm_error error = { 0 };
	if (pm_page_strings_open(world->process, true, &world->strings, &error) < 0 ||
	    pm_page_strings_begin(world->strings, &world->regions, &error) < 0 ||
	    pm_page_strings_find(world->strings, &world->pages, &options, &world->found, &error) <
	            0)
		fail_msg("%s", error.text);
}

static void expect(const struct world *world, size_t index, const char *text, uint64_t count)
{
	assert_true(index < world->found.count);
	const struct pm_page_string *string = &world->found.strings[index];
	if (string->length != strlen(text) || memcmp(string->bytes, text, string->length) != 0)
		fail_msg("'%.*s' is not '%s'", (int)string->length, string->bytes, text);
	assert_int_equal(string->count, count);
}

static void text_across_the_edges_is_whole(void **state)
{
	struct world *world = *state;
	put(world, 10, 7, "application/grpc");
	put(world, 11, 3, "localhost:50051");
	add_pages(world, 10, 1);
	look(world);
	assert_int_equal(world->found.count, 2);
	expect(world, 0, "application/grpc", 1);
	expect(world, 1, "localhost:50051", 1);

	assert_int_equal(world->found.pages, page);
	assert_int_equal(world->found.searched, page);
}

static void text_beside_the_pages_is_not_theirs(void **state)
{
	struct world *world = *state;
	put(world, 9, 0, "old and far");
	put(world, 10, 20, "old, ends at edge..");
	put(world, 10, 0, "\1new text");
	put(world, 11, 0, "old, begins at edge");
	put(world, 11, 1, "\1");
	put(world, 11, -(size_t)100, "old and behind");
	add_pages(world, 10, 1);

	look(world);
	assert_int_equal(world->found.count, 1);
	expect(world, 0, "new text", 1);
	assert_int_equal(world->found.searched, page);
}

/** Of "fragment" only four characters are new: too few by themselves. */
static void small_parts_count_as_what_they_are_part_of(void **state)
{
	struct world *world = *state;
	put(world, 10, 4, "fragment");
	put(world, 21, 2, "fragment");
	add_pages(world, 10, 1);
	add_pages(world, 20, 1);
	look(world);
	assert_int_equal(world->found.count, 1);
	expect(world, 0, "fragment", 2);
}

static void a_text_over_two_new_pages_and_an_old_one_counts_once(void **state)
{
	struct world *world = *state;
	char text[3 * 4096] = "";
	skip_other_pages();
	memset(text, 'x', page + 20);
	put(world, 11, 10, text);
	put(world, 30, 5, "other text");
	add_pages(world, 10, 1);
	add_pages(world, 12, 1);
	add_pages(world, 29, 2);

	look(world);
	assert_int_equal(world->found.count, 2);
	text[PM_PAGE_STRING_MAX] = '\0';
	expect(world, 0, text, 1);
	expect(world, 1, "other text", 1);
	assert_int_equal(world->found.searched, 4 * page);
}

/** Where it begins nobody looks: what is new of it is told, without a half character. */
static void text_from_far_before_is_told_from_the_page_on(void **state)
{
	struct world *world = *state;
	char text[LONG] = "";
	skip_other_pages();
	memset(text, 'x', page + 100);
	memcpy(text + page + 99, "\xc3\xa9what is new", strlen("\xc3\xa9what is new"));
	put(world, 10, page + 100, text);

	/* Of this one nothing that would be a string is new. */
	memset(text, 'y', page + 100);
	strcpy(text + page + 50, "abc");
	put(world, 20, page + 50, text);

	/* This one fills the page before from its begin. */
	memset(text, 'z', page);
	strcpy(text + page, "end");
	put(world, 30, page, text);
	add_pages(world, 10, 1);
	add_pages(world, 20, 1);
	add_pages(world, 30, 1);
	look(world);

	assert_int_equal(world->found.count, 2);
	expect(world, 0, "what is new", 1);
	memset(text, 'z', PM_PAGE_STRING_MAX);
	text[PM_PAGE_STRING_MAX] = '\0';
	expect(world, 1, text, 1);
}

static void text_crosses_from_one_region_into_its_continuation(void **state)
{
	struct world *world = *state;
	put(world, 10, 5, "left and right");
	put(world, 11, 5, "there and here");

	/* Two borders: mprotect(2) splits the mapping. */
	assert_int_equal(
		mprotect(world->memory + 10 * page, page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	add_pages(world, 10, 1);
	assert_int_equal(world->pages.count, 1);
	look(world);
	assert_int_equal(world->found.count, 2);
	expect(world, 0, "left and right", 1);

	expect(world, 1, "there and here", 1);
}

static unsigned char is_there(const struct world *world, size_t number)
{
	unsigned char there;
	assert_int_equal(mincore(world->memory + number * page, page, &there), 0);
	return there & 1;
}

static void pages_beside_that_are_not_there_stay_so(void **state)
{
	struct world *world = *state;
	put(world, 10, 0, "begins here");
	put(world, 10, -(page - 9), "ends here");
	add_pages(world, 10, 1);
	look(world);
	assert_int_equal(world->found.count, 2);
	expect(world, 0, "begins here", 1);
	expect(world, 1, "ends here", 1);

	assert_false(is_there(world, 9));
	assert_true(is_there(world, 10));
	assert_false(is_there(world, 11));
}

/** What is left out of many pages must not cut texts either. */
static void thinned_blocks_have_no_fragments(void **state)
{
	struct world *world = *state;

	enum { LENGTH = sizeof "twenty three characters" };
	for (size_t at = 0; at + LENGTH <= PAGES * page; at += LENGTH)
		memcpy(world->memory + at, "twenty three characters", LENGTH);

	add_pages(world, 0, PAGES);
	assert_int_equal(pm_page_set_thin(&world->pages, 1, NULL), 0);
	assert_int_equal(world->pages.bytes, PAGES * page);
	look(world);
	assert_true(world->found.searched < PAGES * page);
	assert_int_equal(world->found.count, 1);
	assert_int_equal(world->found.strings[0].length, 23);
	assert_int_equal(world->pages.count, 1);

	assert_int_equal(world->found.strings[0].count,
	                 (world->found.searched + LENGTH - 1) / LENGTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_across_the_edges_is_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_beside_the_pages_is_not_theirs, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(small_parts_count_as_what_they_are_part_of, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(
			a_text_over_two_new_pages_and_an_old_one_counts_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_from_far_before_is_told_from_the_page_on,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_crosses_from_one_region_into_its_continuation,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(pages_beside_that_are_not_there_stay_so, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(thinned_blocks_have_no_fragments, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
