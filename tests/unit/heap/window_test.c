/* SPDX-License-Identifier: MIT */
#include "heap/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/minmax.h"
#include "reader/fake_reader.h"

enum { PAGE = 4096, PAGES = 4000 };

static const uint64_t base = 0x10000000;

/** A target with one region. The state of each page is a character: see page_state(). */
struct fixture {
	unsigned char bytes[PAGES * PAGE];
	char states[PAGES];
	bool read[PAGES]; /* whether a page was read */
	unsigned walks, reads;
	bool walk_fails;
	struct pm_regions regions;
	struct pm_fake_range range;
	struct pm_fake_target target;
	struct pm_reader fake, reader;
	struct pm_page_source pages;
	struct pm_heap_source source;
	struct pm_heap_window *window;
	sig_atomic_t cancel;
};

/** Returns the page state of a character; 0 for a page that was never touched. */
static unsigned page_state(char c)
{
	switch (c) {
	case 'p':
		return PM_PAGE_PRESENT;
	case 's':
		return PM_PAGE_SWAPPED;
	case 'z':
		return PM_PAGE_PRESENT | PM_PAGE_ZERO;
	case 'g':
		return PM_PAGE_GUARD;
	default:
		return 0;
	}
}

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	struct fixture *f = context;

	f->walks++;
	if (f->walk_fails)
		return pm_error_set(error, PM_ERROR_IO, 0, "no page states");

	assert_int_equal(start % PAGE, 0);
	for (uint64_t at = start; at < end && at < base + sizeof f->bytes; at += PAGE) {
		struct pm_page_run run = { at, at + PAGE,
			                   page_state(f->states[(at - base) / PAGE]) };
		int result = run.state ? visit(visitor, &run) : 0;
		if (result)
			return result;
	}

	return 0;
}

/** Notes which pages are read, and fails the test if a page must not be read. */
static int watched_read(void *context, const struct pm_range *ranges, size_t count, void *buffer,
                        size_t *done, struct pm_error *error)
{
	struct fixture *f = context;

	f->reads++;
	for (size_t i = 0; i < count; i++)
		for (uint64_t at = ranges[i].start; at < ranges[i].end; at += PAGE) {
			size_t page = (size_t)((at - base) / PAGE);

			if (f->source.pages)
				assert_true(f->states[page] == 'p' || f->states[page] == 's');
			f->read[page] = true;
		}

	return f->fake.ops->read(f->fake.context, ranges, count, buffer, done, error);
}

static void nothing(void *context)
{
	(void)context;
}

static int setup(void **state)
{
	static const struct pm_reader_ops ops = { watched_read, nothing };
	struct fixture *f = calloc(1, sizeof *f);
	const struct pm_region region = { .start = base,
		                          .end = base + sizeof f->bytes,
		                          .perms = PM_PERM_READ | PM_PERM_WRITE,
		                          .mapping = "" };

	for (size_t i = 0; i < sizeof f->bytes; i++)
		f->bytes[i] = (unsigned char)(1 + i / PAGE * 7 + i % 251);
	memset(f->states, 'p', sizeof f->states);
	f->range = (struct pm_fake_range){ base, f->bytes, sizeof f->bytes };
	f->target = (struct pm_fake_target){ .ranges = &f->range, .count = 1 };
	f->fake = pm_fake_reader(&f->target);
	f->reader = (struct pm_reader){ &ops, f };
	f->pages = (struct pm_page_source){ walk, f, PM_SEGMENT_HOLE };

	pm_regions_init(&f->regions);
	assert_int_equal(pm_regions_append(&f->regions, &region, NULL), 0);
	f->source = (struct pm_heap_source){ .regions = &f->regions,
		                             .reader = &f->reader,
		                             .pages = &f->pages,
		                             .cancel = &f->cancel };
	assert_int_equal(pm_heap_window_open(&f->source, &f->window, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	pm_heap_window_close(f->window);
	pm_regions_deinit(&f->regions);
	free(f);
	return 0;
}

/** Expects that bytes are available, and that pages without content are zeros. */
static void expect_bytes(struct fixture *f, uint64_t address, size_t size, uint64_t end)
{
	const void *bytes = NULL;
	assert_int_equal(pm_heap_window_at(f->window, address, size, end, &bytes, NULL), 1);
	for (size_t i = 0; i < size; i++) {
		size_t offset = (size_t)(address - base) + i;
		char page = f->states[offset / PAGE];
		bool zero = page == '.' || page == 'z';

		assert_int_equal(((const unsigned char *)bytes)[i], zero ? 0 : f->bytes[offset]);
	}
}

static void expect_none(struct fixture *f, uint64_t address, size_t size, uint64_t end)
{
	const void *bytes = NULL;
	assert_int_equal(pm_heap_window_at(f->window, address, size, end, &bytes, NULL), 0);
	assert_null(bytes);
}

static void ascending_addresses_are_read_once(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + 600 * PAGE;

	for (uint64_t at = base + 16; at + 16 <= end; at += 48)
		expect_bytes(f, at, 16, end);

	/* 2.4 MiB in pieces of 1 MiB. */
	assert_in_range(f->reads, 3, 4);
	assert_int_equal(f->walks, 1);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(f->read[i], i < 600);
}

static void nothing_is_read_beyond_the_end(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + 3 * PAGE + 100;

	expect_bytes(f, base + 50, 100, end);
	expect_bytes(f, end - 16, 16, end);
	expect_none(f, end - 16, 17, end);
	expect_none(f, end, 1, end);
	expect_none(f, end + 1, 1, end);
	expect_none(f, UINT64_MAX - 15, 16, UINT64_MAX);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(f->read[i], i < 4);
}

static void size_of_a_call(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes;

	expect_bytes(f, base + PAGE - 1, PM_HEAP_WINDOW_SIZE, end);
	expect_none(f, base, PM_HEAP_WINDOW_SIZE + 1, end);
	expect_none(f, end - 16, 32, end + PAGE);
}

static void untouched_pages(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes;

	memcpy(f->states, "pp..pzsp", 8);
	expect_bytes(f, base, 2 * PAGE, end);
	expect_none(f, base + 2 * PAGE, 16, end);
	expect_none(f, base + 2 * PAGE + 4000, 200, end);
	expect_none(f, base + 5 * PAGE, 16, end);
	expect_bytes(f, base + 2 * PAGE - 16, 32, end);
	expect_bytes(f, base + PAGE, 7 * PAGE, end);
	expect_bytes(f, base + 6 * PAGE, PAGE, end);
	assert_false(f->read[2] || f->read[3] || f->read[5]);
}

static void guard_pages_end_the_bytes(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes;

	f->states[3] = 'g';
	expect_bytes(f, base, 3 * PAGE, end);
	expect_none(f, base, 3 * PAGE + 1, end);
	expect_none(f, base + 3 * PAGE, 1, end);
	expect_bytes(f, base + 4 * PAGE, 1, end);
}

static void unreadable_bytes_end_the_bytes(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes;
	const struct pm_fake_range ranges[] = { { base, f->bytes, 5000 },
		                                { base + 6000, f->bytes + 6000, 10000 } };

	f->target.ranges = ranges;
	f->target.count = 2;
	expect_bytes(f, base, 5000, end);
	expect_none(f, base, 5001, end);
	expect_bytes(f, base + 2 * PAGE, 100, end);

	char buffer[100];
	assert_int_equal(pm_heap_window_peek(f->window, base + 4900, buffer, 100, NULL), 1);
	assert_int_equal(pm_heap_window_peek(f->window, base + 4950, buffer, 100, NULL), 0);
}

static void core_files(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes, word;

	/* What is missing in a core file is not known to be zeros. */
	f->pages.untouched = PM_SEGMENT_MISSING;
	memcpy(f->states, "p.p", 3);
	expect_bytes(f, base, PAGE, end);
	expect_none(f, base + PAGE - 16, 32, end);

	/* Without page states, all pages are read. */
	f->source.pages = NULL;
	memset(f->states, 'p', sizeof f->states);
	pm_heap_window_forget(f->window);
	expect_bytes(f, base + PAGE - 16, 32, end);
	expect_none(f, base - PAGE, 16, end);
	assert_int_equal(pm_heap_window_word(f->window, base + PAGE, &word, NULL), 1);
	assert_int_equal(pm_heap_window_word(f->window, end, &word, NULL), 0);
}

static void devices_are_not_read(void **state)
{
	struct fixture *f = *state;
	uint64_t word;

	f->regions.items[0].vm_flags = PM_VM_KNOWN | PM_VM_IO;
	expect_none(f, base, 16, base + PAGE);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, NULL), 0);
	assert_int_equal(f->reads, 0);
}

static void forgotten_bytes_are_read_again(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes, word;

	expect_bytes(f, base, 16, end);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, NULL), 1);
	memset(f->bytes, 9, PAGE);
	f->states[1] = 'g';

	const void *bytes;
	assert_int_equal(pm_heap_window_at(f->window, base, 1, end, &bytes, NULL), 1);
	assert_int_not_equal(*(const char *)bytes, 9);
	pm_heap_window_forget(f->window);
	expect_bytes(f, base, 16, end);
	expect_none(f, base + PAGE, 16, end);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, NULL), 1);
	assert_int_equal(word, UINT64_C(0x0909090909090909));
}

static void words_anywhere(void **state)
{
	struct fixture *f = *state;
	uint64_t random = 88172645463325252u;

	memcpy(f->states + 10, "..zg", 4);
	for (unsigned i = 0; i < 20000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;

		size_t offset = random % (sizeof f->bytes + 100), size = random >> 40 & 63;
		unsigned char buffer[64];
		bool readable = offset + size <= sizeof f->bytes;

		for (size_t page = offset / PAGE; size && page <= (offset + size - 1) / PAGE;
		     page++)
			readable = readable && page < PAGES && f->states[page] == 'p';
		readable = readable || size == 0;
		assert_int_equal(pm_heap_window_peek(f->window, base + offset, buffer, size, NULL),
		                 readable);
		if (readable)
			assert_memory_equal(buffer, f->bytes + offset, size);
	}
}

static void repeated_words_are_read_once(void **state)
{
	struct fixture *f = *state;
	uint64_t word;

	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(pm_heap_window_word(f->window,
		                                     base + i % 60 * PAGE + i % 500 * 8 + 4, &word,
		                                     NULL),
		                 1);
	assert_int_equal(f->reads, 60);
	assert_int_equal(pm_heap_window_peek(f->window, base, &word, PAGE + 1, NULL), 0);
	assert_int_equal(pm_heap_window_peek(f->window, UINT64_MAX - 3, &word, 8, NULL), 0);
}

/** Expects that pm_heap_window_ahead() makes at least `least` bytes available. */
static size_t expect_ahead(struct fixture *f, uint64_t address, uint64_t end, size_t least)
{
	const void *bytes;
	size_t size = 0;

	assert_int_equal(pm_heap_window_ahead(f->window, address, end, &bytes, &size, NULL), 1);
	assert_in_range(size, least, PM_HEAP_WINDOW_SIZE + PAGE);
	size_t part = pm_min_size(size, 64), last = size - part;
	assert_memory_equal(bytes, f->bytes + (address - base), part);
	assert_memory_equal((const char *)bytes + last, f->bytes + (address - base) + last, part);
	return size;
}

static void page_states_of_a_stopped_process_are_fetched_in_blocks(void **state)
{
	enum { BLOCK_PAGES = 512 };
	struct fixture *f = *state;
	uint64_t word;

	f->source.stopped = true;
	memset(f->states + PAGES - 10, '.', 5);
	for (size_t page = PAGES; page-- > 0;) {
		int expected = f->states[page] == 'p';
		assert_int_equal(pm_heap_window_word(f->window, base + page * PAGE, &word, NULL),
		                 expected);
	}

	assert_int_equal(f->walks, (PAGES + BLOCK_PAGES - 1) / BLOCK_PAGES);
}

static void bytes_ahead_are_read_once(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + 600 * PAGE + 100;

	for (uint64_t at = base; at < end; at += 48)
		expect_ahead(f, at, end, pm_min_size(PAGE, (size_t)(end - at)));
	assert_in_range(f->reads, 3, 4);

	const void *bytes;
	size_t size;
	assert_int_equal(pm_heap_window_ahead(f->window, end, end, &bytes, &size, NULL), 0);
	assert_int_equal(expect_ahead(f, base + 16, base + 64, 48), 48);
}

static void bytes_ahead_end_at_gaps(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes;
	const void *bytes;
	size_t size;

	memcpy(f->states, "ppg.p", 5);
	for (size_t i = 0; i < 2 * PAGE; i++)
		assert_int_equal(expect_ahead(f, base + i, end, 1), 2 * PAGE - i);
	assert_int_equal(f->reads, 1);

	for (uint64_t at = base + 2 * PAGE; at < base + 4 * PAGE; at += PAGE / 2)
		assert_int_equal(pm_heap_window_ahead(f->window, at, end, &bytes, &size, NULL), 0);
	expect_ahead(f, base + 4 * PAGE, end, PAGE);

	/* Bytes that were read are read again, with the page states that were known. */
	memset(f->bytes, 9, PAGE);
	pm_heap_window_forget_bytes(f->window);
	assert_int_equal(expect_ahead(f, base, end, 1), 2 * PAGE);
	assert_int_equal(f->walks, 1);
}

static void gaps_are_skipped(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes, next;

	memset(f->states, '.', sizeof f->states);
	f->states[5] = 'g';
	f->states[PAGES - 2] = 'p';
	assert_int_equal(
		pm_heap_window_next(f->window, base - (UINT64_C(1) << 24), end, &next, NULL), 0);
	assert_int_equal(next, end - 2 * PAGE);
	assert_int_equal(pm_heap_window_next(f->window, next + 8, end, &next, NULL), 0);
	assert_int_equal(next, end - 2 * PAGE + 8);
	assert_int_equal(pm_heap_window_next(f->window, end - PAGE, end, &next, NULL), 0);
	assert_int_equal(next, end);
	assert_int_equal(pm_heap_window_next(f->window, end - PAGE, UINT64_C(1) << 46, &next, NULL),
	                 0);
	assert_int_equal(next, UINT64_C(1) << 46);
	assert_int_equal(f->reads, 0);
}

static void errors(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes, word;
	struct pm_error error = { 0 };
	const void *bytes;

	f->target.gone = true;
	assert_int_equal(pm_heap_window_at(f->window, base, 16, end, &bytes, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, &error), -1);

	f->target.gone = false;
	f->walk_fails = true;
	pm_heap_window_forget(f->window);
	assert_int_equal(pm_heap_window_at(f->window, base, 16, end, &bytes, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_IO);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, &error), -1);

	f->walk_fails = false;
	f->cancel = 1;
	assert_int_equal(pm_heap_window_at(f->window, base, 16, end, &bytes, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, &error), -1);

	/* After an error, nothing wrong is left in the buffer. A short read is not an error. */
	f->cancel = 0;
	f->target.count = 0;
	error.kind = PM_ERROR_NONE;
	assert_int_equal(pm_heap_window_at(f->window, base, 16, end, &bytes, &error), 0);
	assert_int_equal(pm_heap_window_word(f->window, base, &word, &error), 0);
	assert_int_equal(error.kind, PM_ERROR_NONE);
}

/** More runs of pages than pm_heap_presence keeps. */
static void many_runs(void **state)
{
	struct fixture *f = *state;
	uint64_t end = base + sizeof f->bytes;

	for (size_t i = 0; i < PAGES; i++)
		f->states[i] = i % 3 ? 'p' : '.';
	for (size_t i = 0; i < PAGES; i++) {
		if (i % 3)
			expect_bytes(f, base + i * PAGE + 8, 16, end);
		else
			expect_none(f, base + i * PAGE + 8, 16, end);
	}

	expect_bytes(f, base + PAGE, 255 * PAGE, end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ascending_addresses_are_read_once, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_read_beyond_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(size_of_a_call, setup, teardown),
		cmocka_unit_test_setup_teardown(untouched_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(guard_pages_end_the_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(unreadable_bytes_end_the_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(core_files, setup, teardown),
		cmocka_unit_test_setup_teardown(devices_are_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(forgotten_bytes_are_read_again, setup, teardown),
		cmocka_unit_test_setup_teardown(words_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(repeated_words_are_read_once, setup, teardown),
		cmocka_unit_test_setup_teardown(
			page_states_of_a_stopped_process_are_fetched_in_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_ahead_are_read_once, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_ahead_end_at_gaps, setup, teardown),
		cmocka_unit_test_setup_teardown(gaps_are_skipped, setup, teardown),
		cmocka_unit_test_setup_teardown(errors, setup, teardown),
		cmocka_unit_test_setup_teardown(many_runs, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
