/* SPDX-License-Identifier: MIT */
#include <procmem/unit_read.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reader/fake_reader.h"

enum { PAGE = 4096 };

/** The reported unreadable ranges. */
struct report {
	struct {
		uint64_t start, end;
		char why[64];
	} items[16];
	size_t count;
};

static void note(void *context, const struct pm_unreadable *range)
{
	struct report *report = context;
	assert_in_range(report->count, 0, 15);
	report->items[report->count].start = range->start;
	report->items[report->count].end = range->end;
	snprintf(report->items[report->count].why, sizeof report->items[0].why, "%s", range->why);
	report->count++;
}

static void expect_range(const struct report *report, size_t index, uint64_t start, uint64_t end)
{
	assert_true(index < report->count);
	assert_int_equal(report->items[index].start, start);
	assert_int_equal(report->items[index].end, end);
	assert_string_equal(report->items[index].why,
	                    "the fake target has no memory at this address");
}

static char *pattern(size_t size)
{
	char *bytes = malloc(size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(1 + i % 251);
	return bytes;
}

static struct pm_segment run(uint64_t start, uint64_t end)
{
	return (struct pm_segment){ .start = start,
		                    .end = end,
		                    .type = PM_SEGMENT_RUN,
		                    .pages = PM_PAGE_PRESENT,
		                    .wanted = true };
}

static void every_readable_byte_is_read(void **state)
{
	(void)state;
	/* 16 pages, of which 3, 7, 8 and 15 are missing; the unit starts and ends within a page. */
	char *bytes = pattern(16 * PAGE);
	const struct pm_fake_range ranges[] = {
		{ 0x10000, bytes, 3 * PAGE },
		{ 0x14000, bytes + 4 * PAGE, 3 * PAGE },
		{ 0x19000, bytes + 9 * PAGE, 6 * PAGE },
	};

	struct pm_fake_target target = { .ranges = ranges, .count = 3 };
	struct pm_reader reader = pm_fake_reader(&target);
	struct report report = { .count = 0 };
	const struct pm_unit_source source = { .target = &reader,
		                               .unreadable = note,
		                               .context = &report };
	static struct pm_unit unit;

	unit = (struct pm_unit){ .count = 1, .size = 16 * PAGE - 20 };
	unit.segments[0] = run(0x10000 + 10, 0x20000 - 10);

	static char buffer[16 * PAGE];
	memset(buffer, '?', sizeof buffer);
	assert_int_equal(pm_unit_read(&source, &unit, buffer, NULL), 0);

	for (size_t i = 0; i < unit.size; i++) {
		size_t page = (i + 10) / PAGE;
		bool missing = page == 3 || page == 7 || page == 8 || page == 15;
		assert_int_equal(buffer[i], missing ? 0 : bytes[i + 10]);
	}

	assert_int_equal(buffer[unit.size], '?');
	assert_int_equal(report.count, 3);
	expect_range(&report, 0, 0x13000, 0x14000);
	expect_range(&report, 1, 0x17000, 0x19000);
	expect_range(&report, 2, 0x1f000, 0x20000 - 10);
	free(bytes);
}

/** Segments that are not wanted take no space in the buffer, and many small ones need one call. */
static void wanted_segments_are_packed(void **state)
{
	(void)state;
	char *bytes = pattern(512 * PAGE), *buffer = malloc(256 * PAGE);
	assert_non_null(buffer);

	const struct pm_fake_range range = { 0, bytes, 512 * PAGE };
	struct pm_fake_target target = { .ranges = &range, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target);
	const struct pm_unit_source source = { .target = &reader };
	static struct pm_unit unit;

	unit = (struct pm_unit){ .count = 512, .size = 256 * PAGE };
	for (uint64_t i = 0; i < 512; i++) {
		unit.segments[i] = run(i * PAGE, (i + 1) * PAGE);
		unit.segments[i].wanted = i % 2;
	}

	assert_int_equal(pm_unit_read(&source, &unit, buffer, NULL), 0);
	assert_int_equal(target.calls, 1);
	for (size_t i = 0; i < 256; i++)
		assert_memory_equal(buffer + i * PAGE, bytes + (2 * i + 1) * PAGE, PAGE);

	free(buffer);
	free(bytes);
}

static void file_pages_are_read_from_the_file(void **state)
{
	(void)state;
	char *bytes = pattern(4 * PAGE), *content = calloc(4, PAGE), buffer[4 * PAGE];
	assert_non_null(content);

	const struct pm_fake_range memory = { 0x1000, bytes, 4 * PAGE },
				   file = { 0x1000, content, 3 * PAGE };
	struct pm_fake_target target = { .ranges = &memory, .count = 1 },
			      files = { .ranges = &file, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target), file_reader = pm_fake_reader(&files);
	struct report report = { .count = 0 };
	const struct pm_unit_source source = {
		.target = &reader, .files = &file_reader, .unreadable = note, .context = &report
	};

	strcpy(content, "from the file");
	static struct pm_unit unit;
	unit = (struct pm_unit){ .count = 4, .size = 4 * PAGE };

	for (uint64_t i = 0; i < 4; i++) {
		unit.segments[i] = run(0x1000 + i * PAGE, 0x2000 + i * PAGE);
		if (i % 2 == 0)
			unit.segments[i].type = PM_SEGMENT_FILE;
	}

	unit.segments[3].type = PM_SEGMENT_SHARED;
	assert_int_equal(pm_unit_read(&source, &unit, buffer, NULL), 0);
	assert_memory_equal(buffer, content, PAGE);
	assert_memory_equal(buffer + PAGE, bytes + PAGE, PAGE);
	assert_memory_equal(buffer + 2 * PAGE, content + 2 * PAGE, PAGE);
	assert_int_equal(report.count, 1);
	expect_range(&report, 0, 0x4000, 0x5000);
	free(content);

	free(bytes);
}

/** Swapped pages are read one by one: a cancellation must not wait for a MiB of them. */
static void swapped_pages_are_read_in_small_steps(void **state)
{
	(void)state;
	char *bytes = pattern(64 * PAGE), *buffer = malloc(64 * PAGE);
	assert_non_null(buffer);

	const struct pm_fake_range range = { 0, bytes, 64 * PAGE };
	struct pm_fake_target target = { .ranges = &range, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target);
	const struct pm_unit_source source = { .target = &reader };
	static struct pm_unit unit;

	unit = (struct pm_unit){ .count = 1, .size = 64 * PAGE };
	unit.segments[0] = run(0, 64 * PAGE);
	unit.segments[0].pages = PM_PAGE_SWAPPED;
	assert_int_equal(pm_unit_read(&source, &unit, buffer, NULL), 0);
	assert_int_equal(target.calls, 4);
	assert_memory_equal(buffer, bytes, 64 * PAGE);
	free(buffer);
	free(bytes);
}

static void search_ends_when_cancelled_or_target_gone(void **state)
{
	(void)state;
	char buffer[PAGE];
	struct pm_fake_target target = { .gone = true };
	struct pm_reader reader = pm_fake_reader(&target);

	volatile sig_atomic_t cancel = 0;
	struct pm_unit_source source = { .target = &reader, .cancel = &cancel };
	struct pm_error error;
	assert_int_equal(pm_unit_read_bytes(&source, 0, buffer, sizeof buffer, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	cancel = 1;
	assert_int_equal(pm_unit_read_bytes(&source, 0, buffer, sizeof buffer, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);

	assert_int_equal(target.calls, 1);
}

static void single_reads_report_missing_bytes(void **state)
{
	(void)state;
	char buffer[2 * PAGE];
	char *bytes = pattern(PAGE);
	const struct pm_fake_range range = { 0x1000, bytes, PAGE };
	struct pm_fake_target target = { .ranges = &range, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target);
	struct pm_error error;
	size_t done = 0;
	assert_int_equal(pm_reader_read(&reader, 0x1800, buffer, PAGE, &done, &error), 0);
	assert_int_equal(done, PAGE / 2);
	assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
	assert_int_equal(error.address, 0x2000);
	assert_int_equal(pm_reader_read(&reader, 0x1800, buffer, PAGE, NULL, &error), -1);
	assert_int_equal(pm_reader_read(&reader, 0x1800, buffer, PAGE / 2, NULL, &error), 0);
	pm_reader_close(&reader);
	pm_reader_close(&reader);

	struct report report = { .count = 0 };
	reader = pm_fake_reader(&target);
	const struct pm_unit_source source = { .target = &reader,
		                               .unreadable = note,
		                               .context = &report };
	assert_int_equal(pm_unit_read_bytes(&source, 0x800, buffer, 2 * PAGE, &error), 0);
	assert_int_equal(report.count, 2);
	expect_range(&report, 0, 0x800, 0x1000);
	expect_range(&report, 1, 0x2000, 0x2800);
	assert_memory_equal(buffer + PAGE / 2, bytes, PAGE);
	free(bytes);
}

/**
 * A unit and the bytes around it are read by one call, as one range; unreadable bytes around it
 * are reported, too.
 */
static void bytes_around_a_unit_are_read_with_it(void **state)
{
	(void)state;
	const struct pm_unit_around narrow = { .before = 7, .after = PAGE },
				    wide = { .before = PAGE, .after = PAGE / 2 };
	char *bytes = pattern(4 * PAGE);
	const struct pm_fake_range range = { 0x10000, bytes, 4 * PAGE };
	struct pm_fake_target target = { .ranges = &range, .count = 1 };
	struct pm_reader reader = pm_fake_reader(&target);
	struct report report = { .count = 0 };
	const struct pm_unit_source source = { .target = &reader,
		                               .unreadable = note,
		                               .context = &report };
	static struct pm_unit unit;
	static char buffer[5 * PAGE];
	unit = (struct pm_unit){ .count = 2, .size = 2 * PAGE };
	unit.segments[0] = run(0x11000, 0x12000);
	unit.segments[1] = run(0x12000, 0x13000);
	assert_int_equal(pm_unit_read_around(&source, &unit, &narrow, buffer, NULL), 0);
	assert_int_equal(target.calls, 1);
	assert_memory_equal(buffer, bytes + PAGE - 7, 3 * PAGE + 7);
	assert_int_equal(report.count, 0);

	unit = (struct pm_unit){ .count = 2, .size = PAGE };
	unit.segments[0] = run(0x10000, 0x10800);
	unit.segments[0].wanted = false;
	unit.segments[1] = run(0x13000, 0x14000);
	assert_int_equal(pm_unit_read_around(&source, &unit, &wide, buffer, NULL), 0);
	assert_int_equal(report.count, 2);
	expect_range(&report, 0, 0xf000, 0x10000);
	expect_range(&report, 1, 0x14000, 0x14800);
	assert_memory_equal(buffer + PAGE, bytes + 3 * PAGE, PAGE);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_readable_byte_is_read),
		cmocka_unit_test(wanted_segments_are_packed),
		cmocka_unit_test(file_pages_are_read_from_the_file),
		cmocka_unit_test(swapped_pages_are_read_in_small_steps),
		cmocka_unit_test(search_ends_when_cancelled_or_target_gone),
		cmocka_unit_test(single_reads_report_missing_bytes),
		cmocka_unit_test(bytes_around_a_unit_are_read_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
