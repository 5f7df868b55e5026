/* SPDX-License-Identifier: MIT */
/* Many walks over heaps that a test defines: slots of equal size, each of which is in use or free
 * and contains a text. */
#include <procmem/cohorts.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap/heap.h"
#include "reader/fake_reader.h"
#include "support/target.h"

enum { SLOTS = 2000, SIZE = 96, HEADER = 16, ALIGNED = 4096, BASE = 0x5000000 };

struct fixture {
	unsigned char bytes[SLOTS * SIZE + ALIGNED];
	bool used[SLOTS];
	struct pm_fake_range range;
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;
	struct pm_heap_source source;
	struct pm_chunk_types *types;
	struct pm_cohorts *cohorts;
	volatile sig_atomic_t cancel;
	struct pm_range
		skipped; /* addresses that the next walk does not see; empty if it sees all */
	bool unseen; /* the next walk does not see some chunks, and their addresses are not known */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct pm_error error;
	const struct pm_region region = { .start = BASE,
		                          .end = BASE + sizeof f->bytes / ALIGNED * ALIGNED,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .mapping = "[heap]" };

	f->range = (struct pm_fake_range){ BASE, f->bytes, sizeof f->bytes };
	f->target = (struct pm_fake_target){ .ranges = &f->range, .count = 1 };
	f->reader = pm_fake_reader(&f->target);
	pm_regions_init(&f->regions);
	must(pm_regions_append(&f->regions, &region, &error), &error);

	f->source = (struct pm_heap_source){ .regions = &f->regions,
		                             .reader = &f->reader,
		                             .cancel = &f->cancel };
	const struct pm_chunk_type_source types = { .memory = &f->source };
	must(pm_chunk_types_open(&types, &f->types, &error), &error);
	must(pm_cohorts_open(f->types, &f->cohorts, &error), &error);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pm_cohorts_close(f->cohorts);
	pm_chunk_types_close(f->types);
	pm_regions_deinit(&f->regions);
	free(f);
	return 0;
}

/** Allocates slots that contain a text with their number. */
static void use(struct fixture *f, unsigned first, unsigned count, const char *text)
{
	for (unsigned i = first; i < first + count; i++) {
		char *slot = (char *)f->bytes + (size_t)i * SIZE + HEADER;
		f->used[i] = true;
		memset(slot, 0, SIZE - HEADER);
		snprintf(slot, SIZE - HEADER, "%s %u", text, i);
	}
}

static void unuse(struct fixture *f, unsigned first, unsigned count)
{
	memset(f->used + first, 0, count * sizeof *f->used);
}

/** Walks over the slots. */
static int walk(struct fixture *f, struct pm_error *error)
{
	struct pm_heap_handle heap = { .source = f->source };

	must(pm_heap_window_open(&heap.source, &heap.window, error), error);
	heap.index.header = HEADER;
	heap.index.overlap = 8;
	heap.result.complete = f->skipped.end == 0 && !f->unseen;
	heap.index.unseen = f->unseen;
	must(pm_heap_index_skip(&heap.index, f->skipped.start, f->skipped.end, error), error);

	assert_non_null(
		pm_heap_index_add_segment(&heap.index, BASE, BASE + SLOTS * SIZE, 0, error));
	for (unsigned i = 0; i < SLOTS; i++)
		pm_heap_index_add(&heap.index, BASE + (uint64_t)i * SIZE, SIZE,
		                  f->used[i] ? PM_CHUNK_IN_USE : PM_CHUNK_FREE);
	must(pm_heap_index_finish(&heap.index, error), error);
	heap.result.chunk_count = heap.index.chunks;

	int result = pm_cohorts_walk(f->cohorts, &heap.result, error);
	pm_heap_window_close(heap.window);
	pm_heap_index_deinit(&heap.index);
	f->skipped = (struct pm_range){ 0 };
	f->unseen = false;
	return result;
}

static void must_walk(struct fixture *f)
{
	struct pm_error error;
	must(walk(f, &error), &error);
}

/** Checks the only class: number of survivors, and of chunks in use in the last two walks. */
static void expect(struct fixture *f, uint64_t survivors, uint64_t in_use, uint64_t before)
{
	struct pm_cohort_class class;

	assert_int_equal(pm_cohorts_count(f->cohorts), 1);
	pm_cohorts_get(f->cohorts, 0, &class);
	assert_int_equal(class.survivors->count, survivors);
	assert_int_equal(class.survivors->bytes, survivors * SIZE);
	assert_int_equal(class.survivors->size, SIZE);
	assert_true(class.in_use_known);
	assert_int_equal(class.in_use, in_use);
	assert_int_equal(class.before, before);
	assert_true(pm_cohorts_seconds(f->cohorts) > 0);
}

/** Each walk adds the survivors of the interval before it, exactly. */
static void a_leak_over_many_walks(void **state)
{
	struct fixture *f = *state;
	double seconds = 0;

	assert_null(pm_cohorts_present(f->cohorts));
	use(f, 0, 500, "old");
	must_walk(f);
	assert_int_equal(pm_cohorts_count(f->cohorts), 0);
	for (unsigned i = 1; i <= 20; i++) {
		use(f, 500 + (i - 1) * 50, 50, "leaked record");
		must_walk(f);
		assert_int_equal(pm_census_total(pm_cohorts_present(f->cohorts)).count,
		                 500 + 50 * i);
		if (i == 1) {
			assert_int_equal(pm_cohorts_count(f->cohorts), 0);
			assert_true(pm_cohorts_seconds(f->cohorts) == 0);
			continue;
		}
		expect(f, 50 * (i - 1), 500 + 50 * i, 450 + 50 * i);
		assert_true(pm_cohorts_seconds(f->cohorts) > seconds);
		seconds = pm_cohorts_seconds(f->cohorts);
	}
}

/** Everything is freed and allocated again between two walks, also at the same addresses. */
static void churn(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 10; i++) {
		char text[32];
		snprintf(text, sizeof text, "request %u", i);
		unuse(f, 0, SLOTS);
		use(f, i * 7, 300, text);
		must_walk(f);
	}
	assert_int_equal(pm_cohorts_count(f->cohorts), 0);
	assert_true(pm_cohorts_seconds(f->cohorts) > 0);
}

/** Chunks that live longer than an interval survive, but their number does not grow. */
static void a_cache_that_does_not_grow(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 10; i++) {
		unuse(f, 0, SLOTS);
		/* Each session lives for three walks. */
		for (unsigned age = 0; age < 3; age++)
			use(f, 100 * ((i + age) % 10), 100, "session");
		must_walk(f);
	}
	expect(f, 800, 300, 300);
}

/** What a walk did not see is not new in the next one. */
static void skipped_chunks_are_not_new(void **state)
{
	struct fixture *f = *state;

	use(f, 0, 1000, "old");
	unuse(f, 200, 100);
	f->skipped = (struct pm_range){ BASE + 200 * SIZE, BASE + 300 * SIZE };
	must_walk(f);
	use(f, 200, 100, "old");
	use(f, 1000, 5, "leaked record");
	must_walk(f);
	must_walk(f);
	expect(f, 5, 1005, 1005);
}

/** If it is not known what a walk did not see, its interval does not count. */
static void a_walk_that_misses_chunks_shows_nothing_new(void **state)
{
	struct fixture *f = *state;

	use(f, 0, 1000, "old");
	unuse(f, 200, 700);
	f->unseen = true;
	must_walk(f);
	use(f, 200, 700, "old");
	must_walk(f);
	must_walk(f);
	assert_int_equal(pm_cohorts_count(f->cohorts), 0);
	assert_true(pm_cohorts_seconds(f->cohorts) == 0);

	use(f, 1000, 7, "leaked record");
	must_walk(f);
	must_walk(f);
	expect(f, 7, 1007, 1007);
}

/** After a walk that failed, survivors are found from the third walk on. */
static void a_walk_that_fails(void **state)
{
	struct fixture *f = *state;
	struct pm_error error;

	use(f, 0, 10, "old");
	must_walk(f);
	use(f, 10, 10, "leaked record");
	must_walk(f);
	must_walk(f);
	expect(f, 10, 20, 20);

	f->cancel = 1;
	assert_int_equal(walk(f, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	assert_null(pm_cohorts_present(f->cohorts));
	struct pm_cohort_class class;
	assert_int_equal(pm_cohorts_count(f->cohorts), 1);
	pm_cohorts_get(f->cohorts, 0, &class);
	assert_int_equal(class.survivors->count, 10);
	assert_false(class.in_use_known);
	f->cancel = 0;

	use(f, 20, 10, "leaked record");
	must_walk(f);
	use(f, 30, 10, "leaked record");
	must_walk(f);
	must_walk(f);
	expect(f, 20, 40, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_leak_over_many_walks, setup, teardown),
		cmocka_unit_test_setup_teardown(churn, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cache_that_does_not_grow, setup, teardown),
		cmocka_unit_test_setup_teardown(skipped_chunks_are_not_new, setup, teardown),
		cmocka_unit_test_setup_teardown(a_walk_that_misses_chunks_shows_nothing_new, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(a_walk_that_fails, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
