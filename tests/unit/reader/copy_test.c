/* SPDX-License-Identifier: MIT */
/* Copies of the target `copied`, compared with what the target printed. */
#include <procmem/copy.h>

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/copy_threads.h"
#include "reader/core.h"
#include "support/copy_session.h"
#include "support/core_image.h"
#include "support/target.h"

enum { COPIES = 20 };

static struct copy_session session;

static int begin(void **state)
{
	(void)state;
	copy_session_begin(&session);
	return 0;
}

static int end(void **state)
{
	(void)state;
	copy_session_end(&session);
	return 0;
}

static void take(struct pm_copy *copy)
{
	struct pm_error error;
	must(pm_copy_take(copy, &error), &error);
}

/** Expects the pages that target_fill() wrote, each `step` pages. */
static void expect_pages(const struct pm_copy *copy, uint64_t start, uint64_t end, const char *name,
                         uint64_t step)
{
	const char *bytes = pm_copy_bytes(copy, start, end - start);
	char text[64];

	assert_non_null(bytes);
	for (uint64_t i = 0; i < (end - start) / PAGE; i += step) {
		snprintf(text, sizeof text, "%s page %" PRIu64, name, i);
		assert_string_equal(bytes + i * PAGE, text);
	}
}

static uint64_t bytes_in(const struct pm_copy *copy, uint64_t start, uint64_t end)
{
	const struct pm_range bounds = { start, end };
	size_t count;
	const struct pm_range *ranges = pm_copy_ranges(copy, &count);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += pm_range_size(pm_range_clip(ranges[i], bounds));
	return sum;
}

static void expect_region(const struct pm_copy *copy, const char *name, uint64_t step)
{
	uint64_t start, end;
	target_range(&session.target, name, &start, &end);
	expect_pages(copy, start, end, name, step);
	assert_int_equal(bytes_in(copy, start, end), (end - start) / step);
}

static void all_written_pages_are_copied(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	uint64_t planned = pm_copy_info(copy)->planned, start, end;
	take(copy);

	expect_region(copy, "filled", 1);
	expect_region(copy, "sparse", 10);
	expect_region(copy, "readonly", 1);
	expect_region(copy, "shared", 1);
	target_range(&session.target, "zeros", &start, &end);
	assert_int_equal(bytes_in(copy, start, end), 0);

	const struct pm_copy_info *info = pm_copy_info(copy);
	assert_int_equal(bytes_in(copy, 0, UINT64_MAX), info->copied);
	assert_in_range(info->copied, planned, planned + 64 * PAGE);
	assert_int_equal(info->unreadable, 0);
	assert_int_equal(info->untouched, 0);
	assert_int_equal(info->threads, 2);
	assert_true(info->stopped_ns > 0);
	pm_copy_close(copy);
}

/** The value of a number of the target in a copy. */
static uint64_t number_at(const struct pm_copy *copy, const char *address)
{
	uint64_t value;
	const void *bytes = pm_copy_bytes(copy, strtoull(address, NULL, 16), sizeof value);
	assert_non_null(bytes);
	memcpy(&value, bytes, sizeof value);
	return value;
}

static void all_bytes_are_of_one_moment(void **state)
{
	(void)state;
	const char *twins = target_fact(&session.target, "twins");
	uint64_t last = 0, changes = 0;

	for (int i = 0; i < COPIES; i++) {
		struct pm_copy *copy = copy_session_open(&session, NULL);
		take(copy);
		uint64_t first = number_at(copy, twins);
		uint64_t second = number_at(copy, strchr(twins, ' '));
		assert_in_range(first - second, 0, 1);
		/* On a busy machine, the thread may not run between two copies. */
		assert_true(first >= last);
		changes += first > last;
		last = first;
		pm_copy_close(copy);
	}

	assert_true(changes > 1);
}

static void memory_that_appears_before_the_stop_is_copied(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	fputs("grow\n", session.target.to);
	fflush(session.target.to);
	char *heap = target_await(&session.target, "heap "), *rest;
	char *grown = target_await(&session.target, "grown ");
	free(target_await(&session.target, "done grow"));

	take(copy);
	uint64_t start = strtoull(heap + strlen("heap "), &rest, 16);
	expect_pages(copy, start, strtoull(rest + 1, NULL, 16), "heap", 1);
	start = strtoull(grown + strlen("grown "), &rest, 16);
	expect_pages(copy, start, strtoull(rest + 1, NULL, 16), "grown", 1);
	assert_true(pm_copy_info(copy)->late >= 9 * 1024 * 1024 - PAGE);

	pm_copy_close(copy);
	free(heap);
	free(grown);
}

static void the_reader_reads_the_copy(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	struct pm_error error = { 0 };
	uint64_t start, end;
	char bytes[2 * PAGE];
	size_t done;
	take(copy);

	struct pm_reader reader = pm_copy_reader(copy);
	target_range(&session.target, "sparse", &start, &end);
	memset(bytes, 1, sizeof bytes);
	must(pm_reader_read(&reader, start, bytes, sizeof bytes, NULL, &error), &error);
	assert_string_equal(bytes, "sparse page 0");
	for (size_t i = PAGE; i < sizeof bytes; i++)
		assert_int_equal(bytes[i], 0);

	/* Code is not in the copy. */
	must(pm_reader_read(&reader, end - PAGE, bytes, sizeof bytes, &done, &error), &error);
	assert_int_equal(done, PAGE);
	assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
	assert_int_equal(error.address, end);
	pm_copy_close(copy);
}

static int count_pages(void *context, const struct pm_page_run *run)
{
	*(uint64_t *)context += (run->end - run->start) / PAGE;
	return 0;
}

static void the_source_reports_the_pages_of_the_copy(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	struct pm_error error;
	uint64_t start, end, pages = 0;
	take(copy);

	struct pm_page_source source = pm_copy_source(copy);
	target_range(&session.target, "sparse", &start, &end);
	assert_int_equal(
		source.walk(source.context, start + PAGE, end, count_pages, &pages, &error), 0);
	assert_int_equal(pages, 99);
	pm_copy_close(copy);
}

static void threads_have_names_and_registers(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	size_t count;
	take(copy);

	const struct pm_copy_thread *threads = pm_copy_threads(copy, &count);
	assert_int_equal(count, 2);
	assert_int_equal(threads[0].tid, session.target.pid);
	assert_string_equal(threads[0].name, "copied");
	assert_string_equal(threads[1].name, "twins");

#ifdef __x86_64__
	for (size_t i = 0; i < count; i++) {
		const struct pm_region *stack = pm_regions_find(pm_copy_regions(copy),
		                                                threads[i].stack_pointer);
		assert_true(threads[i].registers_known);
		assert_non_null(stack);
		assert_int_equal(strcmp(stack->mapping, "[stack]") == 0, i == 0);
		/* The descriptor starts with its own address. */
		const uint64_t *self = pm_copy_bytes(copy, threads[i].thread_pointer, 8);
		assert_non_null(self);
		assert_int_equal(*self, threads[i].thread_pointer);
	}
#endif
	pm_copy_close(copy);
}

#ifdef __x86_64__
/** The running thread of the target `hidden` has an address in a vector register. */
static void vector_registers_are_limited(void **state)
{
	(void)state;
	struct target target;
	struct pm_error error;
	struct pm_stop *stop;
	uint64_t address = 0;

	target_start(&target, "hidden", "vector", NULL);
	for (size_t i = 0; i < target.count; i++)
		if (strncmp(target.facts[i], "example held ", 13) == 0)
			address = strtoull(target.facts[i] + 13, NULL, 16);
	assert_true(address != 0);
	struct pm_process *process = open_process(target.pid);
	must(pm_stop_begin(process, NULL, &stop, &error), &error);

	for (int enough = 0; enough < 2; enough++) {
		struct pm_copy_thread *threads;
		size_t count, at = 0;
		must(pm_copy_threads_read(stop, enough ? 16384 : 0, &threads, &count, &error),
		     &error);
		assert_int_equal(count, 2);
		const struct pm_copy_thread *thread = &threads[1];
		assert_true(thread->registers_known);
		assert_int_equal(thread->registers_missing, !enough);
		assert_int_equal(thread->vector_count > 0, enough);

		while (at < thread->vector_count && thread->vectors[at] != address)
			at++;
		assert_int_equal(at < thread->vector_count, enough);
		for (size_t i = 0; i < thread->vector_count; i++)
			assert_true(thread->vectors[i] < UINT64_C(1) << 56);
		if (enough)
			assert_true(thread->vectors[thread->vector_count - 1] != 0);
		pm_copy_threads_free(threads, count);
	}

	pm_stop_end(stop);
	pm_process_close(process);
	target_stop(&target);
}
#endif

static void a_core_file_is_copied_with_registers(void **state)
{
	(void)state;
	char directory[] = "/tmp/procmem-copy-XXXXXX", path[64], command[128];
	struct pm_error error;
	struct pm_core *core;
	struct pm_copy *copy, *live = copy_session_open(&session, NULL);
	size_t count, live_count;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/core.%d", directory, (int)session.target.pid);
	snprintf(command, sizeof command, "gcore -o %s/core %d > /dev/null 2>&1", directory,
	         (int)session.target.pid);
	assert_int_equal(system(command), 0);
	must(pm_core_open(path, &core, &error), &error);
	must(pm_copy_open_core(core, NULL, &copy, &error), &error);
	take(copy);
	take(live);

	expect_region(copy, "filled", 1);
	expect_region(copy, "readonly", 1);
	const struct pm_copy_thread *threads = pm_copy_threads(copy, &count);
	const struct pm_copy_thread *now = pm_copy_threads(live, &live_count);
	assert_int_equal(count, live_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(threads[i].tid, now[i].tid);
		assert_int_equal(threads[i].registers_known, now[i].registers_known);
		assert_int_equal(threads[i].thread_pointer, now[i].thread_pointer);
	}
	/* The first thread waits for a command, with the same registers in both copies. */
	assert_int_equal(threads[0].stack_pointer, now[0].stack_pointer);

	pm_copy_close(live);
	pm_copy_close(copy);
	pm_core_close(core);
	unlink(path);
	rmdir(directory);
}

/** Opens a core file of 16 pages that is followed by 4 pages of a hole. */
static struct pm_core *open_sparse(const struct core_image *image)
{
	struct pm_error error;
	struct pm_core *core;
	int fd = memfd_create("core", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, image->bytes, image->size), image->size);
	assert_int_equal(ftruncate(fd, (off_t)image->size + 4 * PAGE), 0);
	must(pm_core_open_fd(fd, &core, &error), &error);

	return core;
}

/** Expects the first bytes that a copy provides from an address on to be of `value`. */
static void expect_bytes(struct pm_copy *copy, uint64_t address, size_t size, char value)
{
	struct pm_reader reader = pm_copy_reader(copy);
	struct pm_error error;
	char bytes[4 * PAGE] = { 0 };
	size_t done;

	must(pm_reader_read(&reader, address, bytes, sizeof bytes, &done, &error), &error);
	assert_int_equal(done, size);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], value);
	if (size < sizeof bytes)
		assert_int_equal(error.kind, PM_ERROR_UNREADABLE);
}

static void memory_that_a_core_file_lacks_is_unreadable(void **state)
{
	(void)state;
	static struct core_image image;
	struct pm_error error;
	struct pm_copy *copy;
	uint64_t zeros = 0;
	Elf64_Phdr *programs = core_image_make(&image, 4);

	programs[0] = core_image_load(0x10000, 4 * PAGE, 4 * PAGE, 2 * PAGE);
	programs[1] = core_image_load(0x20000, 3 * PAGE, 0, 0);
	programs[2] = core_image_load(0x30000, 4 * PAGE, 16 * PAGE, 4 * PAGE);
	programs[3] = core_image_load(0x40000, 4 * PAGE, 8 * PAGE, 4 * PAGE);
	memset(image.bytes + 4 * PAGE, 'x', 8 * PAGE);
	struct pm_core *core = open_sparse(&image);
	must(pm_copy_open_core(core, NULL, &copy, &error), &error);
	take(copy);

	assert_int_equal(pm_copy_info(copy)->copied, 6 * PAGE);
	assert_int_equal(pm_copy_info(copy)->missing, 5 * PAGE);
	expect_bytes(copy, 0x10000, 2 * PAGE, 'x');
	expect_bytes(copy, 0x10000 + 2 * PAGE, 0, 0);
	expect_bytes(copy, 0x20000, 0, 0);
	/* A hole of the file is zeros. */
	expect_bytes(copy, 0x30000, 4 * PAGE, 0);
	expect_bytes(copy, 0x40000, 4 * PAGE, 'x');

	struct pm_page_source source = pm_copy_source(copy);
	assert_int_equal(source.untouched, PM_SEGMENT_MISSING);
	assert_int_equal(source.walk(source.context, 0x10000, 0x34000, count_pages, &zeros, &error),
	                 0);
	assert_int_equal(zeros, 2 + 4);

	pm_copy_close(copy);
	pm_core_close(core);
}

/** Reads a number from a file of the target. */
static uint64_t value_of(const char *file, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)session.target.pid, file);
	char *text = read_text(path, NULL), *at = strstr(text, key);
	assert_non_null(at);
	uint64_t value = strtoull(at + strlen(key), NULL, 10);
	free(text);
	return value;
}

static void the_target_does_not_grow(void **state)
{
	(void)state;
	/* The kernel counts the pages for smaps_rollup. The counters in status are approximate. */
	uint64_t resident = value_of("smaps_rollup", "\nAnonymous:");
	uint64_t tables = value_of("status", "\nVmPTE:");
	struct pm_copy *copy = copy_session_open(&session, NULL);
	take(copy);
	pm_copy_close(copy);

	assert_int_equal(value_of("smaps_rollup", "\nAnonymous:"), resident);
	assert_int_equal(value_of("status", "\nVmPTE:"), tables);
}

static void a_target_that_has_ended_is_reported(void **state)
{
	(void)state;
	struct pm_error error = { 0 };
	struct pm_copy *copy = copy_session_open(&session, NULL);
	target_stop(&session.target);
	assert_int_equal(pm_copy_take(copy, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	pm_copy_close(copy);
}

static void buffers_are_not_dumped(void **state)
{
	(void)state;
	struct pm_copy *copy = copy_session_open(&session, NULL);
	uint64_t start, end;
	char text[32];
	take(copy);
	target_range(&session.target, "filled", &start, &end);

	uintptr_t bytes = (uintptr_t)pm_copy_bytes(copy, start, PAGE);
	char *smaps = read_text("/proc/self/smaps", NULL), *found = NULL;
	for (char *line = smaps; line && !found; line = strchr(line, '\n')) {
		line += *line == '\n';
		char *rest;
		uintptr_t low = strtoull(line, &rest, 16);
		if (*rest == '-' && low <= bytes && bytes < strtoull(rest + 1, NULL, 16))
			found = strstr(line, "VmFlags:");
	}

	assert_non_null(found);
	snprintf(text, sizeof text, " dd ");
	assert_true(strstr(found, text) && strstr(found, text) < strchr(found, '\n'));
	free(smaps);
	pm_copy_close(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_written_pages_are_copied, begin, end),
		cmocka_unit_test_setup_teardown(all_bytes_are_of_one_moment, begin, end),
		cmocka_unit_test_setup_teardown(memory_that_appears_before_the_stop_is_copied,
		                                begin, end),
		cmocka_unit_test_setup_teardown(the_reader_reads_the_copy, begin, end),
		cmocka_unit_test_setup_teardown(the_source_reports_the_pages_of_the_copy, begin,
		                                end),
		cmocka_unit_test_setup_teardown(threads_have_names_and_registers, begin, end),
#ifdef __x86_64__
		cmocka_unit_test(vector_registers_are_limited),
#endif
		cmocka_unit_test_setup_teardown(a_core_file_is_copied_with_registers, begin, end),
		cmocka_unit_test(memory_that_a_core_file_lacks_is_unreadable),
		cmocka_unit_test_setup_teardown(the_target_does_not_grow, begin, end),
		cmocka_unit_test_setup_teardown(a_target_that_has_ended_is_reported, begin, end),
		cmocka_unit_test_setup_teardown(buffers_are_not_dumped, begin, end),
	};

	return cmocka_run_group_tests_name("copy", tests, NULL, NULL);
}
