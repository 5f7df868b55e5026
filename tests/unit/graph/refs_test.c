/* SPDX-License-Identifier: MIT */
/* References in the target `holders`, whose structure is known. */
#include <procmem/refs.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/graph_session.h"

enum { REFS_MAX = 64 };

/** References that were found. */
struct found {
	struct pm_ref refs[REFS_MAX];
	size_t count;
};

static struct graph_session session;

static int begin(void **state)
{
	(void)state;
	target_start(&session.target, "holders", NULL);
	graph_session_open(&session);
	return 0;
}

static int end(void **state)
{
	(void)state;
	graph_session_close(&session);
	return 0;
}

static int collect(void *context, const struct pm_ref *ref)
{
	struct found *found = context;
	assert_true(found->count < REFS_MAX);
	found->refs[found->count++] = *ref;
	return 0;
}

/** Returns the chunk of the example of a group. */
static struct pm_chunk chunk_of(const char *group)
{
	struct pm_chunk chunk;
	assert_true(
		pm_heap_find(session.heap, graph_session_group(&session, group).example, &chunk));
	return chunk;
}

static struct found refs_to(const char *group)
{
	struct pm_chunk chunk = chunk_of(group);
	struct pm_range range = { chunk.start, chunk.end };
	struct found found = { .count = 0 };
	struct pm_error error;
	must(pm_refs_find(session.graph, range, collect, &found, &error), &error);
	return found;
}

static const struct pm_root *root_of(const struct pm_ref *ref)
{
	size_t count;
	const struct pm_root *roots = pm_graph_roots(session.graph, &count);
	assert_true(ref->root < count);
	return &roots[ref->root];
}

static void a_variable_refers_to_a_chunk(void **state)
{
	(void)state;
	struct found found = refs_to("table");
	assert_int_equal(found.count, 1);

	const struct pm_root *root = root_of(&found.refs[0]);
	assert_string_equal(root->name, "table");
	assert_int_equal(root->kind, PM_ROOT_STATIC);
	assert_int_equal(root->end - root->start, 800);
	assert_non_null(strstr(root->module, "/holders"));
	assert_int_equal(found.refs[0].offset, 7 * 8);
	assert_int_equal(found.refs[0].address, root->start + 7 * 8);
	assert_int_equal(found.refs[0].value, chunk_of("table").start);
}

static void two_variables_refer_to_a_chunk(void **state)
{
	(void)state;
	struct found found = refs_to("both");
	assert_int_equal(found.count, 2);
	assert_int_equal(root_of(&found.refs[0])->kind, PM_ROOT_GLOBAL);
	assert_int_equal(root_of(&found.refs[1])->kind, PM_ROOT_GLOBAL);
	assert_int_equal(found.refs[0].offset, 16);
	assert_int_equal(found.refs[1].offset, 16);
}

static void a_pointer_to_the_middle_refers_to_a_chunk(void **state)
{
	(void)state;
	struct found found = refs_to("inside");
	assert_int_equal(found.count, 1);
	assert_string_equal(root_of(&found.refs[0])->name, "g_inside");
	assert_int_equal(found.refs[0].value, chunk_of("inside").start + 333);
}

static void threads_refer_to_chunks(void **state)
{
	(void)state;
	struct found found = refs_to("local");
	assert_int_equal(found.count, 1);
	assert_string_equal(root_of(&found.refs[0])->name, "local");
	assert_string_equal(root_of(&found.refs[0])->thread_name, "worker");
	assert_int_equal(root_of(&found.refs[0])->kind, PM_ROOT_THREAD_LOCAL);

	found = refs_to("stack");
	assert_int_equal(found.count, 1);
	assert_string_equal(root_of(&found.refs[0])->thread_name, "worker");
	assert_int_equal(root_of(&found.refs[0])->kind, PM_ROOT_STACK);
}

static void a_chunk_refers_to_a_chunk(void **state)
{
	(void)state;
	struct found found = refs_to("tail");
	assert_int_equal(found.count, 1);
	assert_int_equal(found.refs[0].root, PM_REF_CHUNK);
	assert_int_equal(found.refs[0].offset, 0);
	assert_int_equal(found.refs[0].chunk.start, chunk_of("head").start);

	/* The pointers are at the end of a large chunk. */
	found = refs_to("last");
	assert_int_equal(found.count, 1);
	assert_int_equal(found.refs[0].chunk.start, chunk_of("big").start);
	assert_int_equal(found.refs[0].offset, 512 * 1024 - 8);
}

static void a_lost_chunk_has_no_references(void **state)
{
	(void)state;
	assert_int_equal(refs_to("single").count, 0);
	assert_int_equal(refs_to("mapped").count, 0);
	/* Its own pointer does not count. */
	assert_int_equal(refs_to("self").count, 0);
}

static void the_pointers_in_a_chunk_are_found(void **state)
{
	(void)state;
	struct pm_chunk knot = chunk_of("knot"), big = chunk_of("big");
	struct found found = { .count = 0 };
	struct pm_error error;

	must(pm_refs_from(session.graph, (struct pm_range){ knot.start, knot.end }, collect, &found,
	                  &error),
	     &error);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.refs[0].chunk.size, knot.size);
	assert_int_equal(found.refs[0].offset, 0);

	found.count = 0;
	must(pm_refs_from(session.graph, (struct pm_range){ big.start, big.end }, collect, &found,
	                  &error),
	     &error);
	assert_int_equal(found.count, 10);
	assert_int_equal(found.refs[9].chunk.start, chunk_of("last").start);
}

/** Expects a path from the example of a group to a variable. */
static struct pm_path path_of(const char *group, size_t steps, const char *root)
{
	struct pm_error error;
	struct pm_path path = { 0 };
	int result = pm_refs_path(session.graph, chunk_of(group).start, &path, &error);
	must(result, &error);
	assert_int_equal(result, 1);
	assert_int_equal(path.count, steps);
	assert_string_equal(root_of(&path.steps[steps - 1].ref)->name, root);
	return path;
}

static void paths_lead_to_variables(void **state)
{
	(void)state;
	struct pm_path path = path_of("table", 1, "table");
	assert_int_equal(path.steps[0].ref.offset, 7 * 8);
	pm_path_deinit(&path);

	path = path_of("last", 2, "g_big");
	assert_int_equal(path.steps[0].ref.offset, 512 * 1024 - 8);
	assert_int_equal(path.length, 2);
	pm_path_deinit(&path);
}

static void lists_are_folded(void **state)
{
	(void)state;
	struct pm_path path;
	struct pm_error error;
	struct pm_chunk last = chunk_of("list");

	/* The end of the list is 997 nodes after the example. */
	for (int i = 0; i < 997; i++) {
		uint64_t next;
		must(pm_reader_read(&session.reader, last.start, &next, sizeof next, NULL, &error),
		     &error);
		assert_true(pm_heap_find(session.heap, next, &last));
	}

	assert_int_equal(pm_refs_path(session.graph, last.start, &path, &error), 1);
	assert_int_equal(path.length, 1000);
	assert_int_equal(path.count, 2);
	assert_int_equal(path.steps[0].repeats, 999);
	assert_string_equal(root_of(&path.steps[1].ref)->name, "g_list");
	pm_path_deinit(&path);
}

static void lost_chunks_have_no_path(void **state)
{
	(void)state;
	struct pm_error error;
	struct pm_path path;
	assert_int_equal(pm_refs_path(session.graph, chunk_of("ring").start, &path, &error), 0);
	assert_int_equal(pm_refs_path(session.graph, chunk_of("single").start, &path, &error), 0);
	assert_int_equal(pm_refs_path(session.graph, 4096, &path, &error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_refers_to_a_chunk),
		cmocka_unit_test(two_variables_refer_to_a_chunk),
		cmocka_unit_test(a_pointer_to_the_middle_refers_to_a_chunk),
		cmocka_unit_test(threads_refer_to_chunks),
		cmocka_unit_test(a_chunk_refers_to_a_chunk),
		cmocka_unit_test(a_lost_chunk_has_no_references),
		cmocka_unit_test(the_pointers_in_a_chunk_are_found),
		cmocka_unit_test(paths_lead_to_variables),
		cmocka_unit_test(lists_are_folded),
		cmocka_unit_test(lost_chunks_have_no_path),
	};

	return cmocka_run_group_tests_name("refs", tests, begin, end);
}
