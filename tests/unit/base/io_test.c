/* SPDX-License-Identifier: MIT */
#include "base/io.h"
#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"

/** A descriptor that reads these bytes. */
static int file_of(const char *bytes, size_t length)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void reads_a_whole_file(void **state)
{
	(void)state;
	static char bytes[100001];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 7);

	int fd = file_of(bytes, sizeof bytes);
	char *text;
	size_t length;
	assert_int_equal(pm_read_all(fd, sizeof bytes, &text, &length, NULL), 0);
	assert_int_equal(length, sizeof bytes);
	assert_memory_equal(text, bytes, sizeof bytes);
	assert_int_equal(text[length], '\0');
	free(text);

	close(fd);
}

static void reads_an_empty_file(void **state)
{
	(void)state;
	int fd = file_of("", 0);
	char *text;
	assert_int_equal(pm_read_all(fd, 0, &text, NULL, NULL), 0);
	assert_string_equal(text, "");
	free(text);
	close(fd);
}

static void refuses_more_than_the_bound(void **state)
{
	(void)state;
	int fd = file_of("12345", 5);
	char *text = NULL;
	struct pm_error error = { 0 };

	assert_int_equal(pm_read_all(fd, 4, &text, NULL, &error), -1);
	assert_null(text);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	close(fd);
}

static void reports_why_reading_failed(void **state)
{
	(void)state;
	char *text = NULL;
	struct pm_error error = { 0 };
	assert_int_equal(pm_read_all(-1, 10, &text, NULL, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_IO);
	assert_int_equal(error.os_errno, EBADF);
	assert_null(text);
}

static void reports_the_end_of_the_process(void **state)
{
	(void)state;
	struct target target;
	target_start(&target, "many_regions", "2", "0", NULL);

	char path[64];
	snprintf(path, sizeof path, "/proc/%d/status", (int)target.pid);

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	target_stop(&target);

	char *text = NULL;
	struct pm_error error = { 0 };
	assert_int_equal(pm_read_all(fd, 1 << 20, &text, NULL, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_int_equal(error.os_errno, ESRCH);
	close(fd);
}

/**
 * Offsets of /proc/PID/mem are addresses; above 2^63, where the vsyscall page lies, pread(2) takes
 * none.
 */
static void pread_accepts_addresses(void **state)
{
	(void)state;
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);

	static const char here[] = "known text";
	char bytes[sizeof here];
	assert_int_equal(pm_pread(fd, bytes, sizeof bytes, (uintptr_t)here), sizeof here);
	assert_string_equal(bytes, here);
	assert_int_equal(pm_pread(fd, bytes, sizeof bytes, UINT64_C(0xffffffffff600000)), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

/**
 * Checks that a stream gives exactly these lines (the last one NULL) and then what `end` says: 0
 * the end, -1 an error.
 */
static void gives(const char *bytes, size_t length, const char *const *wanted, int end)
{
	int fd = file_of(bytes, length);
	struct pm_lines lines;
	struct pm_error error = { 0 };

	assert_int_equal(pm_lines_init(&lines, fd, NULL), 0);
	char *line;
	size_t count, number = 0;
	for (; *wanted; wanted++) {
		assert_int_equal(pm_lines_next(&lines, &line, &count, NULL), 1);
		assert_int_equal(count, strlen(*wanted));
		assert_string_equal(line, *wanted);
		assert_int_equal(lines.number, ++number);
	}

	assert_int_equal(pm_lines_next(&lines, &line, &count, &error), end);
	if (end < 0)
		assert_int_equal(error.kind, PM_ERROR_FORMAT);
	pm_lines_deinit(&lines);
	close(fd);
}

static void splits_lines(void **state)
{
	(void)state;
	const char *none[] = { NULL }, *empty[] = { "", NULL },
		   *three[] = { "one", "", "three", NULL };
	gives("", 0, none, 0);
	gives("\n", 1, empty, 0);
	gives("one\n\nthree\n", 11, three, 0);
}

static void refuses_a_cut_last_line(void **state)
{
	(void)state;
	const char *none[] = { NULL }, *one[] = { "one", NULL };
	gives("one\ntw", 6, one, -1);
	gives("x", 1, none, -1);
}

static void refuses_a_nul_byte(void **state)
{
	(void)state;
	const char *one[] = { "one", NULL }, *none[] = { NULL };
	gives("one\nt\0o\n", 8, one, -1);
	gives("\0\0\0\0\n", 5, none, -1);
}

/** Lines of growing length cross every border of the read buffer. */
static void splits_across_buffers(void **state)
{
	(void)state;
	enum { LINES = 2000 };

	size_t capacity = LINES * (LINES + 1), filled = 0;
	char *bytes = malloc(capacity);
	for (size_t i = 0; i < LINES; i++) {
		memset(bytes + filled, 'a' + (int)(i % 26), i);
		filled += i;
		bytes[filled++] = '\n';
	}

	int fd = file_of(bytes, filled);
	struct pm_lines lines;
	assert_int_equal(pm_lines_init(&lines, fd, NULL), 0);

	char *line;
	size_t length;
	for (size_t i = 0; i < LINES; i++) {
		assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 1);
		assert_int_equal(length, i);
		for (size_t j = 0; j < length; j++)
			assert_int_equal(line[j], 'a' + (int)(i % 26));
	}

	assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 0);
	assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 0);
	pm_lines_deinit(&lines);
	close(fd);
	free(bytes);
}

/** A pipe hands out what was written in small pieces, as /proc does. */
static void splits_lines_that_arrive_in_pieces(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	struct pm_lines lines;
	assert_int_equal(pm_lines_init(&lines, ends[0], NULL), 0);

	char *line;
	size_t length;
	assert_int_equal(write(ends[1], "ab", 2), 2);
	assert_int_equal(write(ends[1], "c\nd", 3), 3);
	assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 1);
	assert_string_equal(line, "abc");
	assert_int_equal(write(ends[1], "ef\n", 3), 3);
	close(ends[1]);

	assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 1);
	assert_string_equal(line, "def");
	assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 0);
	pm_lines_deinit(&lines);
	close(ends[0]);
}

/** What is too much of a line is left out; the lines around it are whole. */
static void cuts_long_lines(void **state)
{
	(void)state;
	static const size_t lengths[] = { 5,
		                          PM_LINE_MAX - 1,
		                          PM_LINE_MAX,
		                          PM_LINE_MAX + 1,
		                          7,
		                          2 * PM_LINE_MAX - 1,
		                          2 * PM_LINE_MAX,
		                          0,
		                          2 * PM_LINE_MAX + 1,
		                          5 * PM_LINE_MAX + 3,
		                          9 * PM_LINE_MAX,
		                          1 };

	enum { COUNT = sizeof lengths / sizeof *lengths };
	size_t capacity = 0, filled = 0;
	for (size_t i = 0; i < COUNT; i++)
		capacity += lengths[i] + 1;

	char *bytes = malloc(capacity);
	for (size_t i = 0; i < COUNT; i++) {
		memset(bytes + filled, 'a' + (int)i, lengths[i]);
		filled += lengths[i];
		bytes[filled++] = '\n';
	}

	int fd = file_of(bytes, filled);
	struct pm_lines lines;
	char *line;
	size_t length;

	assert_int_equal(pm_lines_init(&lines, fd, NULL), 0);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 1);
		assert_int_equal(length, lengths[i] < PM_LINE_MAX ? lengths[i] : PM_LINE_MAX);
		assert_int_equal(strlen(line), length);
		for (size_t j = 0; j < length; j++)
			assert_int_equal(line[j], 'a' + (int)i);
	}

	assert_int_equal(pm_lines_next(&lines, &line, &length, NULL), 0);
	assert_int_equal(lines.number, COUNT);
	pm_lines_deinit(&lines);
	close(fd);
	free(bytes);
}

/** A binary file without newlines is given up early, and not read to its end. */
static void rejects_files_that_are_not_text(void **state)
{
	(void)state;
	int fd = memfd_create("zeros", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);

	struct pm_lines lines;
	struct pm_error error = { 0 };
	char *line;
	size_t length;

	assert_int_equal(pm_lines_init(&lines, fd, NULL), 0);
	assert_int_equal(pm_lines_next(&lines, &line, &length, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_FORMAT);
	assert_non_null(strstr(error.text, "line 1 contains a NUL byte"));
	pm_lines_deinit(&lines);
	close(fd);
}

static void accepts_the_longest_line(void **state)
{
	(void)state;
	char *bytes = malloc(PM_LINE_MAX + 1);
	memset(bytes, 'x', PM_LINE_MAX);
	bytes[PM_LINE_MAX - 1] = '\0';

	const char *one[] = { strdup(bytes), NULL };
	bytes[PM_LINE_MAX - 1] = '\n';
	gives(bytes, PM_LINE_MAX, one, 0);
	free((char *)(uintptr_t)one[0]);
	free(bytes);
}

static int alarm_pipe;
static volatile sig_atomic_t alarms;

/** The bytes come with the third interruption. */
static void on_alarm(int signal)
{
	(void)signal;
	if (++alarms == 3 && write(alarm_pipe, "late", 4) != 4)
		abort();
}

/** A signal without SA_RESTART interrupts read(2); the reader must continue until the bytes come.
 */
static void continues_after_a_signal(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	alarm_pipe = ends[1];
	struct sigaction action = { .sa_handler = on_alarm }, before;
	sigaction(SIGALRM, &action, &before);
	const struct itimerval often = { .it_value.tv_usec = 1000, .it_interval.tv_usec = 1000 },
			       never = { 0 };
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);

	char bytes[8];
	ssize_t got = pm_read(ends[0], bytes, sizeof bytes);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_int_equal(got, 4);
	assert_memory_equal(bytes, "late", 4);
	assert_true(alarms >= 3);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_whole_file),
		cmocka_unit_test(reads_an_empty_file),
		cmocka_unit_test(refuses_more_than_the_bound),
		cmocka_unit_test(reports_why_reading_failed),
		cmocka_unit_test(reports_the_end_of_the_process),
		cmocka_unit_test(pread_accepts_addresses),
		cmocka_unit_test(splits_lines),
		cmocka_unit_test(refuses_a_cut_last_line),
		cmocka_unit_test(refuses_a_nul_byte),
		cmocka_unit_test(splits_across_buffers),
		cmocka_unit_test(splits_lines_that_arrive_in_pieces),
		cmocka_unit_test(cuts_long_lines),
		cmocka_unit_test(rejects_files_that_are_not_text),
		cmocka_unit_test(accepts_the_longest_line),
		cmocka_unit_test(continues_after_a_signal),
	};

	return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
