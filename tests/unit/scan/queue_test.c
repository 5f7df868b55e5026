/* SPDX-License-Identifier: MIT */
#include "scan/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MEGABYTE = 1024 * 1024, MOST = 6 };

/** An order over some mebibytes of one region. */
struct fixture {
	struct pm_regions regions;
	struct pm_plan *plan;
	struct pm_scan_queue queue;
};

static void start(struct fixture *fixture, uint64_t first, uint64_t end)
{
	const struct pm_region region = { .start = first,
		                          .end = end,
		                          .perms = PM_PERM_READ,
		                          .vm_flags = PM_VM_KNOWN | PM_VM_READ };
	struct pm_error error;

	pm_regions_init(&fixture->regions);
	assert_int_equal(pm_regions_append(&fixture->regions, &region, &error), 0);
	assert_int_equal(pm_plan_open(&fixture->regions, NULL, 0, NULL, &fixture->plan, &error), 0);
	assert_int_equal(pm_scan_queue_init(&fixture->queue, fixture->plan, true, MOST, &error), 0);
}

static void drop(struct fixture *fixture)
{
	pm_scan_queue_deinit(&fixture->queue);
	pm_plan_close(fixture->plan);
	pm_regions_deinit(&fixture->regions);
}

static struct pm_job *expect_claim(struct fixture *fixture, struct pm_job **second, uint64_t first)
{
	struct pm_job *job = pm_scan_queue_claim(&fixture->queue, second);
	assert_non_null(job);
	assert_int_equal(job->unit.segments[0].start, first);
	return job;
}

static void finish(struct fixture *fixture, struct pm_job *job)
{
	struct pm_scan_batch batch = { 0 };
	const struct pm_scan_counts counts = { 0 };
	assert_int_equal(pm_scan_queue_finish(&fixture->queue, job, &counts, &batch), 0);
	pm_batch_deinit(&batch);
}

/** Two workers never read pages of one page table at a time where that can be helped. */
static void one_worker_for_each_page_table(void **state)
{
	(void)state;
	struct fixture fixture;
	struct pm_job *mine = NULL, *theirs = NULL;
	start(&fixture, 3 * MEGABYTE, 9 * MEGABYTE);
	expect_claim(&fixture, &mine, 3 * MEGABYTE);
	assert_null(mine);
	expect_claim(&fixture, &theirs, 4 * MEGABYTE);
	assert_non_null(theirs);

	struct pm_job *job = expect_claim(&fixture, &mine, 6 * MEGABYTE);
	finish(&fixture, job);
	expect_claim(&fixture, &mine, 7 * MEGABYTE);
	expect_claim(&fixture, &theirs, 5 * MEGABYTE);
	expect_claim(&fixture, &theirs, 8 * MEGABYTE);
	drop(&fixture);
}

/** Where workers wait for their turns, each has no more than one unit. */
static void hits_are_delivered_unit_by_unit(void **state)
{
	(void)state;
	struct fixture fixture;
	struct pm_job *mine = NULL, *theirs = NULL, *taken;
	struct pm_scan_batch batch = { 0 };
	struct pm_error error;

	start(&fixture, MEGABYTE, 9 * MEGABYTE);
	struct pm_job *first = expect_claim(&fixture, &mine, MEGABYTE);
	const struct pm_record record = { .address = MEGABYTE, .size = 4 };
	assert_int_equal(pm_batch_add(&batch, &record, &error), 0);
	assert_int_equal(pm_scan_queue_push(&fixture.queue, &first, &batch), 0);
	assert_int_equal(pm_scan_queue_pop(&fixture.queue, &taken, &batch), PM_POPPED_BATCH);
	finish(&fixture, first);

	struct pm_job *second = expect_claim(&fixture, &mine, 2 * MEGABYTE);
	assert_null(mine);
	expect_claim(&fixture, &theirs, 3 * MEGABYTE);

	/* And when little is found again, two. */
	finish(&fixture, second);
	expect_claim(&fixture, &mine, 4 * MEGABYTE);
	assert_non_null(mine);
	pm_batch_deinit(&batch);
	drop(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_worker_for_each_page_table),
		cmocka_unit_test(hits_are_delivered_unit_by_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
