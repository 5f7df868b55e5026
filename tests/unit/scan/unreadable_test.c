/* SPDX-License-Identifier: MIT */
/* What a scan tells of bytes that nobody can read: each with its own reason, though another thread
 * learned it. */
#include <procmem/scan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <procmem/strings_scan.h>
#include <cmocka.h>

enum { PAGE = 4096, PAGES = 200, BASE = 1 << 20 };

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	const struct pm_page_run run = { start, end, PM_PAGE_PRESENT };
	(void)context, (void)error;
	return visit(visitor, &run);
}

static int refuse(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                  size_t *done, struct pm_error *error)
{
	(void)context, (void)count, (void)buffer;
	pm_error_set(error, PM_ERROR_UNREADABLE, 0, "0x%llx is bad",
	             (unsigned long long)ranges->start);
	*done = 0;
	return 0;
}

static void check_reason(void *context, const struct pm_unreadable *range)
{
	size_t *pages = context;
	char text[40];
	snprintf(text, sizeof text, "0x%zx is bad", BASE + *pages * PAGE);
	assert_int_equal(range->start, BASE + *pages * PAGE);
	assert_int_equal(range->end - range->start, PAGE);
	assert_string_equal(range->why, text);
	++*pages;
}

static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context, (void)worker, (void)hit, (void)batch, (void)error;
	fail();
	return 0;
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	(void)context, (void)delivery, (void)error;
	fail();
	return 0;
}

static void each_page_has_its_own_reason(void **state)
{
	static const struct pm_reader_ops refusing = { .read = refuse };
	const struct pm_region region = { .start = BASE,
		                          .end = BASE + PAGES * PAGE,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .mapping = "" };
	const struct pm_strings_options strings = { .least = 4 };
	struct pm_page_source pages = { .walk = walk, .untouched = PM_SEGMENT_HOLE };
	struct pm_reader reader = { .ops = &refusing };

	struct pm_scanner *scanner;
	struct pm_regions regions;
	struct pm_error error;

	(void)state;
	pm_regions_init(&regions);
	assert_int_equal(pm_regions_append(&regions, &region, &error), 0);
	assert_int_equal(pm_strings_scanner_create(&strings, &scanner, &error), 0);

	for (unsigned workers = 1; workers <= 3; workers++) {
		const struct pm_plan_options options = { .pages = &pages, .unit_size = 16 * PAGE };
		struct pm_plan *plan;
		struct pm_scan_totals totals;
		size_t told = 0;

		assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, &error), 0);
		const struct pm_scan scan = { .source = { .target = &reader,
			                                  .unreadable = check_reason,
			                                  .context = &told },
			                      .scanner = scanner,
			                      .regions = &regions,
			                      .plan = plan,
			                      .workers = workers,
			                      .found = found,
			                      .deliver = deliver };

		assert_int_equal(pm_scan_run(&scan, &totals, &error), 0);
		assert_int_equal(told, PAGES);
		assert_int_equal(totals.unreadable, PAGES * PAGE);
		pm_plan_close(plan);
	}

	pm_scanner_destroy(scanner);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_page_has_its_own_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
