/* SPDX-License-Identifier: MIT */
#include <procmem/dump.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/fake_reader.h"
#include "support/look.h"
#include "support/markers.h"

enum { PAGE = 4096 };

/** Creates an empty file without a name. */
static int make_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

static struct pm_dump_source source_of(struct look *look)
{
	return (struct pm_dump_source){ .process = look->process,
		                        .regions = &look->regions,
		                        .pages = &look->pages,
		                        .reader = &look->memory };
}

/** A fake target of 8 pages at 0x10000: page 1 is a hole, page 3 unreadable, page 5 a guard. */
struct fake_memory {
	char bytes[8 * PAGE];
	char expected[8 * PAGE]; /* the expected dump of them */
	struct pm_fake_range ranges[2];
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;
	struct pm_page_source pages;
	struct pm_dump_source source;
	uint64_t bad_start, bad_end;
};

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	static const struct pm_page_run runs[] = {
		{ 0x10000, 0x11000, PM_PAGE_PRESENT },
		{ 0x12000, 0x15000, PM_PAGE_PRESENT },
		{ 0x15000, 0x16000, PM_PAGE_GUARD },
		{ 0x16000, 0x18000, PM_PAGE_PRESENT },
	};

	(void)context;
	(void)error;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		if (runs[i].start < end && runs[i].end > start && visit(visitor, &runs[i]) != 0)
			return 1;

	return 0;
}

static void note_bad(void *context, const struct pm_unreadable *range)
{
	struct fake_memory *made = context;
	made->bad_start = range->start;
	made->bad_end = range->end;
}

static void make_up(struct fake_memory *made)
{
	const struct pm_region region = {
		.start = 0x10000, .end = 0x18000, .perms = PM_PERM_READ, .vm_flags = PM_VM_KNOWN
	};

	*made = (struct fake_memory){ .pages = { .walk = walk, .untouched = PM_SEGMENT_HOLE } };
	for (size_t i = 0; i < sizeof made->bytes; i++)
		made->bytes[i] = (char)('a' + i % 23);

	memcpy(made->expected, made->bytes, sizeof made->bytes);
	for (size_t page = 1; page <= 5; page += 2)
		memset(made->expected + page * PAGE, 0, PAGE);

	made->ranges[0] = (struct pm_fake_range){ 0x10000, made->bytes, 3 * PAGE };
	made->ranges[1] = (struct pm_fake_range){ 0x14000, made->bytes + 4 * PAGE, 4 * PAGE };
	made->target = (struct pm_fake_target){ .ranges = made->ranges, .count = 2 };
	made->reader = pm_fake_reader(&made->target);
	pm_regions_init(&made->regions);
	assert_int_equal(pm_regions_append(&made->regions, &region, NULL), 0);
	made->source = (struct pm_dump_source){ .regions = &made->regions,
		                                .pages = &made->pages,
		                                .reader = &made->reader,
		                                .unreadable = note_bad,
		                                .context = made };
}

static void expect_content(int fd, off_t at, const char *bytes, size_t size)
{
	char *seen = malloc(size + 1);
	assert_non_null(seen);
	assert_int_equal(pread(fd, seen, size + 1, at), size);
	assert_memory_equal(seen, bytes, size);
	free(seen);
}

static void bytes_and_counts_are_exact(void **state)
{
	(void)state;
	static struct fake_memory made;
	struct pm_dump_result result;
	struct pm_error error;
	make_up(&made);
	int fd = make_file();
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), 0);
	expect_content(fd, 0, made.expected, 8 * PAGE);
	assert_int_equal(result.size, 8 * PAGE);
	assert_int_equal(result.bytes, 5 * PAGE);
	assert_int_equal(result.holes, PAGE);
	assert_int_equal(result.forbidden, PAGE);
	assert_int_equal(result.unreadable, PAGE);
	assert_int_equal(result.untouched, 0);
	assert_int_equal(made.bad_start, 0x13000);
	assert_int_equal(made.bad_end, 0x14000);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 8 * PAGE);

	/* A second dump is written after the first one: parts of pages, and a hole at the end. */
	const struct pm_region_range ranges[] = { { { 0x10ffe, 0x11003 }, 0 },
		                                  { { 0x14001, 0x14002 }, 0 },
		                                  { { 0x15000, 0x15010 }, 0 } };
	made.source.ranges = ranges;
	made.source.count = 3;
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), 0);
	char tail[22] = { 0 };
	memcpy(tail, made.expected + 0xffe, 5);
	tail[5] = made.expected[0x4001];
	expect_content(fd, 8 * PAGE, tail, sizeof tail);
	close(fd);
	pm_regions_deinit(&made.regions);
}

static void *read_pipe(void *context)
{
	int *fd = context;
	char *bytes = calloc(1, 16 * PAGE);
	size_t filled = 0;
	ssize_t got;

	while (bytes && (got = read(*fd, bytes + filled, 16 * PAGE - filled)) > 0)
		filled += (size_t)got;
	return bytes;
}

/** If holes are impossible, zeros are written. */
static void streams_get_zeros(void **state)
{
	(void)state;
	static struct fake_memory made;
	struct pm_dump_result result;
	struct pm_error error;
	make_up(&made);
	int ends[2];
	pthread_t thread;
	void *seen;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	/* Non-blocking, as a shell or ssh may leave it. */
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_pipe, &ends[0]), 0);
	assert_int_equal(pm_dump_raw(&made.source, ends[1], &result, &error), 0);
	close(ends[1]);
	assert_int_equal(pthread_join(thread, &seen), 0);
	assert_memory_equal(seen, made.expected, 8 * PAGE);
	free(seen);
	close(ends[0]);

	int fd = make_file();
	assert_int_equal(write(fd, "before", 6), 6);
	assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), 0);
	expect_content(fd, 6, made.expected, 8 * PAGE);
	close(fd);

	/* Old bytes must not be visible in holes. */
	fd = make_file();
	static char old[9 * PAGE];
	memset(old, 'O', sizeof old);
	assert_int_equal(write(fd, old, sizeof old), sizeof old);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), 0);
	memcpy(old, made.expected, 8 * PAGE);
	expect_content(fd, 0, old, sizeof old);
	close(fd);
	pm_regions_deinit(&made.regions);
}

static void failures_are_reported(void **state)
{
	(void)state;
	static struct fake_memory made;
	struct pm_dump_result result;
	struct pm_error error;
	make_up(&made);
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_IO);
	assert_int_equal(error.os_errno, ENOSPC);
	close(fd);

	volatile sig_atomic_t cancel = 1;
	made.source.cancel = &cancel;
	fd = make_file();
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	cancel = 0;
	made.target.gone = true;
	assert_int_equal(pm_dump_raw(&made.source, fd, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	close(fd);
	pm_regions_deinit(&made.regions);
}

/**
 * All of a real target: the markers are at the offsets of their ranges, and the terabyte takes no
 * space.
 */
static void process_is_dumped_sparsely(void **state)
{
	(void)state;
	struct target target;
	struct look look;
	struct markers markers;
	struct pm_dump_result result;
	struct pm_error error;
	target_start(&target, "markers", NULL);
	markers_take(&markers, &target, "marker");
	look_open(&look, target.pid);
	uint64_t rss = status_number(target.pid, "VmRSS:"),
		 tables = status_number(target.pid, "VmPTE:");
	int fd = make_file();
	const struct pm_dump_source source = source_of(&look);
	if (pm_dump_raw(&source, fd, &result, &error) < 0) {
		if (error.os_errno == EFBIG)
			skip_because("this file system has no files of a terabyte");
		fail_msg("%s", error.text);
	}
	struct stat status;
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_size, result.size);
	assert_true(result.size > UINT64_C(1) << 40);
	assert_int_equal(result.bytes + result.holes + result.untouched + result.forbidden +
	                         result.pending + result.unreadable,
	                 result.size);
	assert_int_equal(result.unreadable, 0);
	assert_true((uint64_t)status.st_blocks * 512 <= result.bytes + result.bytes / 10);
	assert_in_range(status_number(target.pid, "VmPTE:"), tables, tables + 64);
	/* The counter of the kernel is accurate to some pages only; the test of the readers
	 * compares with smaps, which is exact. */
	assert_in_range(status_number(target.pid, "VmRSS:"), rss - 256, rss + 256);

	static char bytes[MARKER_TEXT];
	for (size_t i = 0; i < markers.count; i++) {
		uint64_t offset = 0;
		size_t region = look_region(&look, markers.items[i].address);
		for (size_t j = 0; j < region; j++)
			offset += pm_region_size(&look.regions.items[j]);
		offset += markers.items[i].address - look.regions.items[region].start;
		assert_int_equal(pread(fd, bytes, sizeof bytes, (off_t)offset), sizeof bytes);
		markers_feed(&markers, markers.items[i].address, bytes, sizeof bytes);
	}
	markers_expect_all(&markers);
	markers_drop(&markers);
	close(fd);
	look_close(&look);
	target_stop(&target);
}

/** Kills the target at the first progress. */
static void quit_target(void *context, uint64_t bytes, uint64_t address)
{
	struct target *target = context;
	(void)bytes;
	(void)address;
	if (!target->to)
		return;

	fputs("quit\n", target->to);
	fclose(target->to);
	target->to = NULL;
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)target->pid, &info, WEXITED | WNOWAIT), 0);
}

static void target_that_ends_is_incomplete(void **state)
{
	(void)state;
	struct target target;
	struct look look;
	struct pm_dump_result result;
	struct pm_error error = { 0 };
	uint64_t start, end;

	target_start(&target, "markers", "small", NULL);
	look_open(&look, target.pid);
	target_range(&target, "plain", &start, &end);

	int fd = make_file();
	/* All regions, and a single unit: it has been read when the target exits. */
	const struct pm_region_range one = { { start, start + 1 }, look_region(&look, start) };
	struct target again = target;
	struct pm_dump_source source = source_of(&look);

	source.progress = quit_target;
	source.context = &again;
	source.ranges = &one;
	source.count = 1;
	assert_int_equal(pm_dump_raw(&source, fd, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_int_equal(result.bytes, 1);
	source.ranges = NULL;

	assert_int_equal(pm_dump_raw(&source, fd, &result, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	close(fd);
	look_close(&look);
	target.to = fopen("/dev/null", "we");
	target_stop(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_and_counts_are_exact),
		cmocka_unit_test(streams_get_zeros),
		cmocka_unit_test(failures_are_reported),
		cmocka_unit_test(process_is_dumped_sparsely),
		cmocka_unit_test(target_that_ends_is_incomplete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
