/* SPDX-License-Identifier: MIT */
/* A scan that the caller cancels while hits are delivered: no further hit is delivered. */
#include <procmem/scan.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <procmem/pattern_scan.h>
#include <cmocka.h>

enum { PAGE = 4096, PAGES = 64, BASE = 1 << 20, CANCEL_AT = 10 };

/** The flag of the caller, and the number of hits that were delivered. */
struct delivered {
	volatile sig_atomic_t cancel;
	size_t hits;
};

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	const struct pm_page_run run = { start, end, PM_PAGE_PRESENT };
	(void)context, (void)error;
	return visit(visitor, &run);
}

static int fill(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                size_t *done, struct pm_error *error)
{
	(void)context, (void)error;
	*done = 0;
	for (size_t i = 0; i < count; i++)
		*done += pm_range_size(ranges[i]);
	memset(buffer, 'a', *done);
	return 0;
}

static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context, (void)worker;
	return pm_scan_append(batch, hit->bytes, hit->size, error);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct delivered *delivered = context;
	(void)delivery, (void)error;
	delivered->hits++;
	/* Atomic, because the workers read the flag in their own threads. */
	__atomic_store_n(&delivered->cancel, delivered->hits == CANCEL_AT, __ATOMIC_RELAXED);
	return 0;
}

static void no_hit_is_delivered_after_a_cancel(void **state)
{
	static const struct pm_reader_ops filling = { .read = fill };
	const struct pm_region region = { .start = BASE,
		                          .end = BASE + PAGES * PAGE,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .mapping = "" };
	const struct pm_pattern pattern = { "a", 1, 0 };
	struct pm_page_source pages = { .walk = walk, .untouched = PM_SEGMENT_HOLE };
	struct pm_reader reader = { .ops = &filling };
	struct pm_scanner *scanner;
	struct pm_regions regions;
	struct pm_error error;

	(void)state;
	pm_regions_init(&regions);
	assert_int_equal(pm_regions_append(&regions, &region, &error), 0);
	assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &scanner, &error), 0);

	for (unsigned workers = 1; workers <= 3; workers++) {
		const struct pm_plan_options options = { .pages = &pages, .unit_size = 16 * PAGE };
		struct delivered delivered = { 0 };
		struct pm_scan_totals totals;
		struct pm_plan *plan;

		assert_int_equal(pm_plan_open(&regions, NULL, 0, &options, &plan, &error), 0);
		const struct pm_scan scan = { .source = { .target = &reader,
			                                  .cancel = &delivered.cancel },
			                      .scanner = scanner,
			                      .regions = &regions,
			                      .plan = plan,
			                      .workers = workers,
			                      .found = found,
			                      .deliver = deliver,
			                      .context = &delivered };

		assert_int_equal(pm_scan_run(&scan, &totals, &error), -1);
		assert_int_equal(error.kind, PM_ERROR_CANCELLED);
		assert_int_equal(delivered.hits, CANCEL_AT);
		pm_plan_close(plan);
	}

	pm_scanner_destroy(scanner);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_hit_is_delivered_after_a_cancel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
