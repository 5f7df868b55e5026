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

#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

enum {
	SHAPES = 2,
	PAGE_BITS = 12,
	PAGE = PM_JEMALLOC_PAGE,
	ENTRIES = PAGE / 8,
	USER_BITS = 47, /* addresses of user space have at most this number of bits */
	FLAGS = 63,
	/* More classes do not exist; the number after the last class is that of unused extents */
	CLASS_MAX = 240,
	/* Number of entries of a leaf that are checked */
	CHECKED_MAX = 512,
};

static const struct pm_jemalloc_shape shapes[SHAPES] = { { 2, 18, 8 }, { 3, 15, 16 } };

/* In an untrusted process, at most this number of words are taken for entries of the root. */
static const unsigned words_max = 100000;

/** A candidate for a tree: a word that may be in its root, and a leaf to which it leads. */
struct candidate {
	const struct pm_jemalloc_shape *shape;
	uint64_t entry;                     /* address of the word */
	uint64_t middle;                    /* with three levels: index of the entry of the node */
	uint64_t root;                      /* address of the root, according to the first extent */
	unsigned good;                      /* number of entries that fit */
	unsigned bad;                       /* number of entries that do not fit */
	unsigned fits[PM_JEMALLOC_LAYOUTS]; /* number of extents that have the layout */
};

static const struct pm_region *writable_region(const struct pm_heap_handle *heap, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(heap->source.regions, address);
	if (!region || !(region->perms & PM_PERM_READ) || !(region->perms & PM_PERM_WRITE) ||
	    (region->perms & PM_PERM_SHARED))
		return NULL;

	return region;
}

/** Returns the size in bytes of a leaf, or of a node of another level. */
static uint64_t level_bytes(const struct pm_jemalloc_shape *shape, bool leaf)
{
	return (uint64_t)(leaf ? shape->leaf_entry : 8) << shape->bits;
}

/** Tests whether a word can point to a leaf or a node: a range of private anonymous memory. */
static bool may_point_to(const struct pm_heap_handle *heap, uint64_t word, uint64_t bytes)
{
	if (word == 0 || word & FLAGS)
		return false;

	const struct pm_region *region = writable_region(heap, word);
	return region && region->end - word >= bytes && region->inode == 0;
}

static uint64_t word_at(const unsigned char *bytes, size_t index)
{
	uint64_t word;
	memcpy(&word, bytes + index * 8, sizeof word);
	return word;
}

/**
 * Returns the index of the entry of an address.
 * @param level  level of the entry, counted from the leaves: 0, 1, 2
 */
static uint64_t index_of(const struct pm_jemalloc_shape *shape, uint64_t address, unsigned level)
{
	uint64_t mask = (UINT64_C(1) << shape->bits) - 1;
	return address >> (PAGE_BITS + level * shape->bits) & mask;
}

/** Returns the address of the extent to which an entry of a leaf refers; 0 if there is none. */
static uint64_t extent_of(uint64_t entry)
{
	return entry & ((UINT64_C(1) << 48) - 1) & ~(uint64_t)FLAGS;
}

/**
 * Reads the extent to which an entry of a leaf refers.
 * @param bytes  room for PM_JEMALLOC_EXTENT_SIZE bytes
 * @return       1; 0 if it refers to something else; -1 on error
 */
static int read_extent(struct pm_heap_handle *heap, uint64_t entry, unsigned char *bytes,
                       struct pm_error *error)
{
	uint64_t address = extent_of(entry);
	if (entry >> 48 > CLASS_MAX || !writable_region(heap, address))
		return 0;

	return pm_heap_window_peek(heap->window, address, bytes, PM_JEMALLOC_EXTENT_SIZE, error);
}

/** Counts the layouts that an extent has. */
static void count_layouts(struct candidate *candidate, const unsigned char *bytes)
{
	struct pm_jemalloc_extent extent;

	for (size_t i = 0; i < PM_JEMALLOC_LAYOUTS; i++)
		candidate->fits[i] += pm_jemalloc_extent_decode(&pm_jemalloc_layouts[i], bytes,
		                                                &extent);
}

/**
 * Checks an entry of a leaf: the extent must contain the page to which the entry belongs.
 * @return 0, or -1 on error
 */
static int check_entry(struct pm_heap_handle *heap, struct candidate *candidate, uint64_t index,
                       uint64_t entry, struct pm_error *error)
{
	unsigned char bytes[PM_JEMALLOC_EXTENT_SIZE];
	int got = read_extent(heap, entry, bytes, error);
	if (got < 0)
		return -1;

	uint64_t address = 0, size = 0;
	if (got > 0) {
		address = word_at(bytes, 1);
		size = word_at(bytes, 2);
	}

	const struct pm_jemalloc_shape *shape = candidate->shape;
	unsigned leaf_bits = PAGE_BITS + shape->bits;
	uint64_t page = (address >> leaf_bits << shape->bits) + index;
	uint64_t root = candidate->entry - index_of(shape, address, shape->levels - 1) * 8;
	/* An extent that starts in an earlier leaf is not checked. */
	bool fits = address != 0 && address >> USER_BITS == 0 && page >= address >> PAGE_BITS &&
	            page - (address >> PAGE_BITS) < size >> PAGE_BITS;

	if (shape->levels == 3 && index_of(shape, address, 1) != candidate->middle)
		fits = false;
	if (fits && candidate->good == 0)
		candidate->root = root;
	if (!fits || root != candidate->root) {
		candidate->bad++;
		return 0;
	}

	candidate->good++;
	if (index_of(shape, address, 0) == index)
		count_layouts(candidate, bytes);
	return 0;
}

/**
 * Checks whether a word points to a leaf.
 * @return 1 if it does; 0 if not; -1 on error
 */
static int check_leaf(struct pm_heap_handle *heap, uint64_t leaf, struct candidate *candidate,
                      struct pm_error *error)
{
	const unsigned step = candidate->shape->leaf_entry;
	uint64_t end = leaf + level_bytes(candidate->shape, true), next;

	for (uint64_t at = leaf; at < end; at = next) {
		const void *bytes;

		next = pm_min((at & ~(uint64_t)(PAGE - 1)) + PAGE, end);
		int got = pm_heap_window_at(heap->window, at, (size_t)(next - at), end, &bytes,
		                            error);
		if (got < 0)
			return -1;

		for (size_t i = 0; got && i < (next - at) / step; i++) {
			uint64_t entry = word_at(bytes, i * step / 8);
			uint64_t index = (at - leaf) / step + i;

			if (extent_of(entry) == 0)
				continue;
			if (check_entry(heap, candidate, index, entry, error) < 0)
				return -1;
			if (candidate->bad > candidate->good / 8 + 1)
				return 0;
		}
		if (candidate->good + candidate->bad >= CHECKED_MAX)
			break;
	}

	return candidate->good >= 2 && candidate->bad <= candidate->good / 8;
}

/** Chooses the layout that most of the extents have. Returns NULL if there is none. */
static const struct pm_jemalloc_layout *choose_layout(const struct candidate *candidate)
{
	size_t best = 0;
	for (size_t i = 1; i < PM_JEMALLOC_LAYOUTS; i++)
		if (candidate->fits[i] > candidate->fits[best])
			best = i;

	return candidate->fits[best] > 0 ? &pm_jemalloc_layouts[best] : NULL;
}

/**
 * Finds the first leaf of a node.
 *
 * @param index  receives the index of its entry
 * @param leaf   receives its address
 * @return       1; 0 if there is none, or if the first entry is something else; -1 on error
 */
static int first_leaf(struct pm_heap_handle *heap, const struct pm_jemalloc_shape *shape,
                      uint64_t node, uint64_t *index, uint64_t *leaf, struct pm_error *error)
{
	uint64_t end = node + level_bytes(shape, false), next;

	for (uint64_t at = node; at < end; at = next) {
		unsigned char bytes[PAGE];

		next = pm_min((at & ~(uint64_t)(PAGE - 1)) + PAGE, end);
		int got = pm_heap_window_peek(heap->window, at, bytes, (size_t)(next - at), error);
		if (got < 0)
			return -1;

		for (size_t i = 0; got && i < (next - at) / 8; i++) {
			*leaf = word_at(bytes, i);
			*index = (at - node) / 8 + i;
			if (*leaf != 0)
				return may_point_to(heap, *leaf, level_bytes(shape, true));
		}
	}

	return 0;
}

/**
 * Checks whether a word is an entry of the root of a tree.
 *
 * @param at    address of the word
 * @param tree  receives the tree
 * @return      1 if it is; 0 if not; -1 on error
 */
static int check_word(struct pm_heap_handle *heap, const struct pm_jemalloc_shape *shape,
                      uint64_t at, uint64_t word, struct pm_jemalloc_tree *tree,
                      struct pm_error *error)
{
	struct candidate candidate = { .shape = shape, .entry = at };
	uint64_t leaf = word;
	int result = 1;

	if (!may_point_to(heap, word, level_bytes(shape, shape->levels == 2)))
		return 0;
	if (shape->levels == 3)
		result = first_leaf(heap, shape, word, &candidate.middle, &leaf, error);
	if (result > 0)
		result = check_leaf(heap, leaf, &candidate, error);

	const struct pm_jemalloc_layout *layout = choose_layout(&candidate);
	if (result > 0 && !layout)
		return 0;
	if (result > 0)
		*tree = (struct pm_jemalloc_tree){ shape, candidate.root, layout };
	return result;
}

/**
 * Searches a page for an entry of the root.
 *
 * @param bytes  the page
 * @param left   number of words that may still be tried; updated
 * @return       1 if a tree was found; 0 if not; -1 on error
 */
static int search_page(struct pm_heap_handle *heap, uint64_t page, const unsigned char *bytes,
                       unsigned *left, struct pm_jemalloc_tree *tree, struct pm_error *error)
{
	for (size_t i = 0; i < ENTRIES && *left > 0; i++) {
		uint64_t word = word_at(bytes, i);
		int result = 0;

		if (!may_point_to(heap, word, level_bytes(&shapes[1], false)))
			continue;

		--*left;
		for (size_t shape = 0; shape < SHAPES && result == 0; shape++)
			result = check_word(heap, &shapes[shape], page + i * 8, word, tree, error);
		if (result != 0)
			return result;
	}

	return 0;
}

/** Searches the pages of a region. The result is that of search_page(). */
static int search_region(struct pm_heap_handle *heap, const struct pm_region *region,
                         unsigned *left, struct pm_jemalloc_tree *tree, struct pm_error *error)
{
	int result = 0;

	for (uint64_t page = region->start; page < region->end && result == 0 && *left > 0;
	     page += PAGE) {
		/* Not pm_heap_window_at(): its bytes would be lost when a leaf is read. */
		unsigned char bytes[PAGE];
		int got = pm_heap_window_peek(heap->window, page, bytes, PAGE, error);
		if (got < 0)
			return -1;
		if (got > 0)
			result = search_page(heap, page, bytes, left, tree, error);
	}

	return result;
}

/**
 * Tests whether a region can contain the root: data of a program or library, or the anonymous
 * memory directly after it.
 */
static bool may_have_root(const struct pm_regions *regions, size_t index)
{
	const struct pm_region *region = &regions->items[index];
	unsigned wanted = PM_PERM_READ | PM_PERM_WRITE;
	if ((region->perms & (wanted | PM_PERM_SHARED)) != wanted ||
	    region->end - region->start < level_bytes(&shapes[1], false) - PAGE)
		return false;
	if (region->mapping[0] == '/')
		return true;

	return index > 0 && region->inode == 0 && regions->items[index - 1].end == region->start &&
	       regions->items[index - 1].mapping[0] == '/';
}

int pm_jemalloc_tree_find(struct pm_heap_handle *heap, struct pm_jemalloc_tree *tree,
                          struct pm_error *error)
{
	const struct pm_regions *regions = heap->source.regions;
	unsigned left = words_max;

	for (size_t i = 0; i < regions->count; i++) {
		if (!may_have_root(regions, i))
			continue;

		int result = search_region(heap, &regions->items[i], &left, tree, error);
		if (result != 0)
			return result;
	}

	return 0;
}

/** A walk over the tree. */
struct walk {
	struct pm_heap_handle *heap;
	const struct pm_jemalloc_tree *tree;
	pm_jemalloc_visitor *visit;
	void *context;
};

/** Adds a range to the structures of the allocator, unless it is in the range added last. */
static int add_own(struct pm_heap_handle *heap, uint64_t start, uint64_t size,
                   struct pm_error *error)
{
	if (heap->own_count > 0 && pm_range_contains(heap->own[heap->own_count - 1], start))
		return 0;
	if (pm_array_reserve(&heap->own, &heap->own_capacity, heap->own_count, 1, sizeof *heap->own,
	                     error) < 0)
		return -1;

	heap->own[heap->own_count++] = (struct pm_range){ start, start + size };
	return 0;
}

/**
 * Visits the extent of an entry if this is the entry of its first page.
 * @param page  address of the page to which the entry belongs
 */
static int visit_entry(const struct walk *walk, uint64_t page, uint64_t entry,
                       struct pm_error *error)
{
	unsigned char bytes[PM_JEMALLOC_EXTENT_SIZE];
	struct pm_jemalloc_extent extent;
	int got = read_extent(walk->heap, entry, bytes, error);
	if (got < 0)
		return -1;

	uint64_t structure = extent_of(entry) & ~(uint64_t)(PAGE - 1);
	if (got && add_own(walk->heap, structure, PAGE, error) < 0)
		return -1;

	if (!got || !pm_jemalloc_extent_decode(walk->tree->layout, bytes, &extent))
		return walk->visit(walk->context, page, NULL, error);
	if (extent.address >> PAGE_BITS == page >> PAGE_BITS)
		return walk->visit(walk->context, page, &extent, error);
	/* The entry of another page of the extent */
	if (page > extent.address && page - extent.address < extent.size)
		return 0;

	return walk->visit(walk->context, page, NULL, error);
}

/** Visits the extents of a leaf whose entries belong to addresses from `first` on. */
static int walk_leaf(const struct walk *walk, uint64_t leaf, uint64_t first, struct pm_error *error)
{
	const unsigned step = walk->tree->shape->leaf_entry;
	uint64_t end = leaf + level_bytes(walk->tree->shape, true), next;

	for (uint64_t at = leaf; at < end; at = next) {
		const void *bytes;

		next = pm_min((at & ~(uint64_t)(PAGE - 1)) + PAGE, end);
		int got = pm_heap_window_at(walk->heap->window, at, (size_t)(next - at), end,
		                            &bytes, error);
		if (got < 0)
			return -1;

		for (size_t i = 0; got && i < (next - at) / step; i++) {
			uint64_t page = first + (((at - leaf) / step + i) << PAGE_BITS);
			uint64_t entry = word_at(bytes, i * step / 8);

			if (extent_of(entry) == 0)
				continue;
			if (visit_entry(walk, page, entry, error) < 0)
				return -1;
		}
	}

	return 0;
}

/**
 * Visits the extents of a node, which may be the root.
 *
 * @param level  level of its entries, counted from the leaves: 1 or 2
 * @param first  first address to which its entries belong
 */
static int walk_node(const struct walk *walk, uint64_t node, unsigned level, uint64_t first,
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
			/* The other entries in this page cannot be read, too. */
			i += ((at | (PAGE - 1)) - at) / 8;
			continue;
		}
		if (!may_point_to(walk->heap, child, level_bytes(shape, level == 1)))
			continue;

		uint64_t address = first + (i << shift);
		if (add_own(walk->heap, child, level_bytes(shape, level == 1), error) < 0)
			return -1;

		int result = level == 1 ? walk_leaf(walk, child, address, error)
		                        : walk_node(walk, child, level - 1, address, error);
		if (result < 0)
			return -1;
	}

	return 0;
}

int pm_jemalloc_tree_walk(struct pm_heap_handle *heap, const struct pm_jemalloc_tree *tree,
                          pm_jemalloc_visitor *visit, void *context, struct pm_error *error)
{
	const struct walk walk = { heap, tree, visit, context };
	return walk_node(&walk, tree->root, tree->shape->levels - 1, 0, error);
}
