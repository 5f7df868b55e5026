/* SPDX-License-Identifier: MIT */
/* The outputs of `trace`, made of an invented result whose names are hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <zlib.h>

#include <cmocka.h>

#include "target/frames.h"
#include "trace/folded.h"
#include "trace/header.h"
#include "trace/pprof.h"
#include "trace/rows.h"
#include "trace/svg.h"
#include "trace/svg_script.h"
#include "trace/tree.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))
#define SHOP         "/usr/bin/shop"
#define LIBC         "/lib/x86_64-linux-gnu/libc.so.6"

/* __mmap < sysmalloc_mmap < malloc < grow_table (inlined) < handle<a;b> < main */
static const struct pm_frame grow[] = {
	{ .function = "__mmap",
	  .module = LIBC,
	  .address = 0x7f0000001010,
	  .module_address = 0x1010,
	  .source = PM_FRAME_SYMBOL },
	{ .function = "malloc",
	  .module = LIBC,
	  .address = 0x7f0000002020,
	  .module_address = 0x2020,
	  .source = PM_FRAME_SYMBOL },
	{ .function = "grow_table",
	  .module = SHOP,
	  .file = "shop.c",
	  .line = 12,
	  .address = 0x555500003030,
	  .module_address = 0x3030,
	  .source = PM_FRAME_INLINED },
	{ .function = "handle<a;b>",
	  .module = SHOP,
	  .file = "shop.c",
	  .line = 40,
	  .address = 0x555500003030,
	  .module_address = 0x3030,
	  .source = PM_FRAME_SYMBOL },
	{ .function = "main",
	  .module = SHOP,
	  .file = "shop.c",
	  .line = 90,
	  .address = 0x555500004040,
	  .module_address = 0x4040,
	  .build_id = "8c5f00aa",
	  .source = PM_FRAME_SYMBOL },
};

/* A frame of generated code with a name that must be escaped, and one without a name. */
static const struct pm_frame generated[] = {
	{ .function = "</title><script>&\"\n\xff",
	  .address = 0x7e0000000100,
	  .source = PM_FRAME_JIT },
	{ .address = 0x7e0000000200, .source = PM_FRAME_UNNAMED },
	{ .function = "main",
	  .module = SHOP,
	  .file = "shop.c",
	  .line = 91,
	  .address = 0x555500004048,
	  .module_address = 0x4048,
	  .source = PM_FRAME_SYMBOL },
};

static const struct pm_frame only_libc[] = {
	{ .function = "__mmap",
	  .module = LIBC,
	  .address = 0x7f0000001010,
	  .module_address = 0x1010,
	  .source = PM_FRAME_SYMBOL },
	{ .module = LIBC,
	  .address = 0x7f0000005050,
	  .module_address = 0x5050,
	  .source = PM_FRAME_UNNAMED },
};

static const struct pm_stack stacks[] = {
	{ NULL, 0, false }, /* of memory that was mapped before the trace */
	{ grow, COUNT(grow), false },
	{ generated, COUNT(generated), true },
	{ grow, COUNT(grow), false }, /* touches memory that was mapped before */
	{ NULL, 0, false },           /* could not be unwound */
	{ only_libc, COUNT(only_libc), false },
};

static struct pm_trace_site sites[] = {
	{ .before = true, .resident = 8 << 20 },
	{ .stack = 1,
	  .tid = 10,
	  .resident = 4 << 20,
	  .mapped = 5 << 20,
	  .calls = 7,
	  .regions = 2,
	  .start = 0x7f1000000000,
	  .end = 0x7f1000400000 },
	{ .stack = 2,
	  .tid = 11,
	  .resident = 2 << 20,
	  .mapped = 2 << 20,
	  .calls = 3,
	  .regions = 3,
	  .start = 0x7f2000000000,
	  .end = 0x7f2000100000 },
	{ .stack = 1, .before = true, .tid = 11, .resident = 1 << 20, .calls = 256, .faults = 256 },
	{ .tid = 10,
	  .resident = 4096,
	  .mapped = 8192,
	  .calls = 1,
	  .regions = 1,
	  .start = 0x7f3000000000,
	  .end = 0x7f3000002000 },
	{ .stack = 5,
	  .tid = 10,
	  .resident = 0,
	  .mapped = 8192,
	  .calls = 1,
	  .regions = 1,
	  .start = 0x7f4000000000,
	  .end = 0x7f4000002000 },
};

static const struct pm_trace_result result = { .sites = sites,
	                                       .count = COUNT(sites),
	                                       .before_start = 8 << 20,
	                                       .before_now = 9 << 20,
	                                       .seconds = 2.5 };

static struct pm_thread threads[] = { { .tid = 10, .name = "shop" },
	                              { .tid = 11, .name = "clerk" } };

static struct trace_report make_report(void)
{
	struct trace_report report = { .pid = 10,
		                       .name = "shop<1>",
		                       .result = &result,
		                       .stacks = stacks,
		                       .threads = threads,
		                       .thread_count = COUNT(threads),
		                       .wall_ns = 1700000000000000000 };

	report.state.running_ns = 2500000000;
	report.state.events = 25;
	return report;
}

static void the_line_of_a_stack_starts_with_the_program(void **state)
{
	struct text text = { 0 };

	(void)state;
	frames_line(&stacks[1], false, &text);
	assert_string_equal(text_terminate(&text), "grow_table < handle<a;b> < main");
	text_clear(&text);
	frames_line(&stacks[3], true, &text);
	assert_string_equal(text_terminate(&text), "touched by grow_table < handle<a;b> < main");
	text_clear(&text);
	/* A recursion is one item, and functions that only allocate are not of the program. */
	const struct pm_frame frames[] = {
		{ .function = "_PyObject_Malloc", .module = SHOP },
		{ .function = "walk", .module = SHOP },
		{ .function = "walk", .module = SHOP },
		{ .function = "walk", .module = SHOP },
		{ .address = 1 },
		{ .address = 2 },
		{ .function = "walk", .module = SHOP },
	};
	frames_line(&(struct pm_stack){ frames, COUNT(frames), false }, false, &text);
	assert_string_equal(text_terminate(&text), "walk \xc3\x97"
	                                           "3 < [unknown] \xc3\x97"
	                                           "2 < walk");
	text_clear(&text);
	/* Templates of the C++ library are not of the program, but a lambda is. */
	const struct pm_frame templates[] = {
		{ .function = "malloc", .module = LIBC },
		{ .function = "std::__new_allocator<char>::allocate", .module = SHOP },
		{ .function = "std::vector<char>::vector", .module = SHOP },
		{ .function = "std::_Function_handler<main::{lambda()#1}>::_M_invoke",
		  .module = SHOP },
		{ .function = "main", .module = SHOP },
	};
	frames_line(&(struct pm_stack){ templates, 3, false }, false, &text);
	assert_string_equal(text_terminate(&text), "std::__new_allocator<char>::allocate < "
	                                           "std::vector<char>::vector");
	text_clear(&text);
	frames_line(&(struct pm_stack){ templates, 5, false }, false, &text);
	assert_string_equal(text_terminate(&text),
	                    "std::_Function_handler<main::{lambda()#1}>::_M_invoke < main");
	text_clear(&text);
	/* Code without a name has its place in the file: it distinguishes rows. */
	const struct pm_frame stripped[] = {
		{ .module = SHOP, .module_address = 0x3030 },
		{ .module = SHOP, .module_address = 0x4040 },
		{ .module = SHOP, .module_address = 0x5050 },
	};
	frames_line(&(struct pm_stack){ stripped, 3, false }, false, &text);
	assert_string_equal(text_terminate(&text), "[shop+0x3030] < [shop] \xc3\x97"
	                                           "2");
	text_clear(&text);
	/* All frames are of libc: none is left out. */
	frames_line(&stacks[5], false, &text);
	assert_string_equal(text_terminate(&text), "__mmap < [libc.so.6]");
	text_clear(&text);
	frames_line(&stacks[4], false, &text);
	assert_string_equal(text_terminate(&text), "[no stack]");
	text_deinit(&text);
}

/** Expects a row of a list. */
static void expect_row(const struct list *list, size_t index, uint64_t resident, uint64_t calls,
                       size_t row_sites)
{
	const struct trace_row *row = list->items[index];

	assert_true(index < list->count);
	assert_int_equal(row->resident, resident);
	assert_int_equal(row->calls, calls);
	assert_int_equal(row->sites, row_sites);
}

static void rows_are_sums(void **state)
{
	const struct list_options options = { 0 };
	struct trace_report report = make_report();
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_STACK, &options, true, &error),
	                 0);
	assert_int_equal(rows.list.count, COUNT(sites));
	expect_row(&rows.list, 1, 4 << 20, 7, 1);
	trace_rows_deinit(&rows);

	/* The function of site 1 has touched the memory of site 3. */
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_FUNCTION, &options, true, &error),
	                 0);
	assert_int_equal(rows.list.count, COUNT(sites) - 1);
	expect_row(&rows.list, 1, 5 << 20, 263, 2);
	assert_int_equal(((const struct trace_row *)rows.list.items[1])->tid, 0);
	trace_rows_deinit(&rows);

	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_THREAD, &options, true, &error),
	                 0);
	assert_int_equal(rows.list.count, 3);
	expect_row(&rows.list, 1, (4 << 20) + 4096, 9, 3);
	expect_row(&rows.list, 2, 3 << 20, 259, 2);
	trace_rows_deinit(&rows);

	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_OBJECT, &options, true, &error),
	                 0);
	expect_row(&rows.list, 1, 5 << 20, 263, 2);
	trace_rows_deinit(&rows);
}

/** Expects the text of a column in a row. */
static void expect_text(const struct list *list, size_t index, const char *name, const char *wanted)
{
	struct text text = { 0 };

	assert_true(index < list->count);
	for (size_t i = 0; i < trace_rows_spec.column_count; i++) {
		const struct list_column *column = &trace_rows_spec.columns[i];

		if (strcmp(column->name, name) == 0)
			column->text(column, list->items[index], &text);
	}
	assert_string_equal(text_terminate(&text), wanted);
	text_deinit(&text);
}

static void memory_from_before_is_of_no_thread(void **state)
{
	const struct list_options options = { 0 };
	struct trace_report report = make_report();
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	report.per_thread = true;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_THREAD, &options, true, &error),
	                 0);
	expect_text(&rows.list, 0, "thread", "[mapped before the trace]");
	expect_text(&rows.list, 1, "thread", "shop");
	expect_text(&rows.list, 2, "thread", "clerk");
	trace_rows_deinit(&rows);
}

static void rows_have_different_texts(void **state)
{
	/* The stacks differ only in addresses. */
	struct pm_frame other[COUNT(grow)];
	struct pm_stack two[] = { { grow, COUNT(grow), false }, { other, COUNT(grow), false } };
	struct pm_trace_site both[] = { sites[1], sites[2] };
	const struct pm_trace_result pair = { .sites = both, .count = 2 };
	const struct list_options options = { 0 };
	struct trace_report report = make_report();
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	memcpy(other, grow, sizeof other);
	other[2].address++;
	report.result = &pair;
	report.stacks = two;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_STACK, &options, true, &error),
	                 0);
	assert_int_equal(rows.list.count, 2);
	trace_rows_deinit(&rows);

	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_LINE, &options, true, &error), 0);
	assert_int_equal(rows.list.count, 1);
	expect_row(&rows.list, 0, 6 << 20, 10, 2);
	expect_text(&rows.list, 0, "thread", "several");
	expect_text(&rows.list, 0, "site", "grow_table < handle<a;b> < main");
	trace_rows_deinit(&rows);
}

static void memory_of_no_thread_is_not_that_of_several(void **state)
{
	const struct list_options options = { 0 };
	struct trace_report report = make_report();
	struct pm_trace_site changed[COUNT(sites)];
	struct pm_trace_result copy = *report.result;
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	memcpy(changed, sites, sizeof sites);
	changed[2].tid = 0;
	copy.sites = changed;
	report.result = &copy;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_THREAD, &options, true, &error),
	                 0);

	assert_int_equal(rows.list.count, 4);
	expect_row(&rows.list, 0, 8 << 20, 0, 1);
	expect_row(&rows.list, 2, 2 << 20, 3, 1);
	trace_rows_deinit(&rows);
}

static void changes_are_since_the_previous_result(void **state)
{
	const struct list_options options = { 0 };
	struct trace_report report = make_report();
	/* Site 2 did not exist, and site 1 has shrunk by 1 MiB. */
	struct pm_trace_site old[] = { sites[0], sites[1], sites[3], sites[4] };
	struct pm_trace_result last = { .sites = old, .count = COUNT(old) };
	struct pm_error error;
	struct trace_rows rows;

	(void)state;
	old[1].resident = 5 << 20;
	trace_report_sort(&last);
	report.last = &last;
	assert_int_equal(trace_rows_init(&rows, &report, TRACE_BY_STACK, &options, true, &error),
	                 0);

	/* The site without a change and without memory is left out. */
	assert_int_equal(rows.list.count, COUNT(sites) - 1);
	assert_int_equal(((const struct trace_row *)rows.list.items[0])->change, 2 << 20);
	assert_int_equal(((const struct trace_row *)rows.list.items[1])->change, -(1 << 20));
	assert_int_equal(((const struct trace_row *)rows.list.items[2])->change, 0);
	trace_rows_deinit(&rows);
}

static void the_tree_has_sums(void **state)
{
	struct trace_report report = make_report();
	struct trace_tree tree;

	(void)state;
	trace_tree_init(&tree, &report);
	assert_int_equal(tree.nodes[0].bytes, (7 << 20) + 4096);
	for (size_t i = 0; i < tree.count; i++) {
		uint64_t sum = 0;
		size_t child = tree.nodes[i].child;

		for (; child != TRACE_TREE_NONE; child = tree.nodes[child].sibling) {
			assert_true(child > i);
			assert_int_equal(tree.nodes[child].start, tree.nodes[i].start + sum);
			assert_int_equal(tree.nodes[child].parent, i);
			sum += tree.nodes[child].bytes;
		}
		assert_true(sum == 0 || sum == tree.nodes[i].bytes);
	}
	assert_int_equal(trace_report_untouched(&report), 8 << 20);
	trace_tree_deinit(&tree);
}

static void folded_stacks_have_one_line_each(void **state)
{
	struct trace_report report = make_report();
	struct text text = { 0 };

	(void)state;
	assert_int_equal(trace_folded_make(&report, &text, NULL), 0);
	assert_string_equal(
		text_terminate(&text),
		"[callers not known];main;[unknown];</title><script>&\"\\x0a\\xff 2097152\n"
		"[mapped before the trace];main;handle<a:b>;grow_table;malloc;__mmap 1048576\n"
		"[no stack] 4096\n"
		"main;handle<a:b>;grow_table;malloc;__mmap 4194304\n");
	text_deinit(&text);
}

/** Returns the number of times that a text occurs. */
static size_t occurrences(const char *text, const char *wanted)
{
	size_t count = 0;

	while ((text = strstr(text, wanted))) {
		text += strlen(wanted);
		count++;
	}
	return count;
}

static void names_cannot_leave_the_text_of_the_flame_graph(void **state)
{
	struct trace_report report = make_report();
	struct text text = { 0 };

	(void)state;
	assert_int_equal(trace_svg_make(&report, &text, NULL), 0);
	const char *svg = text_terminate(&text);

	assert_int_equal(occurrences(svg, "<script>"), 1);
	assert_non_null(strstr(svg, "&lt;/title&gt;&lt;script&gt;&amp;&quot;\\x0a\\xff"));
	assert_non_null(strstr(svg, "shop&lt;1&gt;"));
	assert_int_equal(occurrences(svg, "<g class=\"f\">"), occurrences(svg, "<title>"));
	/* A function on three lines of callers is there once for each. */
	assert_int_equal(occurrences(svg, "<title>grow_table\n"), 2);
	assert_non_null(strstr(svg, "8.0M mapped before the trace and not touched"));
	text_deinit(&text);
}

static void the_flame_graph_needs_nothing_else(void **state)
{
	static const char *const forbidden[] = { "http://",  "https://", "eval", "innerHTML",
		                                 "onclick=", "style=",   "]]>",  "import" };

	(void)state;
	for (const char *const *line = trace_svg_script; *line; line++) {
		for (size_t i = 0; i < COUNT(forbidden); i++)
			assert_null(strstr(*line, forbidden[i]));
	}
}

static void a_flame_graph_without_memory_is_valid(void **state)
{
	struct pm_trace_result empty = { .seconds = 1 };
	struct trace_report report = make_report();
	struct text text = { 0 };

	(void)state;
	report.result = &empty;
	assert_int_equal(trace_svg_make(&report, &text, NULL), 0);
	assert_int_equal(occurrences(text_terminate(&text), "<g class"), 0);
	assert_null(strstr(text_terminate(&text), "nan"));
	text_deinit(&text);
}

static void json_has_all_frames(void **state)
{
	json_t *list = frames_json(&stacks[1]);

	(void)state;
	assert_int_equal(json_array_size(list), COUNT(grow));
	json_t *frame = json_array_get(list, 2);
	assert_string_equal(json_string_value(json_object_get(frame, "function")), "grow_table");
	assert_string_equal(json_string_value(json_object_get(frame, "address")), "0x555500003030");
	assert_true(json_is_true(json_object_get(frame, "inlined")));
	assert_int_equal(json_integer_value(json_object_get(frame, "source_line")), 12);
	assert_null(json_object_get(json_array_get(list, 0), "inlined"));
	json_decref(list);
}

/** Reads a varint of protobuf. */
static uint64_t read_varint(const struct text *text, size_t *at)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		assert_true(*at < text->length);
		unsigned char byte = (unsigned char)text->bytes[(*at)++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	fail();
	return 0;
}

/** Counts the fields of a message by number, and checks that the message is complete. */
static void count_fields(const struct text *text, size_t *counts, size_t max)
{
	size_t at = 0;

	while (at < text->length) {
		uint64_t tag = read_varint(text, &at);
		uint64_t value = read_varint(text, &at);

		assert_true(tag >> 3 < max);
		counts[tag >> 3]++;
		assert_true((tag & 7) == 0 || (tag & 7) == 2);
		if ((tag & 7) == 2)
			at += value;
		assert_true(at <= text->length);
	}
}

static void uncompress_profile(const struct text *profile, struct text *whole)
{
	z_stream stream = { .next_in = (Bytef *)profile->bytes, .avail_in = (uInt)profile->length };
	const size_t room = 1 << 20;

	assert_int_equal(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
	stream.next_out = (Bytef *)text_room(whole, room);
	stream.avail_out = (uInt)room;
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	whole->length = stream.total_out;
	inflateEnd(&stream);
}

static void the_profile_has_each_thing_once(void **state)
{
	struct trace_report report = make_report();
	struct text profile = { 0 }, whole = { 0 };
	struct pm_error error;
	size_t counts[16] = { 0 };

	(void)state;
	assert_int_equal(trace_pprof_make(&report, &profile, &error), 0);
	uncompress_profile(&profile, &whole);
	count_fields(&whole, counts, COUNT(counts));

	assert_int_equal(counts[1], 3); /* types of values */
	assert_int_equal(counts[2], 5); /* samples: without the untouched memory */
	assert_int_equal(counts[3], 2); /* mappings: shop and libc */
	/* __mmap, malloc, handle with grow_table, main twice, two of generated code, libc, none. */
	assert_int_equal(counts[4], 9);
	assert_int_equal(counts[5], 9); /* functions: "main" once */
	assert_non_null(memmem(whole.bytes, whole.length, "8c5f00aa", strlen("8c5f00aa")));
	text_deinit(&profile);
	text_deinit(&whole);
}

static void the_header_has_the_rate_and_the_losses(void **state)
{
	struct trace_report report = make_report();
	struct out out;

	(void)state;
	out_init(&out, -1);
	out.width = SIZE_MAX;
	assert_int_equal(trace_header_print(&report, false, &out), 3);
	const char *header = text_terminate(&out.buffer);
	assert_non_null(strstr(header, "shop<1> (10)  traced for 2.5 s by perf, 10.0 events/s, "
	                               "lost 0\n"));
	assert_non_null(strstr(header, "mapped before the trace: 9.0M resident, change +1.0M\n"));
	text_deinit(&out.buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_of_a_stack_starts_with_the_program),
		cmocka_unit_test(rows_are_sums),
		cmocka_unit_test(memory_from_before_is_of_no_thread),
		cmocka_unit_test(rows_have_different_texts),
		cmocka_unit_test(memory_of_no_thread_is_not_that_of_several),
		cmocka_unit_test(changes_are_since_the_previous_result),
		cmocka_unit_test(the_tree_has_sums),
		cmocka_unit_test(folded_stacks_have_one_line_each),
		cmocka_unit_test(names_cannot_leave_the_text_of_the_flame_graph),
		cmocka_unit_test(the_flame_graph_needs_nothing_else),
		cmocka_unit_test(a_flame_graph_without_memory_is_valid),
		cmocka_unit_test(json_has_all_frames),
		cmocka_unit_test(the_profile_has_each_thing_once),
		cmocka_unit_test(the_header_has_the_rate_and_the_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
