/* SPDX-License-Identifier: MIT */
/* Three walks over heaps that a test defines: slots of equal size, each of which is in use or free
 * and contains a text. */
#include <procmem/census_sample.h>
#include <procmem/survivors.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap/glibc_context.h"
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
	struct pm_survivors *survivors;
	/* The next walk skips this number of slots: each second one, from the first one on */
	unsigned skipped;
	uint64_t opened_ns; /* when the next heap that stays open was read */
	bool damaged;       /* the next walk does not find all heaps */
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

	f->source = (struct pm_heap_source){ .regions = &f->regions, .reader = &f->reader };
	const struct pm_chunk_type_source types = { .memory = &f->source };
	must(pm_chunk_types_open(&types, &f->types, &error), &error);
	must(pm_survivors_open(f->types, NULL, &f->survivors, &error), &error);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	pm_survivors_close(f->survivors);
	pm_chunk_types_close(f->types);
	pm_regions_deinit(&f->regions);
	free(f);
	return 0;
}

static char *slot(struct fixture *f, unsigned number)
{
	return (char *)f->bytes + (size_t)number * SIZE + HEADER;
}

/** Allocates a slot that contains a text with its number. */
static void use(struct fixture *f, unsigned number, const char *text)
{
	f->used[number] = true;
	memset(slot(f, number), 0, SIZE - HEADER);
	snprintf(slot(f, number), SIZE - HEADER, "%s %u", text, number);
}

/** Adds the breaks of the next walk. */
static void add_breaks(const struct fixture *f, struct pm_heap_handle *heap)
{
	struct pm_glibc glibc = { .heap = heap };
	struct pm_error error;

	for (unsigned i = 0; i < f->skipped; i++) {
		const struct pm_heap_break hole = {
			.address = BASE + (uint64_t)i * 2 * SIZE,
			.skipped = SIZE,
			.why = "a test",
		};
		must(pm_glibc_break(&glibc, &hole, &error), &error);
	}
	if (f->damaged)
		must(pm_glibc_damage(&glibc, 0, BASE, 0, "a test", &error), &error);
}

/** Walks over the slots. */
static int walk(struct fixture *f, struct pm_error *error)
{
	struct pm_heap_handle heap = { .source = f->source };
	must(pm_heap_window_open(&heap.source, &heap.window, error), error);
	heap.index.header = HEADER;
	heap.index.overlap = 8;
	add_breaks(f, &heap);
	assert_non_null(
		pm_heap_index_add_segment(&heap.index, BASE, BASE + SLOTS * SIZE, 0, error));
	for (unsigned i = 0; i < SLOTS; i++)
		pm_heap_index_add(&heap.index, BASE + (uint64_t)i * SIZE, SIZE,
		                  f->used[i] ? PM_CHUNK_IN_USE : PM_CHUNK_FREE);
	must(pm_heap_index_finish(&heap.index, error), error);
	heap.result.chunk_count = heap.index.chunks;

	int result = pm_survivors_walk(f->survivors, &heap.result, error);
	pm_heap_window_close(heap.window);
	pm_heap_index_deinit(&heap.index);
	free(heap.result.breaks);
	return result;
}

static void must_walk(struct fixture *f)
{
	struct pm_error error;
	must(walk(f, &error), &error);
}

static void expect_class(struct fixture *f, size_t index, uint64_t count, int64_t net)
{
	struct pm_survivor_class class;
	assert_true(index < pm_survivors_count(f->survivors));
	pm_survivors_get(f->survivors, index, &class);
	assert_int_equal(class.chunks->count, count);
	assert_int_equal(class.chunks->bytes, count * SIZE);
	assert_int_equal(class.chunks->size, SIZE);
	assert_true(class.net_known);
	assert_int_equal(class.net_count, net);
	assert_int_equal(class.net_bytes, net * SIZE);
	assert_true(class.rate > 0);
}

static void a_leak(void **state)
{
	struct fixture *f = *state;
	struct pm_survivor_class class;

	for (unsigned i = 0; i < 500; i++)
		use(f, i, "old");
	must_walk(f);
	for (unsigned i = 500; i < 550; i++)
		use(f, i, "leaked record");
	must_walk(f);
	assert_int_equal(pm_survivors_count(f->survivors), 0);
	for (unsigned i = 550; i < 600; i++)
		use(f, i, "leaked record");
	must_walk(f);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	expect_class(f, 0, 50, 100);
	pm_survivors_get(f->survivors, 0, &class);
	assert_int_equal(class.chunks->text_length, strlen("leaked record #"));
	assert_memory_equal(class.chunks->text, "leaked record #", strlen("leaked record #"));
	assert_int_equal(pm_survivors_total(f->survivors, 0).count, 500);
	assert_int_equal(pm_survivors_total(f->survivors, 1).count, 550);
	assert_int_equal(pm_survivors_total(f->survivors, 2).count, 600);
	assert_int_equal(pm_survivors_total(f->survivors, 3).count, 0);
}

/** Everything is freed and allocated again, also at the same addresses. */
static void churn(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 100; i++)
		use(f, i, "first");
	must_walk(f);
	for (unsigned i = 0; i < 200; i++)
		use(f, i, "second");
	must_walk(f);
	for (unsigned i = 0; i < 100; i++)
		use(f, i, "third");
	for (unsigned i = 100; i < 200; i++)
		f->used[i] = false;
	must_walk(f);

	assert_int_equal(pm_survivors_count(f->survivors), 0);
}

/** A chunk that was freed, and allocated again at the same address, is new. */
static void addresses_that_are_used_again(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 100; i++)
		use(f, i, "request");
	must_walk(f);
	for (unsigned i = 10; i < 17; i++)
		use(f, i, "leaked record");
	must_walk(f);
	must_walk(f);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	expect_class(f, 0, 7, 0);
}

/** A cache is filled, emptied in part, and filled again: the decrease is known. */
static void chunks_that_fall_between_walks(void **state)
{
	struct fixture *f = *state;
	struct pm_survivor_class class;

	for (unsigned i = 0; i < 100; i++)
		use(f, i, "row");
	must_walk(f);
	for (unsigned i = 100; i < 300; i++)
		use(f, i, "row");
	must_walk(f);
	for (unsigned i = 200; i < 270; i++)
		f->used[i] = false;
	must_walk(f);

	expect_class(f, 0, 130, 130);
	pm_survivors_get(f->survivors, 0, &class);
	assert_int_equal(class.fall_count, 70);
}

/** The elements of a list point to their neighbours, which change. */
static void pointers_may_change(void **state)
{
	struct fixture *f = *state;
	uint64_t pointer = BASE + 3 * SIZE + HEADER;

	use(f, 0, "old");
	must_walk(f);
	for (unsigned i = 1; i < 11; i++) {
		use(f, i, "element");
		memcpy(slot(f, i) + 24, &pointer, sizeof pointer);
	}
	must_walk(f);
	for (unsigned i = 1; i < 11; i++) {
		pointer += SIZE;
		memcpy(slot(f, i) + 24, &pointer, sizeof pointer);
	}
	/* Another word changes. */
	memset(slot(f, 10) + 32, 1, 8);
	must_walk(f);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	expect_class(f, 0, 9, 10);
}

/** What broken chains of chunks hid in the first walk is not new in the second. */
static void skipped_chunks_are_not_new(void **state)
{
	struct fixture *f = *state;

	/* More breaks than pm_heap.breaks has */
	f->skipped = 3 * PM_HEAP_BREAKS_MAX;
	must_walk(f);
	f->skipped = 0;
	for (unsigned i = 0; i < 6 * PM_HEAP_BREAKS_MAX; i += 2)
		use(f, i, "hidden");
	for (unsigned i = 0; i < 5; i++)
		use(f, 1 + i * 2, "new");
	must_walk(f);
	must_walk(f);

	assert_true(pm_survivors_are_certain(f->survivors));
	assert_int_equal(pm_survivors_count(f->survivors), 1);
	expect_class(f, 0, 5, 5 + 3 * PM_HEAP_BREAKS_MAX);
}

/** Chunks whose addresses are not known can be hidden, too. */
static void uncertain_survivors(void **state)
{
	struct fixture *f = *state;

	assert_true(pm_survivors_are_certain(f->survivors));
	f->damaged = true;
	must_walk(f);
	assert_false(pm_survivors_are_certain(f->survivors));
	f->damaged = false;
	must_walk(f);
	must_walk(f);
	assert_false(pm_survivors_are_certain(f->survivors));
}

static void only_three_walks(void **state)
{
	struct fixture *f = *state;
	struct pm_error error;

	for (unsigned i = 0; i < PM_SURVIVORS_WALKS; i++)
		must_walk(f);
	assert_int_equal(walk(f, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);
	assert_int_equal(pm_survivors_count(f->survivors), 0);
	pm_survivors_close(NULL);
}

static void the_target_is_gone(void **state)
{
	struct fixture *f = *state;
	struct pm_error error;

	use(f, 0, "old");
	f->target.gone = true;
	assert_int_equal(walk(f, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
}

/** Opens a heap of the slots, which stays open. */
static void open_slots(struct fixture *f, struct pm_heap_handle *heap)
{
	struct pm_error error;

	*heap = (struct pm_heap_handle){ .source = f->source, .opened_ns = f->opened_ns };
	f->opened_ns += 1000000000;
	must(pm_heap_window_open(&heap->source, &heap->window, &error), &error);
	heap->index.header = HEADER;
	heap->index.overlap = 8;
	assert_non_null(
		pm_heap_index_add_segment(&heap->index, BASE, BASE + SLOTS * SIZE, 0, &error));
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t size = SIZE | 1;

		pm_heap_index_add(&heap->index, BASE + (uint64_t)i * SIZE, SIZE,
		                  f->used[i] ? PM_CHUNK_IN_USE : PM_CHUNK_FREE);
		memcpy(slot(f, i) - 8, &size, sizeof size);
	}
	must(pm_heap_index_finish(&heap->index, &error), &error);
	heap->result.chunk_count = heap->index.chunks;
}

static void close_slots(struct pm_heap_handle *heap)
{
	pm_heap_window_close(heap->window);
	pm_heap_index_deinit(&heap->index);
}

/** Only new chunks are read; those that are freed or overwritten before the third walk are not
 * counted. */
static void sparse_walks(void **state)
{
	struct fixture *f = *state;
	struct pm_heap_handle first, second;
	struct pm_survivor_class class;
	struct pm_error error;
	uint64_t free_size = SIZE;

	pm_survivors_set_sparse(f->survivors);
	for (unsigned i = 0; i < 500; i++)
		use(f, i, "old");
	open_slots(f, &first);
	must(pm_survivors_walk(f->survivors, &first.result, &error), &error);
	for (unsigned i = 600; i < 660; i++)
		use(f, i, "leaked record");
	for (unsigned i = 0; i < 10; i++)
		f->used[i] = false;
	open_slots(f, &second);
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&first);

	/* malloc has freed 605 (the header after it says so), and the program has changed 606. */
	memcpy(slot(f, 606) - 8, &free_size, sizeof free_size);
	use(f, 606, "another");
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&second);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	expect_class(f, 0, 58, 50);
	pm_survivors_get(f->survivors, 0, &class);
	assert_true(class.rate > 57.9 && class.rate < 58.1);
	assert_memory_equal(class.chunks->text, "leaked record #", strlen("leaked record #"));
}

/** If new chunks disappear again, a number that grows a little can do so by chance. */
static void sparse_walks_of_a_heap_that_changes(void **state)
{
	struct fixture *f = *state;
	struct pm_heap_handle first, second;
	struct pm_survivor_class class;
	struct pm_error error;

	pm_survivors_set_sparse(f->survivors);
	for (unsigned i = 0; i < 1000; i++)
		use(f, i * 2, "old");
	open_slots(f, &first);
	must(pm_survivors_walk(f->survivors, &first.result, &error), &error);
	for (unsigned i = 0; i < 300; i++)
		use(f, i * 2 + 1, "new");
	for (unsigned i = 0; i < 250; i++)
		f->used[i * 2] = false;
	open_slots(f, &second);
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&first);

	/* Half of the new ones have other contents: they were freed, and allocated again. */
	for (unsigned i = 0; i < 150; i++)
		use(f, i * 2 + 1, "newer");
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&second);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	pm_survivors_get(f->survivors, 0, &class);
	assert_int_equal(class.chunks->count, 150);
	assert_false(class.net_known);
}

/** Chunks of a peak are in use in two walks; at the third, even their places are free. */
static void sparse_walks_of_a_peak(void **state)
{
	struct fixture *f = *state;
	struct pm_heap_handle first, second;
	struct pm_survivor_class class;
	struct pm_error error;
	uint64_t free_before = SIZE;

	pm_survivors_set_sparse(f->survivors);
	for (unsigned i = 0; i < 1000; i++)
		use(f, i * 2, "old");
	open_slots(f, &first);
	must(pm_survivors_walk(f->survivors, &first.result, &error), &error);
	for (unsigned i = 0; i < 600; i++)
		use(f, i * 2 + 1, "cached row");
	open_slots(f, &second);
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&first);

	for (unsigned i = 0; i < 400; i++)
		memcpy(slot(f, i * 2 + 2) - 8, &free_before, sizeof free_before);
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&second);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	pm_survivors_get(f->survivors, 0, &class);
	assert_int_equal(class.chunks->count, 200);
	assert_false(class.net_known);
}

/** Other chunks are in the places of most new ones, which a queue has freed: the number grows. */
static void sparse_walks_of_a_queue_that_grows(void **state)
{
	struct fixture *f = *state;
	struct pm_heap_handle first, second;
	struct pm_survivor_class class;
	struct pm_error error;

	pm_survivors_set_sparse(f->survivors);
	for (unsigned i = 0; i < 1000; i++)
		use(f, i * 2, "old");
	open_slots(f, &first);
	must(pm_survivors_walk(f->survivors, &first.result, &error), &error);
	for (unsigned i = 0; i < 600; i++)
		use(f, i * 2 + 1, "row");
	open_slots(f, &second);
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&first);

	for (unsigned i = 0; i < 400; i++)
		use(f, i * 2 + 1, "other row");
	must(pm_survivors_walk(f->survivors, &second.result, &error), &error);
	close_slots(&second);

	assert_int_equal(pm_survivors_count(f->survivors), 1);
	pm_survivors_get(f->survivors, 0, &class);
	assert_int_equal(class.chunks->count, 200);
	assert_true(class.net_known);
	assert_int_equal(class.net_count, 600);
}

/** A census of a sample has the exact number of chunks of each size. */
static void census_of_a_sample(void **state)
{
	const struct pm_census_options options = { .keys = PM_CENSUS_SIZE | PM_CENSUS_TYPE,
		                                   .types = ((struct fixture *)*state)->types };
	struct fixture *f = *state;
	struct pm_heap_handle heap;
	struct pm_census *census;
	struct pm_error error;
	uint64_t read = 0;

	for (unsigned i = 0; i < 1500; i++)
		use(f, i, i % 2 ? "text" : "\1\2\3");
	open_slots(f, &heap);
	must(pm_census_create(&options, &census, &error), &error);
	must(pm_census_add_sample(census, &heap.result, 100, &read, &error), &error);
	must(pm_census_sort(census, PM_CENSUS_BY_BYTES, &error), &error);
	assert_in_range(read, 90, 110);
	assert_int_equal(pm_census_total(census).count, 1500);
	assert_int_equal(pm_census_total(census).bytes, 1500 * SIZE);
	pm_census_destroy(census);
	close_slots(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_leak, setup, teardown),
		cmocka_unit_test_setup_teardown(churn, setup, teardown),
		cmocka_unit_test_setup_teardown(addresses_that_are_used_again, setup, teardown),
		cmocka_unit_test_setup_teardown(chunks_that_fall_between_walks, setup, teardown),
		cmocka_unit_test_setup_teardown(pointers_may_change, setup, teardown),
		cmocka_unit_test_setup_teardown(skipped_chunks_are_not_new, setup, teardown),
		cmocka_unit_test_setup_teardown(uncertain_survivors, setup, teardown),
		cmocka_unit_test_setup_teardown(only_three_walks, setup, teardown),
		cmocka_unit_test_setup_teardown(the_target_is_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(sparse_walks, setup, teardown),
		cmocka_unit_test_setup_teardown(sparse_walks_of_a_heap_that_changes, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(sparse_walks_of_a_peak, setup, teardown),
		cmocka_unit_test_setup_teardown(sparse_walks_of_a_queue_that_grows, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(census_of_a_sample, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
