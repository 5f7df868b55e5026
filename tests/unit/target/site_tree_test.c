/* SPDX-License-Identifier: MIT */
/* Trees of stacks, made of invented sites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "target/site_tree.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))
#define SHOP         "/usr/bin/shop"
#define LIBC         "/lib/x86_64-linux-gnu/libc.so.6"

/* mmap < grow < serve < main, and mmap < log < main */
static const struct pm_frame grow[] = {
	{ .function = "mmap", .module = LIBC, .source = PM_FRAME_SYMBOL },
	{ .function = "grow", .module = SHOP, .source = PM_FRAME_SYMBOL },
	{ .function = "serve", .module = SHOP, .source = PM_FRAME_SYMBOL },
	{ .function = "main", .module = SHOP, .source = PM_FRAME_SYMBOL },
};
static const struct pm_frame log_frames[] = {
	{ .function = "mmap", .module = LIBC, .source = PM_FRAME_SYMBOL },
	{ .function = "log", .module = SHOP, .source = PM_FRAME_SYMBOL },
	{ .function = "main", .module = SHOP, .source = PM_FRAME_SYMBOL },
};

/** Returns the frame with a path such as "main/serve", or NULL. */
static const struct html_frame *find(const struct site_tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->stacks.count; i++) {
		char found[512] = "";

		for (size_t at = i; at != 0; at = tree->stacks.frames[at].parent) {
			char longer[sizeof found];

			assert_true(tree->stacks.frames[at].parent < at);
			snprintf(longer, sizeof longer, "/%.60s%.400s",
			         tree->stacks.frames[at].name, found);
			memcpy(found, longer, sizeof found);
		}
		if (strcmp(found, path) == 0)
			return &tree->stacks.frames[i];
	}
	return NULL;
}

static void equal_callers_are_one_function(void **state)
{
	struct pm_site sites[] = {
		{ .stack = { grow, COUNT(grow), false }, .resident = 100, .mapped = 1000 },
		{ .before = true, .resident = 70 },
		{ .stack = { log_frames, COUNT(log_frames), false }, .resident = 30 },
		{ .stack = { grow, COUNT(grow), true }, .resident = 7 },
		{ .stack = { grow, COUNT(grow), false }, .resident = 5 },
		{ .stack = { log_frames, COUNT(log_frames), false },
		  .before = true,
		  .resident = 2 },
		{ .resident = 1 },
		{ .stack = { grow, COUNT(grow), false }, .mapped = 5 },
	};
	struct pm_site_list list = { .sites = sites, .count = COUNT(sites) };
	struct site_tree tree;
	(void)state;

	site_tree_init(&tree, &list);
	assert_string_equal(tree.stacks.what, "resident");
	assert_int_equal(tree.stacks.frames[0].bytes, 100 + 30 + 7 + 5 + 2 + 1);
	assert_int_equal(find(&tree, "/main")->bytes, 135);
	assert_int_equal(find(&tree, "/main/serve/grow/mmap")->bytes, 105);
	assert_int_equal(find(&tree, "/main/log")->bytes, 30);
	assert_int_equal(find(&tree, "/[callers not known]/main/serve")->bytes, 7);
	assert_int_equal(find(&tree, "/[mapped before the trace]/main/log/mmap")->bytes, 2);
	assert_int_equal(find(&tree, "/[no stack]")->bytes, 1);
	assert_int_equal(find(&tree, "/main/log/mmap")->code, HTML_CODE_SYSTEM);
	assert_int_equal(find(&tree, "/main/log")->code, HTML_CODE_PROGRAM);
	assert_int_equal(find(&tree, "/[no stack]")->code, HTML_CODE_NONE);
	site_tree_deinit(&tree);
}

static void mapped_bytes_replace_resident_ones(void **state)
{
	struct pm_site sites[] = {
		{ .stack = { grow, COUNT(grow), false }, .mapped = 1000 },
		{ .stack = { log_frames, COUNT(log_frames), false }, .mapped = 500 },
	};
	struct pm_site_list list = { .sites = sites, .count = COUNT(sites) };
	struct site_tree tree;
	(void)state;

	site_tree_init(&tree, &list);
	assert_string_equal(tree.stacks.what, "mapped");
	assert_int_equal(find(&tree, "/main")->bytes, 1500);
	site_tree_deinit(&tree);

	list.count = 0;
	site_tree_init(&tree, &list);
	assert_int_equal(tree.stacks.count, 0);
	site_tree_deinit(&tree);
}

static void trees_are_bounded(void **state)
{
	enum { SITES = SITE_TREE_SITES_MAX + 500, DEPTH = 300 };
	static struct pm_frame deep[DEPTH];
	static char names[DEPTH][16];
	struct pm_site *sites = calloc(SITES, sizeof *sites);
	struct pm_site_list list = { .sites = sites, .count = SITES };
	struct site_tree tree;
	size_t deepest = 0;
	(void)state;

	assert_non_null(sites);
	for (size_t i = 0; i < DEPTH; i++) {
		snprintf(names[i], sizeof names[i], "f%zu", i);
		deep[i] = (struct pm_frame){ .function = names[i], .source = PM_FRAME_SYMBOL };
	}
	for (size_t i = 0; i < SITES; i++)
		sites[i] = (struct pm_site){ .stack = { deep, DEPTH, false }, .resident = 1 };

	site_tree_init(&tree, &list);
	assert_int_equal(tree.stacks.frames[0].bytes, SITES);
	assert_int_equal(find(&tree, "/[smaller sites]")->bytes, 500);
	for (size_t at = tree.stacks.count - 2; at != 0; at = tree.stacks.frames[at].parent)
		deepest++;
	assert_int_equal(deepest, SITE_TREE_DEPTH_MAX);
	site_tree_deinit(&tree);
	free(sites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_callers_are_one_function),
		cmocka_unit_test(mapped_bytes_replace_resident_ones),
		cmocka_unit_test(trees_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
