/* SPDX-License-Identifier: MIT */
/* References over several levels in the target `trees`, whose structure is known. */
#include <procmem/refs_tree.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/graph_session.h"

static struct graph_session session;
static volatile sig_atomic_t cancel;

static int begin(void **state)
{
	(void)state;
	session.cancel = &cancel;
	target_start(&session.target, "trees", NULL);
	graph_session_open(&session);
	return 0;
}

static int end(void **state)
{
	(void)state;
	graph_session_close(&session);
	return 0;
}

static struct pm_refs_tree find(const char *group, const struct pm_refs_tree_options *options)
{
	struct pm_refs_tree tree;
	struct pm_chunk chunk;
	struct pm_error error;
	uint64_t example = graph_session_group(&session, group).example;

	assert_true(pm_heap_find(session.heap, example, &chunk));
	const struct pm_range range = { chunk.start, chunk.end };
	must(pm_refs_tree_find(session.graph, range, options, &tree, &error), &error);

	return tree;
}

/** What is expected of a node. */
struct expected {
	const char *group; /* the group of the chunk, or NULL for a root */
	uint64_t offset;
	uint32_t depth;
	bool again;
	uint64_t count;
};

static void expect_node(const struct pm_refs_tree *tree, size_t index,
                        const struct expected *expected)
{
	assert_true(index < tree->count);
	const struct pm_refs_node *node = &tree->nodes[index];

	print_message("%zu: %s\n", index, expected->group ? expected->group : "root");
	assert_int_equal(node->depth, expected->depth);
	assert_int_equal(node->ref.offset, expected->offset);
	assert_int_equal(node->again, expected->again);
	assert_int_equal(node->count, expected->count);
	assert_int_equal(node->searched, expected->count > 0);
	assert_int_equal(node->ref.root == PM_REF_CHUNK, expected->group != NULL);
	if (expected->group)
		assert_int_equal(node->ref.chunk.size,
		                 graph_session_group(&session, expected->group).size);
	if (node->parent != PM_REFS_NO_NODE)
		assert_int_equal(tree->nodes[node->parent].depth + 1, node->depth);
}

static void referrers_of_referrers_are_found(void **state)
{
	(void)state;
	const struct pm_refs_tree_options options = { .depth = 4, .width_first = 5, .width = 5 };
	struct pm_refs_tree tree = find("payload", &options);
	static const struct expected before[] = {
		{ "order", 8, 0, false, 2 },
		{ "table", 7 * 8, 1, false, 1 },
		/* g_shop and all payloads, except that which is the range, point to the shop. */
		{ "shop", 8, 2, false, 1001 },
		{ NULL, 0, 3, false, 0 },
	};
	static const struct expected after[] = {
		{ "order", 0, 1, false, 2 }, { "table", 8 * 8, 2, true, 0 },
		{ "order", 0, 2, false, 2 }, { "table", 9 * 8, 3, true, 0 },
		{ "order", 0, 3, false, 0 },
	};

	assert_int_equal(tree.total, 1);
	assert_false(tree.cut);
	for (size_t i = 0; i < 4; i++)
		expect_node(&tree, i, &before[i]);
	assert_int_equal(tree.nodes[2].kept, 5);
	for (size_t i = 4; i < 8; i++)
		assert_int_equal(tree.nodes[i].ref.chunk.size,
		                 graph_session_group(&session, "payload").size);
	for (size_t i = 0; i < sizeof after / sizeof *after; i++)
		expect_node(&tree, 8 + i, &after[i]);
	/* The second one of these is the table, which was searched above. */
	assert_int_equal(tree.nodes[9].searched_at, 1);

	pm_refs_tree_deinit(&tree);
}

static void pointers_of_pointers_are_found(void **state)
{
	(void)state;
	const struct pm_refs_tree_options options = {
		.to = true, .depth = 3, .width_first = 10, .width = 10
	};
	struct pm_refs_tree tree = find("link", &options);
	static const struct expected expected[] = {
		{ "knot", 0, 0, false, 2 },
		{ "link", 0, 1, false, 1 },
		{ "knot", 0, 2, false, 0 },
		{ "leaf", 8, 1, false, 0 },
	};

	assert_int_equal(tree.count, 4);
	for (size_t i = 0; i < 3; i++)
		expect_node(&tree, i, &expected[i]);
	/* The leaf was searched, and has no pointers. */
	assert_true(tree.nodes[3].searched);
	assert_int_equal(tree.nodes[3].count, 0);
	assert_int_equal(tree.nodes[3].ref.offset, 8);

	pm_refs_tree_deinit(&tree);
}

static void the_place_of_a_search_is_known(void **state)
{
	(void)state;
	const struct pm_refs_tree_options options = { .depth = 3, .width_first = 20, .width = 20 };
	struct pm_refs_tree tree = find("shop", &options);
	size_t below = 0;

	/* Each payload of the shop is held by an order, which the next order precedes in a list. So
	 * the next order is found before its own payload, but searched below this payload. */
	for (size_t i = 0; i < tree.count; i++) {
		const struct pm_refs_node *node = &tree.nodes[i];
		if (!node->again || node->searched_at == PM_REFS_NO_NODE) {
			assert_int_equal(node->searched_at, PM_REFS_NO_NODE);
			continue;
		}
		const struct pm_refs_node *searched = &tree.nodes[node->searched_at];
		assert_true(searched->searched);
		assert_int_equal(searched->ref.chunk.start, node->ref.chunk.start);
		below += node->searched_at > i;
	}
	assert_true(below >= 10);

	pm_refs_tree_deinit(&tree);
}

static void one_level_is_what_refs_find_reports(void **state)
{
	(void)state;
	const struct pm_refs_tree_options options = { .depth = 1,
		                                      .width_first = UINT64_MAX,
		                                      .width = UINT64_MAX };
	struct pm_refs_tree tree = find("shop", &options);

	assert_int_equal(tree.total, 1001);
	assert_int_equal(tree.count, 1001);
	for (size_t i = 0; i < tree.count; i++) {
		assert_int_equal(tree.nodes[i].depth, 0);
		assert_false(tree.nodes[i].searched);
		assert_int_equal(tree.nodes[i].parent, PM_REFS_NO_NODE);
	}

	pm_refs_tree_deinit(&tree);
}

static void a_search_has_limits(void **state)
{
	(void)state;
	struct pm_refs_tree_options options = { .depth = PM_REFS_DEPTH_MAX,
		                                .width_first = UINT64_MAX,
		                                .width = UINT64_MAX };
	struct pm_refs_tree tree = find("leaf", &options);
	const struct pm_range none = { 0, 1 };
	struct pm_error error;

	/* All 200 links are in a chain, but each chunk is searched once. */
	assert_true(tree.count < 10000);
	assert_false(tree.cut);
	pm_refs_tree_deinit(&tree);

	options.depth = PM_REFS_DEPTH_MAX + 1;
	assert_int_equal(pm_refs_tree_find(session.graph, none, &options, &tree, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_USAGE);

	options.depth = 3;
	cancel = 1;
	assert_int_equal(pm_refs_tree_find(session.graph, none, &options, &tree, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
	cancel = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(referrers_of_referrers_are_found),
		cmocka_unit_test(pointers_of_pointers_are_found),
		cmocka_unit_test(the_place_of_a_search_is_known),
		cmocka_unit_test(one_level_is_what_refs_find_reports),
		cmocka_unit_test(a_search_has_limits),
	};

	return cmocka_run_group_tests_name("refs_tree", tests, begin, end);
}
