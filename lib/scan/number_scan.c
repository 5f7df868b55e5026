/* SPDX-License-Identifier: MIT */
/*
 * Each test has a function that finds the next block in which a number can start
 * (number_find.h). The numbers of the lowest of these blocks are then tested one by one, by all
 * tests, so that the hits are in the order of their addresses. A number that ends after the
 * readable bytes is tested when the window has grown.
 */
#include "scan/number_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"
#include "scan/number_find.h"
#include "scan/scanner.h"

_Static_assert(PM_NUMBER_TESTS_MAX <= PM_STREAMS, "each test has a stream");

struct number_scanner {
	struct pm_scanner scanner;
	bool aligned;
	size_t count;
	size_t size_max; /* size of the largest number */
	struct pm_number_test tests[PM_NUMBER_TESTS_MAX];
	pm_number_find *find[PM_NUMBER_TESTS_MAX];
};

struct number_thread {
	const struct number_scanner *search;
	/* For each test, the offset of the next block to test number by number. */
	size_t next[PM_NUMBER_TESTS_MAX];
	/* For each test, the offset after the last one at which a number ends in the readable
	 * bytes. */
	size_t ends[PM_NUMBER_TESTS_MAX];
};

/** Returns the first offset from `from` on that the test has to test. */
static size_t align(const struct number_scanner *search, size_t test,
                    const struct pm_window *window, size_t from)
{
	if (!search->aligned)
		return from;
	return from + (size_t)(-(window->address + from) & (search->tests[test].size - 1u));
}

/** Finds the next block of a test, from an offset on. */
static void find_next(struct number_thread *thread, size_t test, const struct pm_window *window,
                      size_t from)
{
	const struct number_scanner *search = thread->search;
	size_t end = thread->ends[test];

	from = align(search, test, window, from);
	if (from < end)
		from = search->find[test](&search->tests[test], window->bytes, from, end);
	thread->next[test] = from < end ? from : SIZE_MAX;
}

/** Adds the number at an offset if a test accepts it. */
static int test_one(const struct number_thread *thread, size_t test, const struct pm_window *window,
                    size_t at, struct pm_hits *hits, struct pm_error *error)
{
	const struct number_scanner *search = thread->search;
	const struct pm_number_test *number = &search->tests[test];

	if (at >= thread->ends[test] || at < window->from[test] ||
	    align(search, test, window, at) != at ||
	    !pm_number_test_matches(number, window->bytes + at))
		return 0;

	const struct pm_found found = { .start = at,
		                        .size = number->size,
		                        .attempt = at,
		                        .source = (uint32_t)test,
		                        .encoding = PM_ENCODING_8BIT,
		                        .stream = (uint8_t)test };
	return pm_hits_add(hits, &found, error);
}

/** Tests all numbers that start in `[from, to)`. */
static int test_block(const struct number_thread *thread, const struct pm_window *window,
                      size_t from, size_t to, struct pm_hits *hits, struct pm_error *error)
{
	for (size_t at = from; at < to; at++)
		for (size_t i = 0; i < thread->search->count; i++)
			if (test_one(thread, i, window, at, hits, error) < 0)
				return -1;
	return 0;
}

/** Returns the lowest of the next blocks of all tests, or SIZE_MAX. */
static size_t lowest(const struct number_thread *thread)
{
	size_t at = SIZE_MAX;
	for (size_t i = 0; i < thread->search->count; i++)
		at = pm_min_size(at, thread->next[i]);
	return at;
}

/**
 * Searches the numbers that start in `[from, to)`.
 * @return 0: done; 1: stopped by pm_hits.consume; -1: an error
 */
static int scan_range(struct number_thread *thread, const struct pm_window *window, size_t from,
                      size_t to, struct pm_hits *hits, struct pm_error *error)
{
	const struct number_scanner *search = thread->search;
	size_t readable = pm_window_end(window), at;

	for (size_t i = 0; i < search->count; i++) {
		size_t size = search->tests[i].size;
		thread->ends[i] = readable < size ? 0 : pm_min_size(to, readable - size + 1);
		find_next(thread, i, window, from);
	}

	while ((at = lowest(thread)) != SIZE_MAX) {
		/* The block of another test may start within this one, so the next search starts
		 * after this block in all tests. */
		size_t next = pm_min_size(at + PM_NUMBER_BLOCK, to);
		if (test_block(thread, window, at, next, hits, error) < 0)
			return -1;

		for (size_t i = 0; i < search->count; i++)
			if (thread->next[i] < next)
				find_next(thread, i, window, next);

		if (hits->count < PM_HITS_MAX)
			continue;
		int result = pm_hits_flush(hits, window, error);
		if (result)
			return result;
	}

	return pm_hits_flush(hits, window, error);
}

static int scan(void *context, struct pm_window *window, struct pm_hits *hits,
                struct pm_scan_counts *counts, struct pm_error *error)
{
	struct number_thread *thread = context;
	size_t overhang = thread->search->size_max - 1, from = 0;

	(void)counts;
	for (;;) {
		size_t readable = pm_window_end(window), to = window->size;
		if (window->more)
			to = pm_min_size(to, readable - pm_min_size(readable, overhang));

		int result = 0;
		if (from < to)
			result = scan_range(thread, window, from, to, hits, error);
		if (result || to == window->size)
			return result;

		int grown = pm_window_grow(window, to, error);
		if (grown < 0)
			return -1;
		if (!grown)
			return scan_range(thread, window, to, window->size, hits, error);
		from = 0;
	}
}

static void *open_thread(const struct pm_scanner *scanner, struct pm_error *error)
{
	struct number_thread *thread = calloc(1, sizeof *thread);
	if (!thread) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	thread->search = (const struct number_scanner *)scanner;
	return thread;
}

static void destroy(struct pm_scanner *scanner)
{
	free(scanner);
}

static const struct pm_scanner_ops number_ops = {
	.open = open_thread, .close = free, .scan = scan, .destroy = destroy
};

/** Adds a test to a scanner. */
static void add_test(struct number_scanner *scanner, const struct pm_number_test *test,
                     enum pm_simd simd)
{
	static const uint8_t zeros[PM_NUMBER_SIZE_MAX];

	scanner->tests[scanner->count] = *test;
	scanner->find[scanner->count++] = pm_number_find_for(test, scanner->aligned, simd);
	scanner->size_max = pm_max_size(scanner->size_max, test->size);

	/* The first bytes of a number that is not aligned can be the last bytes of a page of
	 * zeros. */
	if (!scanner->aligned || pm_number_test_matches(test, zeros))
		scanner->scanner.starts_in_zeros = true;
}

int pm_number_scanner_create_with(const struct pm_number_test *tests, size_t count, bool aligned,
                                  enum pm_simd simd, struct pm_scanner **scanner,
                                  struct pm_error *error)
{
	bool valid = count > 0 && count <= PM_NUMBER_TESTS_MAX;
	for (size_t i = 0; valid && i < count; i++)
		valid = pm_number_test_is_valid(&tests[i]);
	if (!valid)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "a search for numbers needs 1 to %d valid types and ranges, "
		                    "but has %zu",
		                    PM_NUMBER_TESTS_MAX, count);

	struct number_scanner *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->scanner = (struct pm_scanner){ .ops = &number_ops, .overlaps = true };
	made->aligned = aligned;
	for (size_t i = 0; i < count; i++)
		add_test(made, &tests[i], simd);

	*scanner = &made->scanner;
	return 0;
}

int pm_number_scanner_create(const struct pm_number_test *tests, size_t count, bool aligned,
                             struct pm_scanner **scanner, struct pm_error *error)
{
	return pm_number_scanner_create_with(tests, count, aligned, pm_simd_best(), scanner, error);
}
