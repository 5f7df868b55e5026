/* SPDX-License-Identifier: MIT */
/* What the roots of the target `holders` hold, compared with what the target printed. */
#include <procmem/retained.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/graph_session.h"

static struct graph_session session;
static struct pm_retained retained;

static int begin(void **state)
{
	(void)state;
	struct pm_error error;
	target_start(&session.target, "holders", NULL);
	graph_session_open(&session);
	must(pm_retained_find(session.graph, &retained, &error), &error);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pm_retained_deinit(&retained);
	graph_session_close(&session);
	return 0;
}

/** Returns what a root holds; the root must hold something. */
static struct pm_retained_root find(unsigned kind, const char *name)
{
	uint32_t root = graph_session_root(&session, kind, name);
	if (root == UINT32_MAX)
		fail_msg("there is no root '%s'", name);

	for (size_t i = 0; i < retained.root_count; i++)
		if (retained.roots[i].root == root)
			return retained.roots[i];
	fail_msg("'%s' holds nothing", name);
	return (struct pm_retained_root){ 0 };
}

/** Returns the sum of the sizes of a group. */
static uint64_t bytes_of(const char *name)
{
	struct graph_group group = graph_session_group(&session, name);
	return group.count * group.size;
}

static void expect_held(unsigned kind, const char *root, const char *group)
{
	struct pm_retained_root found = find(kind, root);
	assert_int_equal(found.held, bytes_of(group));
	assert_int_equal(found.chunks, graph_session_group(&session, group).count);
	if (found.only_known)
		assert_int_equal(found.only, found.held);
}

static void variables_hold_their_chunks(void **state)
{
	(void)state;
	expect_held(PM_ROOT_GLOBAL, "g_list", "list");
	expect_held(PM_ROOT_GLOBAL, "g_owned", "owned");
	expect_held(PM_ROOT_STATIC, "table", "table");
	expect_held(PM_ROOT_GLOBAL, "g_inside", "inside");

	struct pm_retained_root big = find(PM_ROOT_GLOBAL, "g_big");
	assert_int_equal(big.held, bytes_of("big") + bytes_of("last"));
}

static void threads_hold_their_chunks(void **state)
{
	(void)state;
	expect_held(PM_ROOT_THREAD_LOCAL, "local", "local");
	expect_held(PM_ROOT_STACK, "worker", "stack");
}

static void shared_chunks_are_in_a_set(void **state)
{
	(void)state;
	struct pm_retained_root one = find(PM_ROOT_GLOBAL, "g_one");
	struct pm_retained_root two = find(PM_ROOT_GLOBAL, "g_two");

	assert_int_equal(one.held + two.held, bytes_of("one") + bytes_of("two") + bytes_of("both"));
	assert_true(one.only_known && two.only_known);
	assert_int_equal(one.only, bytes_of("one"));
	assert_int_equal(two.only, bytes_of("two"));

	assert_true(retained.set_count >= 1);
	const struct pm_retained_set *set = &retained.sets[0];
	struct pm_chunk chunk;
	assert_int_equal(set->count, 2);
	assert_false(set->others);
	assert_int_equal(set->bytes, bytes_of("both"));
	assert_int_equal(retained.roots[set->roots[0]].root + retained.roots[set->roots[1]].root,
	                 one.root + two.root);
	/* Both have too many pointers for stale ones. */
	assert_false(set->nearly_only);
	for (size_t i = 0; i < set->count; i++) {
		assert_int_equal(retained.roots[set->roots[i]].nearly_only,
		                 retained.roots[set->roots[i]].only);
		assert_true(pm_heap_find(session.heap, set->entries[i].entry, &chunk));
		assert_int_equal(chunk.size, graph_session_group(&session, "both").size);
		assert_int_equal(set->entries[i].words,
		                 graph_session_group(&session, "both").count);
	}
}

/** One variable has five pointers to the chunks, another one has a single pointer: both are
 * reported. */
static void a_stray_pointer_is_found(void **state)
{
	(void)state;
	struct graph_group chain = graph_session_group(&session, "chain");
	const struct pm_retained_set *set = NULL;

	for (size_t i = 0; i < retained.set_count; i++)
		if (retained.sets[i].bytes == bytes_of("chain"))
			set = &retained.sets[i];

	assert_non_null(set);
	assert_int_equal(set->count, 2);
	size_t stray = retained.roots[set->roots[0]].root ==
	                               graph_session_root(&session, PM_ROOT_GLOBAL, "g_stray")
	                       ? 0
	                       : 1;
	const struct pm_retained_entry *entry = &set->entries[stray];
	assert_int_equal(entry->words, 1);
	assert_int_equal(entry->entry, chain.example);
	assert_int_equal(entry->from, strtoull(target_fact(&session.target, "stray"), NULL, 16));
	assert_int_equal(set->entries[1 - stray].words, 5);

	/* Without the single pointer, the chunks are those of the other variable. */
	const struct pm_retained_root *main = &retained.roots[set->roots[1 - stray]];
	assert_true(set->nearly_only);
	assert_int_equal(set->main, set->roots[1 - stray]);
	assert_int_equal(main->only, 0);
	assert_int_equal(main->nearly_only, bytes_of("chain"));
	assert_int_equal(main->but_words, 1);
	assert_int_equal(retained.roots[set->roots[stray]].but_words, 0);

	assert_int_equal(retained.roots[set->roots[stray]].root,
	                 graph_session_root(&session, PM_ROOT_GLOBAL, "g_stray"));
}

static void all_chunks_are_attributed_once(void **state)
{
	(void)state;
	uint64_t bytes = retained.lost_bytes, chunks = retained.lost_chunks;
	for (size_t i = 0; i < retained.root_count; i++) {
		bytes += retained.roots[i].held;
		chunks += retained.roots[i].chunks;
		if (i > 0)
			assert_true(retained.roots[i - 1].held >= retained.roots[i].held);
	}

	assert_int_equal(bytes, retained.in_use_bytes);
	assert_int_equal(chunks, retained.in_use_chunks);
	assert_int_equal(retained.lost_bytes, bytes_of("single") + bytes_of("head") +
	                                              bytes_of("tail") + bytes_of("self") +
	                                              bytes_of("mapped") + bytes_of("ring") +
	                                              bytes_of("knot") + bytes_of("hanging"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_hold_their_chunks),
		cmocka_unit_test(threads_hold_their_chunks),
		cmocka_unit_test(shared_chunks_are_in_a_set),
		cmocka_unit_test(a_stray_pointer_is_found),
		cmocka_unit_test(all_chunks_are_attributed_once),
	};

	return cmocka_run_group_tests_name("retained", tests, begin, end);
}
