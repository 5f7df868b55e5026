/* SPDX-License-Identifier: MIT */
/* A scan of memory whose pages come from the target and from a file in turn: each is read where it
 * is to be read, and nowhere else. */
#include <procmem/scan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <procmem/strings_scan.h>
#include <cmocka.h>

enum { PAGE = 4096, PAGES = 220, BASE = 1 << 20 };

/** Whether a page is in the target's memory: all others come from the file. */
static bool is_present(uint64_t page)
{
	return page % 2 == 0;
}

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	(void)context, (void)error;
	for (uint64_t page = start / PAGE; page < end / PAGE; page++) {
		const struct pm_page_run run = { page * PAGE, (page + 1) * PAGE, PM_PAGE_PRESENT };
		int result = is_present(page) ? visit(visitor, &run) : 0;
		if (result)
			return result;
	}
	return 0;
}

/** One of the two readers. */
struct half {
	bool present; /* which pages it has */
	int strays;   /* times that it was asked for one of the others; counted atomically */
};

static int read_half(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                     size_t *done, struct pm_error *error)
{
	struct half *half = context;
	(void)error;
	*done = 0;

	for (size_t i = 0; i < count; i++) {
		size_t size = pm_range_size(ranges[i]);

		for (uint64_t at = ranges[i].start; at < ranges[i].end; at++)
			if (is_present(at / PAGE) != half->present)
				__atomic_fetch_add(&half->strays, 1, __ATOMIC_RELAXED);
		memset((char *)buffer + *done, 'f', size);
		*done += size;
	}

	return 0;
}

/** The text that is found: one, in pieces. */
struct text {
	uint64_t start, end;
};

static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context, (void)worker, (void)hit, (void)batch, (void)error;
	return 0;
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct text *text = context;
	(void)error;
	if (text->end == 0)
		text->start = text->end = delivery->address;
	assert_int_equal(delivery->address, text->end);
	text->end += delivery->size;
	return 0;
}

static void scan_from(const struct pm_regions *regions, const struct pm_scanner *scanner,
                      uint64_t start, size_t unit_pages, unsigned workers)
{
	static const struct pm_reader_ops ops = { .read = read_half };
	struct half present = { .present = true }, absent = { .present = false };
	struct pm_reader target = { .ops = &ops, .context = &present },
			 files = { .ops = &ops, .context = &absent };
	struct pm_page_source pages = { .walk = walk, .untouched = PM_SEGMENT_HOLE };
	const struct pm_plan_options options = { .pages = &pages,
		                                 .unit_size = unit_pages * PAGE,
		                                 .files = true };

	const struct pm_region_range range = { { start, BASE + PAGES * PAGE }, 0 };
	struct text text = { 0 };
	struct pm_scan_totals totals;
	struct pm_error error;
	struct pm_plan *plan;

	assert_int_equal(pm_plan_open(regions, &range, 1, &options, &plan, &error), 0);
	const struct pm_scan scan = { .source = { .target = &target, .files = &files },
		                      .scanner = scanner,
		                      .regions = regions,
		                      .plan = plan,
		                      .workers = workers,
		                      .around = PM_SCAN_CONTEXT_MAX,
		                      .found = found,
		                      .deliver = deliver,
		                      .context = &text };

	assert_int_equal(pm_scan_run(&scan, &totals, &error), 0);
	pm_plan_close(plan);
	if (present.strays || absent.strays)
		fail_msg(
			"from %llx on: %d bytes of the file read from the target, %d the other way",
			(unsigned long long)start, present.strays, absent.strays);

	assert_int_equal(totals.hits, 1);
	assert_int_equal(text.start, range.range.start);
	assert_int_equal(text.end, range.range.end);
}

static void each_page_is_read_where_it_is(void **state)
{
	const struct pm_region region = { .start = BASE,
		                          .end = BASE + PAGES * PAGE,
		                          .inode = 1,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .vm_flags = PM_VM_KNOWN | PM_VM_READ,
		                          .mapping = "/file" };
	const struct pm_strings_options strings = { .least = 4 };
	struct pm_scanner *scanner;

	struct pm_regions regions;

	(void)state;
	pm_regions_init(&regions);
	assert_int_equal(pm_regions_append(&regions, &region, NULL), 0);
	assert_int_equal(pm_strings_scanner_create(&strings, &scanner, NULL), 0);

	/* The text is longer than what is read at once: it goes on in the third unit, and behind
	 * more segments than are kept in mind. */
	static const size_t unit_pages[] = { 8, 100 };
	for (size_t i = 0; i < 2; i++)
		for (uint64_t skipped = 0; skipped < 2 * PAGE; skipped += 1 + skipped % 409)
			scan_from(&regions, scanner, BASE + skipped, unit_pages[i],
			          1 + (unsigned)skipped % 3);

	pm_scanner_destroy(scanner);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_page_is_read_where_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
