/* SPDX-License-Identifier: MIT */
/* The outputs of `trace` for a process that has exited before its memory could be measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <zlib.h>

#include <cmocka.h>

#include "trace/folded.h"
#include "trace/pprof.h"
#include "trace/rows.h"
#include "trace/svg.h"

static const struct pm_frame frames[] = { { .function = "main", .module = "/usr/bin/shop" } };
static const struct pm_stack stacks[] = { { 0 }, { frames, 1, false } };
static struct pm_trace_site sites[] = {
	{ .before = true, .regions = 3 },
	{ .stack = 1, .tid = 10, .mapped = 8192, .calls = 1, .regions = 1, .end = 8192 },
};
static const struct pm_trace_result result = { .sites = sites, .count = 2, .unmeasured = true };
static const struct trace_report report = {
	.pid = 10, .name = "shop", .result = &result, .stacks = stacks
};

static void resident_bytes_are_not_known(void **state)
{
	const struct list_options options = { 0 };
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_STACK, &options, true, &error),
	                 0);
	assert_int_equal(rows.list.count, 2);
	for (size_t i = 0; i < trace_rows_spec.column_count; i++) {
		const struct list_column *column = &trace_rows_spec.columns[i];
		uint64_t value = 1;

		if (strcmp(column->name, "resident") == 0)
			assert_false(column->number(column, rows.list.items[1], &value));
		if (strcmp(column->name, "mapped") == 0)
			assert_true(column->number(column, rows.list.items[1], &value));
	}
	trace_rows_deinit(&rows);
}

static void pictures_show_mapped_bytes(void **state)
{
	struct text text = { 0 };

	(void)state;
	assert_int_equal(trace_folded_make(&report, &text, NULL), 0);
	assert_string_equal(text_terminate(&text), "main 8192\n");
	text_clear(&text);

	assert_int_equal(trace_svg_make(&report, &text, NULL), 0);
	text_terminate(&text);
	assert_non_null(strstr(text.bytes, "shop (10): 8.0K mapped, by the code"));
	assert_non_null(strstr(text.bytes, "8.0K mapped (100.00%)"));
	assert_null(strstr(text.bytes, "resident"));
	text_deinit(&text);
}

static void the_profile_has_no_resident_bytes(void **state)
{
	char bytes[65536];
	struct text text = { 0 };
	z_stream stream = { 0 };
	enum { GZIP = MAX_WBITS + 16 };

	(void)state;
	assert_int_equal(trace_pprof_make(&report, &text, NULL), 0);
	assert_int_equal(inflateInit2(&stream, GZIP), Z_OK);
	stream.next_in = (Bytef *)text.bytes;
	stream.avail_in = (uInt)text.length;
	stream.next_out = (Bytef *)bytes;
	stream.avail_out = sizeof bytes;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_non_null(memmem(bytes, stream.total_out, "mapped_space", 12));
	assert_null(memmem(bytes, stream.total_out, "inuse_space", 11));
	inflateEnd(&stream);
	text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resident_bytes_are_not_known),
		cmocka_unit_test(pictures_show_mapped_bytes),
		cmocka_unit_test(the_profile_has_no_resident_bytes),
	};
	return cmocka_run_group_tests_name("trace/unmeasured", tests, NULL, NULL);
}
