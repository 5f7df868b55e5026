/* SPDX-License-Identifier: MIT */
/* Tables: aligned columns, cut at the edge of a terminal, without spaces at the end of lines. */
#include "view/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 3, COLUMNS = 3 };

static const char *const cells[ROWS + 1][COLUMNS] = {
	{ "a", "1.0K", "short" },
	{ "gr\303\266\303\237er", "", "a text that is rather long" },
	{ "", "22", "" },
	{ "total", "1.1K", "" },
};

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	(void)context;
	text_string(text, cells[row == TABLE_TOTAL ? ROWS : row][column]);
}

static const struct table_column columns[COLUMNS] = { { .title = "NAME" },
	                                              { .title = "SIZE", .right = true },
	                                              { .title = "WHAT" } };

/** Checks the table on a terminal of this width. */
static void check(size_t width, bool header, const char *expected)
{
	size_t widths[COLUMNS];
	char shown[1024];
	int fd = memfd_create("table", MFD_CLOEXEC);
	assert_true(fd >= 0);

	struct out out;
	out_init(&out, fd);
	out.width = width;

	struct table table = { .columns = columns,
		               .column_count = COLUMNS,
		               .rows = ROWS,
		               .titles = header,
		               .total = header,
		               .cell = cell };

	table_measure(&table, widths);
	table_print(&table, widths, &out);
	assert_int_equal(out_close(&out), 0);

	ssize_t length = pread(fd, shown, sizeof shown - 1, 0);
	assert_true(length >= 0);
	shown[length] = '\0';
	assert_string_equal(shown, expected);
	close(fd);
}

static void test_aligned(void **state)
{
	(void)state;
	check(SIZE_MAX, true,
	      "NAME    SIZE WHAT\n"
	      "a       1.0K short\n"
	      "gr\303\266\303\237er       a text that is rather long\n"
	      "          22\n"
	      "total   1.1K\n");
	check(SIZE_MAX, false,
	      "a       1.0K short\n"
	      "gr\303\266\303\237er       a text that is rather long\n"
	      "          22\n");
}

static void test_cut(void **state)
{
	(void)state;
	check(23, true,
	      "NAME    SIZE WHAT\n"
	      "a       1.0K short\n"
	      "gr\303\266\303\237er       a text th\342\200\246\n"
	      "          22\n"
	      "total   1.1K\n");

	/* Part of the last column is shown even on a very narrow terminal. */
	check(10, false,
	      "a       1.0K short\n"
	      "gr\303\266\303\237er       a text \342\200\246\n"
	      "          22\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aligned),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
