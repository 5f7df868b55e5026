/* SPDX-License-Identifier: MIT */
#include "heap/glibc_start.h"

/* A search ends after this number of pages that have content but cannot be read. */
enum { UNREADABLE_MAX = 65536 };

/**
 * Continues a test whether a chain starts, beyond the end of the buffer. This is rare, unless a
 * process is hostile.
 */
static int test_slowly(struct pm_glibc *glibc, const struct pm_glibc_chain *chain,
                       struct pm_glibc_start_test *test, bool *starts, struct pm_error *error)
{
	enum pm_glibc_start result = PM_GLIBC_START_UNKNOWN;

	*starts = false;
	if (glibc->slow_tests == 0)
		return 0;
	glibc->slow_tests--;

	while (result == PM_GLIBC_START_UNKNOWN) {
		unsigned char bytes[2 * PM_GLIBC_HEADER] = { 0 };
		const struct pm_glibc_buffer buffer = { test->at, test->at + sizeof bytes, bytes };
		int got = pm_heap_window_peek(glibc->heap->window, test->at, bytes, sizeof bytes,
		                              error);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		result = pm_glibc_chain_starts(chain, &buffer, test);
	}

	*starts = result == PM_GLIBC_START_YES;
	return 0;
}

/**
 * Finds the first address of a buffer, from `*at` on, at which a chain of chunks starts.
 * @param at  receives the address; the end of the buffer if there is none
 */
static int search_start(struct pm_glibc *glibc, const struct pm_glibc_chain *chain,
                        const struct pm_glibc_buffer *buffer, uint64_t *at, struct pm_error *error)
{
	for (; *at < buffer->end && buffer->end - *at >= PM_GLIBC_HEADER;
	     *at += PM_GLIBC_ALIGNMENT) {
		struct pm_glibc_start_test test = { .at = *at };
		enum pm_glibc_start result = pm_glibc_chain_starts(chain, buffer, &test);
		bool starts = result == PM_GLIBC_START_YES;

		if (result == PM_GLIBC_START_UNKNOWN &&
		    test_slowly(glibc, chain, &test, &starts, error) < 0)
			return -1;
		if (starts)
			return 0;
	}

	*at = buffer->end;
	return 0;
}

int pm_glibc_start_find(struct pm_glibc *glibc, struct pm_glibc_chain *chain, uint64_t from,
                        struct pm_error *error)
{
	uint64_t at = from;
	unsigned unreadable = 0;

	while (unreadable < UNREADABLE_MAX) {
		struct pm_glibc_buffer buffer;

		if (pm_heap_window_next(glibc->heap->window, at, chain->end, &at, error) < 0)
			return -1;
		at = (at + PM_GLIBC_ALIGNMENT - 1) & ~(uint64_t)(PM_GLIBC_ALIGNMENT - 1);
		if (at >= chain->end || chain->end - at < PM_GLIBC_HEADER)
			break;

		const void *bytes;
		size_t size;
		int got = pm_heap_window_ahead(glibc->heap->window, at, chain->end, &bytes, &size,
		                               error);
		if (got < 0)
			return -1;
		if (got == 0) {
			at = (at | (glibc->page - 1)) + 1;
			unreadable++;
			continue;
		}

		buffer = (struct pm_glibc_buffer){ at, at + size, bytes };
		if (search_start(glibc, chain, &buffer, &at, error) < 0)
			return -1;
		if (at < buffer.end) {
			chain->at = at;
			return 0;
		}
	}

	chain->at = chain->end;
	return 0;
}

int pm_glibc_start_test(struct pm_glibc *glibc, uint64_t address, uint64_t end, bool *starts,
                        struct pm_error *error)
{
	const struct pm_glibc_chain chain = { .end = end,
		                              .top = glibc->arenas[0].top,
		                              .main = true };
	struct pm_glibc_start_test test = { .at = address };

	return test_slowly(glibc, &chain, &test, starts, error);
}
