/* SPDX-License-Identifier: MIT */
/*
 * rtree_s of jemalloc 5 (rtree.h), for pointers with 48 significant bits:
 *
 *	root[1 << 18]  pointers to leaves
 *	leaf[1 << 18]  size class << 48 | address of the extent | flags in the lower 6 bits
 *
 * and for pointers with 57 significant bits:
 *
 *	root[1 << 15]  pointers to nodes
 *	node[1 << 15]  pointers to leaves
 *	leaf[1 << 15]  address of the extent, followed by 8 bytes with the size class and flags
 *
 * All pages of a slab have an entry. Other extents have entries for their first and last page.
 */
#include "heap/jemalloc_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "base/range.h"

enum {
	PAGE_BITS = 12,
	PAGE = PM_JEMALLOC_PAGE,
	USER_BITS = 47, /* addresses of user space have at most this number of bits */
	FLAGS = 63,
	/* Upper bound of the numbers of classes, and of the number that unused extents have instead
	 */
	CLASS_MAX = 240,
	/* Cost of a page of a leaf in a walk: reading it takes about as long as this number of
	 * entries */
	PAGE_COST = 8,
	/* Minimum capacity of pm_heap_handle.own */
	OWN_MIN = 1024,
	/* Result of a walk over a part of the tree: the whole walk ends there */
	WALK_ENDS = 1,
};

static const struct pm_region *writable_region(const struct pm_heap_handle *heap, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(heap->source.regions, address);
	if (!region || !(region->perms & PM_PERM_READ) || !(region->perms & PM_PERM_WRITE) ||
	    (region->perms & PM_PERM_SHARED))
		return NULL;

	return region;
}

uint64_t pm_jemalloc_tree_level_bytes(const struct pm_jemalloc_shape *shape, bool leaf)
{
	return (uint64_t)(leaf ? shape->leaf_entry : 8) << shape->bits;
}

bool pm_jemalloc_tree_may_point_to(const struct pm_heap_handle *heap, uint64_t word, uint64_t bytes)
{
	if (word == 0 || word & FLAGS)
		return false;

	const struct pm_region *region = writable_region(heap, word);
	return region && region->end - word >= bytes && region->inode == 0;
}

uint64_t pm_jemalloc_tree_extent(uint64_t entry)
{
	return entry & ((UINT64_C(1) << 48) - 1) & ~(uint64_t)FLAGS;
}

int pm_jemalloc_tree_read_extent(struct pm_heap_handle *heap, uint64_t entry, unsigned char *bytes,
                                 struct pm_error *error)
{
	uint64_t address = pm_jemalloc_tree_extent(entry);
	if (entry >> 48 > CLASS_MAX || !writable_region(heap, address))
		return 0;

	return pm_heap_window_peek(heap->window, address, bytes, PM_JEMALLOC_EXTENT_SIZE, error);
}

static uint64_t word_at(const unsigned char *bytes, size_t index)
{
	uint64_t word;
	memcpy(&word, bytes + index * 8, sizeof word);
	return word;
}

/** A walk over the tree. */
struct walk {
	struct pm_heap_handle *heap;
	const struct pm_jemalloc_tree *tree;
	pm_jemalloc_visitor *visit;
	void *context;
	uint64_t size; /* bytes of all private regions */
	uint64_t left; /* cost that is still allowed: see cost_max() */
	uint64_t end;  /* end of the extent that was visited last */
};

/** Returns the number of bytes of all private regions. */
static uint64_t private_bytes(const struct pm_regions *regions)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < regions->count; i++)
		if (!(regions->items[i].perms & PM_PERM_SHARED))
			bytes += regions->items[i].end - regions->items[i].start;
	return bytes;
}

/**
 * Returns the maximum cost of a walk: 1 for each entry that is not empty, and PAGE_COST for each
 * page of a leaf. In an untrusted process, all entries of the root can point to the same leaf, and
 * all entries of the leaf to the same extent.
 */
static uint64_t cost_max(uint64_t size)
{
	const uint64_t least = 65536, most = UINT64_C(1) << 28;
	return pm_min(least + size / PAGE * 2, most);
}

/** Sorts the structures of the allocator, and unites ranges that overlap or adjoin. */
static void unite_own(struct pm_heap_handle *heap)
{
	size_t kept = 0;
	if (heap->own_count == 0)
		return;

	qsort(heap->own, heap->own_count, sizeof *heap->own, pm_range_compare);
	for (size_t i = 1; i < heap->own_count; i++) {
		struct pm_range *last = &heap->own[kept];

		if (heap->own[i].start <= last->end)
			last->end = pm_max(last->end, heap->own[i].end);
		else
			heap->own[++kept] = heap->own[i];
	}

	heap->own_count = kept + 1;
}

/**
 * Adds a range to the structures of the allocator, unless it is in the range added last. Before the
 * array grows, its ranges are united: extents that are used one after the other can be in
 * different pages each time.
 */
static int add_own(struct pm_heap_handle *heap, uint64_t start, uint64_t size,
                   struct pm_error *error)
{
	if (heap->own_count > 0 && pm_range_contains(heap->own[heap->own_count - 1], start))
		return 0;

	if (heap->own_count == heap->own_capacity) {
		unite_own(heap);
		size_t more = pm_max_size(heap->own_count, OWN_MIN);
		if (heap->own_count >= heap->own_capacity / 2 &&
		    pm_array_reserve(&heap->own, &heap->own_capacity, heap->own_count, more,
		                     sizeof *heap->own, error) < 0)
			return -1;
	}

	heap->own[heap->own_count++] = (struct pm_range){ start, start + size };
	return 0;
}

/** Subtracts a cost from what is left. Returns false if too little is left; the walk then ends. */
static bool pay(struct walk *walk, uint64_t cost)
{
	bool enough = walk->left >= cost;
	walk->left = enough ? walk->left - cost : 0;
	return enough;
}

/** Reports an entry that has no valid extent. */
static int report(const struct walk *walk, uint64_t page, const char *why, struct pm_error *error)
{
	return walk->visit(walk->context, page, NULL, why, error);
}

/** Reports that the walk ends before the end of the tree. */
static int report_end(struct walk *walk, uint64_t page, struct pm_error *error)
{
	walk->heap->index.unseen = true;
	if (report(walk, page, "the radix tree of jemalloc is too large for this process", error) <
	    0)
		return -1;
	return WALK_ENDS;
}

/** Visits an extent, given the page of its first entry. */
static int visit_extent(struct walk *walk, uint64_t page, const struct pm_jemalloc_extent *extent,
                        struct pm_error *error)
{
	if (extent->size > walk->size)
		return report(walk, page, "the extent of this page is larger than all memory",
		              error);
	if (page < walk->end) {
		uint64_t end = page + extent->size;
		if (pm_heap_index_skip(&walk->heap->index, page, end, error) < 0)
			return -1;
		return report(walk, page, "the extents of jemalloc overlap at this page", error);
	}

	walk->end = page + extent->size;
	return walk->visit(walk->context, page, extent, NULL, error);
}

/**
 * Visits the extent of an entry if this is the entry of its first page.
 * @param page  address of the page to which the entry belongs
 */
static int visit_entry(struct walk *walk, uint64_t page, uint64_t entry, struct pm_error *error)
{
	static const char *const invalid =
		"the radix tree of jemalloc has no valid extent for this "
		"page";
	unsigned char bytes[PM_JEMALLOC_EXTENT_SIZE];
	struct pm_jemalloc_extent extent;

	if (!pay(walk, 1))
		return report_end(walk, page, error);

	int got = pm_jemalloc_tree_read_extent(walk->heap, entry, bytes, error);
	if (got < 0)
		return -1;

	uint64_t structure = pm_jemalloc_tree_extent(entry) & ~(uint64_t)(PAGE - 1);
	if (got && add_own(walk->heap, structure, PAGE, error) < 0)
		return -1;

	if (!got || !pm_jemalloc_extent_decode(walk->tree->layout, bytes, &extent))
		return report(walk, page, invalid, error);
	if (extent.address >> PAGE_BITS == page >> PAGE_BITS)
		return visit_extent(walk, page, &extent, error);
	/* The entry of another page of the extent */
	if (page > extent.address && page - extent.address < extent.size)
		return 0;

	return report(walk, page, invalid, error);
}

/** Visits the extents of a leaf whose entries belong to addresses from `first` on. */
static int walk_leaf(struct walk *walk, uint64_t leaf, uint64_t first, struct pm_error *error)
{
	const unsigned step = walk->tree->shape->leaf_entry;
	uint64_t end = leaf + pm_jemalloc_tree_level_bytes(walk->tree->shape, true), next;

	for (uint64_t at = leaf; at < end; at = next) {
		const void *bytes;
		uint64_t index = (at - leaf) / step;

		next = pm_min((at & ~(uint64_t)(PAGE - 1)) + PAGE, end);
		int got = pm_heap_window_at(walk->heap->window, at, (size_t)(next - at), end,
		                            &bytes, error);
		if (got < 0)
			return -1;
		if (!got && pm_heap_window_next(walk->heap->window, next, end, &next, error) < 0)
			return -1;
		if (got && !pay(walk, PAGE_COST))
			return report_end(walk, first + (index << PAGE_BITS), error);

		for (size_t i = 0; got && i < (next - at) / step; i++) {
			uint64_t page = first + ((index + i) << PAGE_BITS);
			uint64_t entry = word_at(bytes, i * step / 8);

			if (pm_jemalloc_tree_extent(entry) == 0)
				continue;

			int result = visit_entry(walk, page, entry, error);
			if (result != 0)
				return result;
		}
	}

	return 0;
}

/**
 * Visits the extents of a node, which may be the root.
 *
 * @param level  level of its entries, counted from the leaves: 1 or 2
 * @param first  first address to which its entries belong
 * @return       0; WALK_ENDS; -1 on error
 */
static int walk_node(struct walk *walk, uint64_t node, unsigned level, uint64_t first,
                     struct pm_error *error)
{
	const struct pm_jemalloc_shape *shape = walk->tree->shape;
	const unsigned shift = PAGE_BITS + level * shape->bits;
	uint64_t count = pm_min(UINT64_C(1) << shape->bits, UINT64_C(1) << (USER_BITS - shift));

	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = node + i * 8, child;
		int got = pm_heap_window_word(walk->heap->window, at, &child, error);
		if (got < 0)
			return -1;
		if (!got) {
			/* The other entries in this page cannot be read either. */
			i += ((at | (PAGE - 1)) - at) / 8;
			continue;
		}
		if (!pm_jemalloc_tree_may_point_to(walk->heap, child,
		                                   pm_jemalloc_tree_level_bytes(shape, level == 1)))
			continue;

		uint64_t address = first + (i << shift);
		if (!pay(walk, level == 1 ? PAGE_COST
		                          : pm_jemalloc_tree_level_bytes(shape, false) / PAGE))
			return report_end(walk, address, error);
		if (add_own(walk->heap, child, pm_jemalloc_tree_level_bytes(shape, level == 1),
		            error) < 0)
			return -1;

		int result = level == 1 ? walk_leaf(walk, child, address, error)
		                        : walk_node(walk, child, level - 1, address, error);
		if (result != 0)
			return result;
	}

	return 0;
}

int pm_jemalloc_tree_walk(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                          pm_jemalloc_visitor *visit, void *context, struct pm_error *error)
{
	uint64_t size = private_bytes(heap->source.regions);
	struct walk walk = { heap, tree, visit, context, size, cost_max(size), 0 };
	int result = walk_node(&walk, tree->root, tree->shape->levels - 1, 0, error);

	unite_own(heap);
	return result < 0 ? -1 : 0;
}
