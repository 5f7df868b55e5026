/* SPDX-License-Identifier: MIT */
/*
 * The radix tree leads to all extents. The structures of the extents, and the nodes of the tree,
 * are in blocks (base_block_s), which jemalloc maps for its own data:
 *
 *	 0  size of the block, a multiple of 2 MiB, to which it is aligned
 *	 8  next block
 *	16  an extent: the rest of the block that is not used so far
 */
#include "runtimes/jemalloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "heap/heap.h"
#include "heap/jemalloc_find.h"

enum {
	BLOCK = 2 << 20,
	/* A block with a part of the own data starts at most this number of steps below it */
	STEPS_MAX = 64,
	/* Blocks that are followed in a list */
	LIST_MAX = 4096,
	/* Indexes of the words in the extent of a block that are its address and its size */
	REST_ADDRESS = 3,
	REST_SIZE = 4,
	BLOCK_WORDS = 5,
};

/** A walk over the extents. */
struct walk {
	struct pm_runtimes_context *context;
	struct pm_runtime_jemalloc *found;
	bool out_of_time;
};

static int add_extent(void *context, uint64_t page, const struct pm_jemalloc_extent *extent,
                      const char *why, struct pm_error *error)
{
	struct walk *walk = context;

	(void)why;
	if (pm_runtime_ends(walk->context)) {
		walk->out_of_time = true;
		return pm_error_set(error, PM_ERROR_CANCELLED, 0, "out of time");
	}
	if (!extent) {
		walk->found->damaged++;
		return 0;
	}

	walk->found->extents++;
	pm_runtime_add_range(walk->context, page, page + extent->size, PM_OWNER_JEMALLOC,
	                     PM_PROOF_PROVEN);
	return 0;
}

/**
 * Reads the start of a block.
 * @param next  receives the next block
 * @return      its size; 0 if this is not a block
 */
static uint64_t read_block(struct pm_runtimes_context *context, uint64_t block, uint64_t *next)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, block);
	uint64_t words[BLOCK_WORDS];

	if (block % BLOCK != 0 || !region || region->inode != 0 ||
	    !pm_runtime_read(context, block, words, sizeof words))
		return 0;

	uint64_t size = words[0], rest = words[REST_ADDRESS];
	if (size == 0 || size % BLOCK != 0 || size > region->end - block || rest <= block ||
	    rest - block > size || words[REST_SIZE] != size - (rest - block))
		return 0;

	*next = words[1];
	return size;
}

/** Adds a block and those that follow in its list. */
static void add_blocks(struct pm_runtimes_context *context, uint64_t block)
{
	uint64_t size;

	for (unsigned i = 0; i < LIST_MAX && block != 0; i++) {
		uint64_t next = 0;

		size = read_block(context, block, &next);
		if (size == 0)
			return;
		pm_runtime_add_range(context, block, block + size, PM_OWNER_JEMALLOC,
		                     PM_PROOF_PROVEN);
		block = next;
	}
}

/**
 * Adds the block that contains an address of the own data.
 * @return the end of the block; 0 if no block was found
 */
static uint64_t add_block_of(struct pm_runtimes_context *context, uint64_t address)
{
	uint64_t block = address / BLOCK * BLOCK;

	for (unsigned i = 0; i < STEPS_MAX && block != 0; i++, block -= BLOCK) {
		uint64_t next, size = read_block(context, block, &next);
		if (size > address - block) {
			add_blocks(context, block);
			return block + size;
		}
	}

	return 0;
}

/** Adds the data of jemalloc itself: nodes of the tree, extents, and the blocks with them. */
static void add_own(struct pm_runtimes_context *context, const struct pm_heap_handle *heap)
{
	uint64_t known = 0;

	for (size_t i = 0; i < heap->own_count && !pm_runtime_ends(context); i++) {
		const struct pm_range *own = &heap->own[i];

		pm_runtime_add_range(context, own->start, own->end, PM_OWNER_JEMALLOC,
		                     PM_PROOF_PROVEN);
		if (own->start >= known)
			known = pm_max(known, add_block_of(context, own->start));
	}
}

/** Reads all extents. Returns 0, or -1 on errors other than the end of the time. */
static int read_tree(struct pm_runtimes_context *context, struct pm_heap_handle *heap,
                     const struct pm_jemalloc_tree *tree, struct pm_runtime_jemalloc *found,
                     struct pm_error *error)
{
	struct walk walk = { context, found, false };
	struct pm_error why = { 0 };
	int result = pm_jemalloc_tree_walk(heap, tree, add_extent, &walk, &why);

	found->versions = tree->layout->versions;
	found->complete = result == 0 && found->damaged == 0;
	if (result < 0 && !walk.out_of_time) {
		if (error)
			*error = why;
		return -1;
	}

	add_own(context, heap);
	return 0;
}

int pm_runtime_jemalloc_read(struct pm_runtimes_context *context, struct pm_runtime_jemalloc *found,
                             struct pm_error *error)
{
	struct pm_heap_handle heap = { .source = context->memory, .window = context->window };
	struct pm_jemalloc_tree tree;

	*found = (struct pm_runtime_jemalloc){ 0 };
	int result = pm_jemalloc_find(&heap, &tree, error);
	if (result > 0 && read_tree(context, &heap, &tree, found, error) < 0)
		result = -1;

	pm_heap_index_deinit(&heap.index);
	free(heap.own);
	return result;
}
