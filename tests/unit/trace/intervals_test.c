/* SPDX-License-Identifier: MIT */
/*
 * The list of intervals against a plain array of pages: random operations on both, with the same
 * content after each operation.
 */
#include "trace/intervals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/target.h"

enum { PAGES = 300, STEPS = 30000, OWNERS = 4 };

/* The first page of the array has this address, to have numbers above 32 bits. */
static const uint64_t base = (uint64_t)0x7f0000000000;

/** The plain array: the owner of each page as a number from 1; 0 if the page is not in the list. */
struct pages {
	unsigned char owner[PAGES];
};

static struct pm_trace_owner owner_of(unsigned number)
{
	return (struct pm_trace_owner){
		.stack = number / 2,
		.thread = 7,
		.before = number % 2 == 1,
	};
}

static unsigned number_of(struct pm_trace_owner owner)
{
	return owner.stack * 2 + (owner.before ? 1 : 0);
}

static struct pm_range range_of(size_t first, size_t last)
{
	return (struct pm_range){ base + first * 4096, base + last * 4096 };
}

static struct pm_range random_range(size_t *first, size_t *last)
{
	*first = (size_t)rand() % PAGES;
	*last = *first + (size_t)rand() % (PAGES - *first + 1);
	/* Short ranges leave more intervals. */
	if (rand() % 4 != 0 && *last > *first + 8)
		*last = *first + 8;

	return range_of(*first, *last);
}

/** Compares all of the list with the array. Intervals with the same owner must not touch. */
static void expect_equal(const struct pm_trace_intervals *list, const struct pages *pages)
{
	struct pm_trace_interval interval;
	size_t count = 0;
	uint64_t at = 0;
	struct pages found = { { 0 } };

	for (unsigned last = 0; pm_trace_intervals_find(list, at, &interval); count++) {
		struct pm_range range = interval.range;
		unsigned number = number_of(interval.owner);

		assert_true(range.start >= at && range.start < range.end);
		assert_true(range.start > at || number != last);
		for (uint64_t page = range.start; page < range.end; page += 4096)
			found.owner[(page - base) / 4096] = (unsigned char)number;
		at = range.end;
		last = number;
	}

	assert_memory_equal(&found, pages, sizeof found);
	assert_int_equal(count, pm_trace_intervals_count(list));
}

/** Moves the pieces of a range, as mremap(2) does. */
static void move(struct pm_trace_intervals *list, struct pages *pages)
{
	struct pm_trace_pieces pieces = { 0 };
	struct pages moved = *pages;
	struct pm_error error;
	size_t first, last;
	struct pm_range from = random_range(&first, &last);
	size_t to = (size_t)rand() % (PAGES - (last - first) + 1);

	must(pm_trace_intervals_copy(list, from, &pieces, &error), &error);
	must(pm_trace_intervals_cut(list, from, &error), &error);
	must(pm_trace_intervals_cut(list, range_of(to, to + last - first), &error), &error);
	for (size_t i = 0; i < pieces.count; i++) {
		struct pm_range range = pieces.items[i].range;

		range.start = range.start - from.start + base + to * 4096;
		range.end = range.end - from.start + base + to * 4096;
		must(pm_trace_intervals_set(list, range, pieces.items[i].owner, &error), &error);
	}

	memset(moved.owner + first, 0, last - first);
	memcpy(moved.owner + to, pages->owner + first, last - first);
	*pages = moved;
	free(pieces.items);
}

static void step(struct pm_trace_intervals *list, struct pages *pages)
{
	struct pm_error error;
	size_t first, last;
	struct pm_range range = random_range(&first, &last);
	unsigned owner = 1 + (unsigned)rand() % OWNERS;

	switch (rand() % 5) {
	case 0:
		must(pm_trace_intervals_cut(list, range, &error), &error);
		memset(pages->owner + first, 0, last - first);
		break;
	case 1:
		must(pm_trace_intervals_fill(list, range, owner_of(owner), &error), &error);
		for (size_t i = first; i < last; i++)
			if (pages->owner[i] == 0)
				pages->owner[i] = (unsigned char)owner;
		break;
	case 2:
		move(list, pages);
		break;
	default:
		must(pm_trace_intervals_set(list, range, owner_of(owner), &error), &error);
		memset(pages->owner + first, (int)owner, last - first);
	}
}

static void random_operations_match_an_array_of_pages(void **state)
{
	(void)state;
	struct pm_trace_intervals *list;
	struct pages pages = { { 0 } };
	struct pm_error error;

	srand(14);
	must(pm_trace_intervals_open(&list, &error), &error);
	for (int i = 0; i < STEPS; i++) {
		step(list, &pages);
		expect_equal(list, &pages);
	}

	pm_trace_intervals_clear(list);
	assert_int_equal(pm_trace_intervals_count(list), 0);
	pm_trace_intervals_close(list);
}

static void many_steps_of_one_stack_are_one_interval(void **state)
{
	(void)state;
	const struct pm_trace_owner owner = { .stack = 5, .thread = 1 };
	struct pm_trace_interval interval;
	struct pm_trace_intervals *list;
	struct pm_error error;

	must(pm_trace_intervals_open(&list, &error), &error);
	for (size_t i = 0; i < 100000; i++)
		must(pm_trace_intervals_set(list, range_of(i, i + 1), owner, &error), &error);

	assert_int_equal(pm_trace_intervals_count(list), 1);
	assert_true(pm_trace_intervals_find(list, base, &interval));
	assert_int_equal(interval.range.end, base + (uint64_t)100000 * 4096);
	pm_trace_intervals_close(list);
}

/** Ascending addresses are the worst case of a tree that is not balanced: its depth is its size. */
static void ascending_intervals_do_not_make_the_tree_deep(void **state)
{
	(void)state;
	enum { COUNT = 1000000 };
	struct pm_trace_intervals *list;
	struct pm_error error;

	must(pm_trace_intervals_open(&list, &error), &error);
	for (size_t i = 0; i < COUNT; i++) {
		const struct pm_trace_owner owner = { .stack = (uint32_t)(i % 2) };
		must(pm_trace_intervals_set(list, range_of(i, i + 1), owner, &error), &error);
	}

	assert_int_equal(pm_trace_intervals_count(list), COUNT);
	must(pm_trace_intervals_cut(list, range_of(1, COUNT - 1), &error), &error);
	assert_int_equal(pm_trace_intervals_count(list), 2);
	pm_trace_intervals_close(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations_match_an_array_of_pages),
		cmocka_unit_test(many_steps_of_one_stack_are_one_interval),
		cmocka_unit_test(ascending_intervals_do_not_make_the_tree_deep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
