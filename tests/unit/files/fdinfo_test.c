/* SPDX-License-Identifier: MIT */
/* Parsing of fdinfo: the text of the kernel for descriptors of known access modes, and bad texts.
 */
#include "files/fdinfo.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/target.h"

static struct pm_fdinfo read_own(int flags, off_t offset)
{
	char path[64], *text;
	struct pm_fdinfo info;
	char name[] = "/tmp/procmem-fdinfo-XXXXXX";
	int made = mkstemp(name);
	int fd = open(name, flags);

	close(made);
	unlink(name);
	assert_true(fd >= 0);
	if (offset > 0)
		assert_int_equal(lseek(fd, offset, SEEK_SET), offset);
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	text = read_text(path, NULL);
	assert_true(pm_fdinfo_parse(text, &info));
	free(text);
	close(fd);

	return info;
}

static void kernel_texts(void **state)
{
	(void)state;
	assert_false(read_own(O_RDONLY, 0).writable);
	assert_true(read_own(O_RDWR, 0).writable);
	assert_true(read_own(O_WRONLY | O_APPEND, 0).writable);
	assert_int_equal(read_own(O_RDWR, 123456789012).offset, 123456789012);
	/* The mode of a descriptor with O_PATH has no meaning. */
	assert_false(read_own(O_PATH, 0).writable);
	assert_false(read_own(O_PATH | O_RDWR, 0).writable);
}

static void bad_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"pos:\t1\n",
		"flags:\t02\n",
		"pos:\t-1\nflags:\t02\n",
		"pos:\t99999999999999999999\nflags:\t02\n",
		"pos:\t1\nflags:\t08\n",
		"pos:\t1\nflags:\t\n",
		"pos:\t1\nflags:\t777777777777777777\n",
		"xpos:\t1\nxflags:\t02\n",
		"pos:\t1x\nflags:\t02\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct pm_fdinfo info = { .offset = 7 };
		assert_false(pm_fdinfo_parse(texts[i], &info));
		assert_int_equal(info.offset, 7);
	}
}

static void order_and_further_lines(void **state)
{
	struct pm_fdinfo info;

	(void)state;
	assert_true(
		pm_fdinfo_parse("lock:\t1: FLOCK\nflags:\t0100002\nmnt_id:\t2\npos:\t5", &info));
	assert_true(info.writable);
	assert_int_equal(info.offset, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_texts),
		cmocka_unit_test(bad_texts),
		cmocka_unit_test(order_and_further_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
