/* SPDX-License-Identifier: MIT */
/* Trees of what roots hold in the target `trees`, compared with what the target printed. */
#include <procmem/retained_tree.h>

#include <procmem/retained.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/graph_session.h"

static struct graph_session session;
static struct pm_retained_tree tree;

static int begin(void **state)
{
	(void)state;
	struct pm_error error;
	target_start(&session.target, "trees", NULL);
	graph_session_open(&session);

	uint32_t root = graph_session_root(&session, PM_ROOT_GLOBAL, "g_shop");
	assert_int_not_equal(root, UINT32_MAX);
	must(pm_retained_tree_find(session.graph, root, NULL, &tree, &error), &error);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pm_retained_tree_deinit(&tree);
	graph_session_close(&session);
	return 0;
}

/** Returns the sum of the sizes of a group. */
static uint64_t bytes_of(const char *name)
{
	struct graph_group group = graph_session_group(&session, name);
	return group.count * group.size;
}

/** Returns the only row with the chunks of a group. */
static const struct pm_retained_row *row_of(const char *name)
{
	const struct pm_retained_row *found = NULL;
	uint64_t size = graph_session_group(&session, name).size;

	for (size_t i = 0; i < tree.count; i++) {
		if (tree.rows[i].size != size)
			continue;
		assert_null(found);
		found = &tree.rows[i];
	}

	assert_non_null(found);
	return found;
}

/**
 * Expects a row with all chunks of a group.
 * @param above  the group of the row above, or NULL
 * @param held   bytes in the row and below it
 */
static void expect_row(const char *name, const char *above, uint64_t held)
{
	const struct pm_retained_row *row = row_of(name);
	struct graph_group group = graph_session_group(&session, name);
	struct pm_chunk chunk;

	print_message("%s: %llu chunks, %llu held\n", name, (unsigned long long)row->chunks,
	              (unsigned long long)row->held);
	assert_int_equal(row->chunks, group.count);
	assert_int_equal(row->bytes, bytes_of(name));
	assert_int_equal(row->held, held);
	assert_int_equal(row->head_size,
	                 group.size - 8 < PM_CHUNK_HEAD_SIZE ? group.size - 8 : PM_CHUNK_HEAD_SIZE);
	assert_true(pm_heap_find(session.heap, row->example, &chunk));
	assert_int_equal(chunk.size, group.size);

	if (!above) {
		assert_int_equal(row->parent, PM_RETAINED_NO_ROW);
		assert_int_equal(row->depth, 0);
		return;
	}
	assert_int_equal(row->parent, row_of(above) - tree.rows);
	assert_int_equal(row->depth, row_of(above)->depth + 1);
}

static void chunks_are_below_their_dominators(void **state)
{
	(void)state;
	uint64_t orders = bytes_of("order") + bytes_of("payload");
	uint64_t knots = bytes_of("knot") + bytes_of("leaf");
	uint64_t links = bytes_of("link") + knots;
	uint64_t all = bytes_of("shop") + bytes_of("table") + bytes_of("shared") + orders + links;

	expect_row("shop", NULL, all);
	expect_row("table", "shop", bytes_of("table"));
	expect_row("shared", "shop", bytes_of("shared"));
	expect_row("order", "shop", orders);
	expect_row("payload", "order", bytes_of("payload"));
	assert_int_equal(tree.bytes, all);
}

static void a_chain_of_two_sizes_is_two_rows(void **state)
{
	(void)state;
	expect_row("link", "shop", bytes_of("link") + bytes_of("knot") + bytes_of("leaf"));
	expect_row("knot", "link", bytes_of("knot") + bytes_of("leaf"));
	expect_row("leaf", "knot", bytes_of("leaf"));
	assert_int_equal(tree.count, 8);
	assert_false(tree.cut);
}

static void rows_follow_the_row_above(void **state)
{
	(void)state;
	uint64_t chunks = 0;

	for (size_t i = 0; i < tree.count; i++) {
		const struct pm_retained_row *row = &tree.rows[i];
		chunks += row->chunks;
		if (row->parent == PM_RETAINED_NO_ROW)
			continue;
		assert_true(row->parent < i);
		/* All rows between the two are below the row above. */
		for (size_t k = row->parent + 1; k < i; k++)
			assert_true(tree.rows[k].depth >= row->depth);
		if (tree.rows[i - 1].depth == row->depth)
			assert_true(tree.rows[i - 1].held >= row->held);
	}

	assert_int_equal(chunks, tree.chunks);
}

static void a_search_can_be_cancelled(void **state)
{
	(void)state;
	volatile sig_atomic_t cancel = 0;
	struct graph_session other = { .cancel = &cancel };
	struct pm_retained_tree none;
	struct pm_error error = { 0 };

	target_start(&other.target, "trees", NULL);
	graph_session_open(&other);
	cancel = 1;
	assert_int_equal(pm_retained_tree_find(other.graph, 0, NULL, &none, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	graph_session_close(&other);
}

static void a_tree_has_what_the_table_of_roots_says(void **state)
{
	(void)state;
	struct pm_retained retained;
	struct pm_error error;
	must(pm_retained_find(session.graph, &retained, &error), &error);

	for (size_t i = 0; i < retained.root_count; i++) {
		const struct pm_retained_root *root = &retained.roots[i];
		struct pm_retained_tree other;
		must(pm_retained_tree_find(session.graph, root->root, NULL, &other, &error),
		     &error);
		assert_int_equal(other.chunks, root->chunks);
		assert_int_equal(other.bytes, root->held);
		pm_retained_tree_deinit(&other);
	}

	assert_true(retained.root_count >= 2);
	pm_retained_deinit(&retained);
}

/** The pointers need memory in addition to that of the chunks. */
static void the_limit_of_the_memory_holds(void **state)
{
	(void)state;
	enum { CHUNK_BYTES = 60 };
	const uint64_t chunks = (uint64_t)CHUNK_BYTES * session.heap->chunk_count;
	const uint64_t limits[] = { chunks + 4 * (tree.chunks - 1), chunks + (1 << 20) };

	for (int i = 0; i < 2; i++) {
		const struct pm_graph_options options = { .memory_max = limits[i] };
		struct pm_retained_tree other = { 0 };
		struct pm_graph *graph;
		struct pm_error error = { 0 };
		must(pm_graph_open(session.copy, session.heap, session.symbols, &options, &graph,
		                   &error),
		     &error);

		/* Each chunk has at least one pointer to it. The order of the roots is the same. */
		uint32_t root = graph_session_root(&session, PM_ROOT_GLOBAL, "g_shop");
		int result = pm_retained_tree_find(graph, root, NULL, &other, &error);
		assert_int_equal(result, i == 0 ? -1 : 0);
		if (i == 0)
			assert_int_equal(error.kind, PM_ERROR_RESOURCES);
		pm_retained_tree_deinit(&other);
		pm_graph_close(graph);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_below_their_dominators),
		cmocka_unit_test(a_chain_of_two_sizes_is_two_rows),
		cmocka_unit_test(rows_follow_the_row_above),
		cmocka_unit_test(a_search_can_be_cancelled),
		cmocka_unit_test(a_tree_has_what_the_table_of_roots_says),
		cmocka_unit_test(the_limit_of_the_memory_holds),
	};

	return cmocka_run_group_tests_name("retained_tree", tests, begin, end);
}
