/* SPDX-License-Identifier: MIT */
#include "target/site_tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"
#include "target/frames.h"

_Static_assert((int)FRAME_PROGRAM == (int)HTML_CODE_PROGRAM &&
                       (int)FRAME_SYSTEM == (int)HTML_CODE_SYSTEM &&
                       (int)FRAME_GENERATED == (int)HTML_CODE_GENERATED &&
                       (int)FRAME_MARKER == (int)HTML_CODE_NONE,
               "kinds of code have the same numbers");

/** Index of no frame. */
#define NONE SIZE_MAX

/** The relatives of a frame, as indexes. */
struct site_tree_link {
	size_t child;   /* the first function that it calls, or NONE */
	size_t sibling; /* the next function of the same caller, or NONE */
	size_t depth;   /* number of callers */
};

/** Adds a function. The tree owns its name. Returns its index. */
static size_t add_frame(struct site_tree *tree, size_t parent, char *name, enum html_code code)
{
	size_t at = tree->stacks.count++;

	if (at == tree->capacity) {
		tree->capacity = pm_max_size(at * 2, 64);
		tree->frames = alloc_array(tree->frames, tree->capacity, sizeof *tree->frames);
		tree->links = alloc_array(tree->links, tree->capacity, sizeof *tree->links);
	}
	tree->frames[at] = (struct html_frame){ .name = name, .parent = parent, .code = code };
	tree->links[at] = (struct site_tree_link){ .child = NONE, .sibling = NONE };
	return at;
}

/** Finds a function that another one calls, or adds it. The name is copied. */
static size_t find_child(struct site_tree *tree, size_t parent, const char *name,
                         enum html_code code)
{
	size_t last = NONE, at = tree->links[parent].child;

	for (; at != NONE; last = at, at = tree->links[at].sibling) {
		if (tree->frames[at].code == code && strcmp(tree->frames[at].name, name) == 0)
			return at;
	}

	at = add_frame(tree, parent, alloc_string(name), code);
	tree->links[at].depth = tree->links[parent].depth + 1;
	if (last == NONE)
		tree->links[parent].child = at;
	else
		tree->links[last].sibling = at;
	return at;
}

/** Goes to a function that another one calls, and adds bytes to it. */
static size_t enter(struct site_tree *tree, size_t parent, const char *name, enum html_code code,
                    uint64_t bytes)
{
	size_t at = find_child(tree, parent, name, code);

	tree->frames[at].bytes += bytes;
	return at;
}

static void add_site(struct site_tree *tree, const struct pm_site *site, uint64_t bytes)
{
	const struct pm_stack *stack = &site->stack;
	struct text name = { 0 };
	size_t at = 0;

	if (site->before)
		at = enter(tree, at, FRAMES_BEFORE, HTML_CODE_NONE, bytes);
	if (stack->count == 0)
		at = enter(tree, at, FRAMES_NONE, HTML_CODE_NONE, bytes);
	else if (stack->cut)
		at = enter(tree, at, FRAMES_CUT, HTML_CODE_NONE, bytes);

	for (size_t i = stack->count; i-- > 0 && tree->links[at].depth < SITE_TREE_DEPTH_MAX;) {
		text_clear(&name);
		frames_name(&stack->frames[i], &name);
		at = enter(tree, at, text_terminate(&name),
		           (enum html_code)frames_kind(&stack->frames[i]), bytes);
	}
	text_deinit(&name);
}

/** Returns the bytes of a site; 0 if no code of the trace is responsible for it. */
static uint64_t bytes_of(const struct pm_site *site, bool resident)
{
	if (site->before && site->stack.count == 0)
		return 0;
	return resident ? site->resident : site->mapped;
}

static bool has_resident(const struct pm_site_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (bytes_of(&list->sites[i], true) > 0)
			return true;
	}
	return false;
}

void site_tree_init(struct site_tree *tree, const struct pm_site_list *list)
{
	bool resident = has_resident(list);

	*tree = (struct site_tree){ 0 };
	tree->stacks.what = resident ? "resident" : "mapped";
	add_frame(tree, NONE, alloc_string("all"), HTML_CODE_NONE);

	for (size_t i = 0; i < list->count; i++) {
		uint64_t bytes = bytes_of(&list->sites[i], resident);

		if (bytes == 0)
			continue;
		tree->frames[0].bytes += bytes;
		if (i < SITE_TREE_SITES_MAX)
			add_site(tree, &list->sites[i], bytes);
		else
			enter(tree, 0, "[smaller sites]", HTML_CODE_NONE, bytes);
	}

	if (tree->stacks.count == 1)
		site_tree_deinit(tree);
	tree->stacks.frames = tree->frames;
}

void site_tree_deinit(struct site_tree *tree)
{
	/* The tree has copied the names. */
	for (size_t i = 0; i < tree->stacks.count; i++)
		free((char *)tree->frames[i].name);
	free(tree->frames);
	free(tree->links);
	*tree = (struct site_tree){ 0 };
}
