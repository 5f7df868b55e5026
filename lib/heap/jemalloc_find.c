/* SPDX-License-Identifier: MIT */
/* Tries each word in the data of programs and libraries as an entry of the root: it must lead to a
 * leaf whose entries refer to extents that fit the place of the entries. */
#include "heap/jemalloc_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/presence.h"

enum {
	SHAPES = 2,
	PAGE_BITS = 12,
	PAGE = PM_JEMALLOC_PAGE,
	USER_BITS = 47, /* addresses of user space have at most this number of bits */
	/* Number of entries of a leaf that are checked */
	CHECKED_MAX = 512,
	/*
	 * Bytes at the start of a leaf of which the pages are read one by one. Most words that are
	 * tried point to something else, whose first page shows this. The pages that follow are
	 * read ahead.
	 */
	SINGLE_BYTES = 4 * PAGE,
	/* Bytes that are searched for words at once */
	BLOCK = 16 * PAGE,
};

static const struct pm_jemalloc_shape shapes[SHAPES] = { { 2, 18, 8 }, { 3, 15, 16 } };

/* In an untrusted process, at most this number of words are tried as entries of the root... */
static const uint64_t words_max = 100000;
/* ...and at most this number of pages are read to check them. */
static const uint64_t pages_max = UINT64_C(1) << 20;

/* Number of bytes for which page states are fetched at once. A region can be very large. */
static const uint64_t states_ahead = UINT64_C(1) << 30;

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

/** A search for the tree. */
struct search {
	struct pm_heap_handle *heap;
	struct pm_jemalloc_tree *tree; /* receives the tree */
	uint64_t words;                /* number of words that may still be tried */
	uint64_t pages;                /* number of pages that may still be read for them */
	unsigned char page[PAGE];      /* the page of a leaf that was read last */
	unsigned char block[BLOCK];    /* the bytes in which words are searched */
};

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

/** Counts the layouts that an extent has. */
static void count_layouts(struct candidate *candidate, const unsigned char *bytes)
{
	struct pm_jemalloc_extent extent;

	for (size_t i = 0; i < PM_JEMALLOC_LAYOUTS; i++)
		candidate->fits[i] += pm_jemalloc_extent_decode(&pm_jemalloc_layouts[i], bytes,
		                                                &extent);
}

/** Counts a page that was read to check a word. */
static void count_page(struct search *search)
{
	if (search->pages > 0)
		search->pages--;
}

/**
 * Checks an entry of a leaf: the extent must contain the page to which the entry belongs.
 * @return 0, or -1 on error
 */
static int check_entry(struct search *search, struct candidate *candidate, uint64_t index,
                       uint64_t entry, struct pm_error *error)
{
	unsigned char bytes[PM_JEMALLOC_EXTENT_SIZE];
	int got = pm_jemalloc_tree_read_extent(search->heap, entry, bytes, error);
	if (got < 0)
		return -1;
	count_page(search);

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
 * Reads a page of a leaf, or the part of it that belongs to the leaf.
 *
 * @param leaf   address and end of the leaf
 * @param part   the bytes to read
 * @param bytes  receives the bytes, valid until the next read
 * @return       1; 0 if they cannot be read or were never touched; -1 on error
 */
static int read_leaf(struct search *search, struct pm_range leaf, struct pm_range part,
                     const void **bytes, struct pm_error *error)
{
	struct pm_heap_window *window = search->heap->window;
	size_t size = (size_t)pm_range_size(part);

	if (part.start - leaf.start >= SINGLE_BYTES)
		return pm_heap_window_at(window, part.start, size, leaf.end, bytes, error);

	*bytes = search->page;
	return pm_heap_window_peek(window, part.start, search->page, size, error);
}

/**
 * Checks whether a word points to a leaf.
 * @return 1 if it does; 0 if not; -1 on error
 */
static int check_leaf(struct search *search, uint64_t leaf, struct candidate *candidate,
                      struct pm_error *error)
{
	const unsigned step = candidate->shape->leaf_entry;
	uint64_t end = leaf + pm_jemalloc_tree_level_bytes(candidate->shape, true), next;

	for (uint64_t at = leaf; at < end; at = next) {
		const void *bytes;

		next = pm_min((at & ~(uint64_t)(PAGE - 1)) + PAGE, end);
		int got = read_leaf(search, (struct pm_range){ leaf, end },
		                    (struct pm_range){ at, next }, &bytes, error);
		if (got < 0)
			return -1;
		if (!got && pm_heap_window_next(search->heap->window, next, end, &next, error) < 0)
			return -1;
		if (got)
			count_page(search);

		for (size_t i = 0; got && i < (next - at) / step; i++) {
			uint64_t entry = word_at(bytes, i * step / 8);
			uint64_t index = (at - leaf) / step + i;

			if (pm_jemalloc_tree_extent(entry) == 0)
				continue;
			if (check_entry(search, candidate, index, entry, error) < 0)
				return -1;
			if (candidate->bad > candidate->good / 8 + 1)
				return 0;
		}
		if (candidate->good + candidate->bad >= CHECKED_MAX || search->pages == 0)
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
 * @param index  receives the index of the entry that refers to the leaf
 * @param leaf   receives the address of the leaf
 * @return       1; 0 if there is none, or if the first entry is something else; -1 on error
 */
static int first_leaf(struct search *search, const struct pm_jemalloc_shape *shape, uint64_t node,
                      uint64_t *index, uint64_t *leaf, struct pm_error *error)
{
	uint64_t end = node + pm_jemalloc_tree_level_bytes(shape, false), next;

	for (uint64_t at = node; at < end && search->pages > 0; at = next) {
		unsigned char bytes[PAGE];

		next = pm_min((at & ~(uint64_t)(PAGE - 1)) + PAGE, end);
		int got = pm_heap_window_peek(search->heap->window, at, bytes, (size_t)(next - at),
		                              error);
		if (got < 0)
			return -1;
		if (got)
			count_page(search);

		for (size_t i = 0; got && i < (next - at) / 8; i++) {
			*leaf = word_at(bytes, i);
			*index = (at - node) / 8 + i;
			if (*leaf != 0)
				return pm_jemalloc_tree_may_point_to(
					search->heap, *leaf,
					pm_jemalloc_tree_level_bytes(shape, true));
		}
	}

	return 0;
}

/**
 * Checks whether a word is an entry of the root of a tree.
 *
 * @param at  address of the word
 * @return    1 if it is, with the tree set; 0 if not; -1 on error
 */
static int check_word(struct search *search, const struct pm_jemalloc_shape *shape, uint64_t at,
                      uint64_t word, struct pm_error *error)
{
	struct candidate candidate = { .shape = shape, .entry = at };
	uint64_t leaf = word;
	int result = 1;

	if (!pm_jemalloc_tree_may_point_to(search->heap, word,
	                                   pm_jemalloc_tree_level_bytes(shape, shape->levels == 2)))
		return 0;
	if (shape->levels == 3)
		result = first_leaf(search, shape, word, &candidate.middle, &leaf, error);
	if (result > 0)
		result = check_leaf(search, leaf, &candidate, error);

	const struct pm_jemalloc_layout *layout = choose_layout(&candidate);
	if (result > 0 && !layout)
		return 0;
	if (result > 0)
		*search->tree = (struct pm_jemalloc_tree){ shape, candidate.root, layout, at };
	return result;
}

/**
 * Tries a word as an entry of the root of a tree of each shape.
 *
 * @param at  address of the word
 * @return    1 if it is one, with the tree set; 0 if not; -1 on error
 */
static int try_word(struct search *search, uint64_t at, uint64_t word, struct pm_error *error)
{
	int result = 0;

	if (!pm_jemalloc_tree_may_point_to(search->heap, word,
	                                   pm_jemalloc_tree_level_bytes(&shapes[1], false)))
		return 0;

	search->words--;
	for (size_t shape = 0; shape < SHAPES && result == 0; shape++)
		result = check_word(search, &shapes[shape], at, word, error);
	return result;
}

/**
 * Searches the start of a range for an entry of the root.
 *
 * @param range  the range, of at least one page
 * @param next   receives the end of what was searched
 * @return       1 if a tree was found; 0 if not; -1 on error
 */
static int search_block(struct search *search, struct pm_range range, uint64_t *next,
                        struct pm_error *error)
{
	const void *bytes;
	size_t size = 0;
	uint64_t end = pm_min(range.end, range.start + BLOCK);
	int result = pm_heap_window_ahead(search->heap->window, range.start, end, &bytes, &size,
	                                  error);
	if (result < 0)
		return -1;

	/* Copied, because the bytes are lost when a leaf is read */
	*next = range.start + pm_max(size, PAGE) / PAGE * PAGE;
	if (result > 0)
		memcpy(search->block, bytes, size);

	result = 0;
	for (size_t i = 0; i < size / 8 && result == 0 && search->words > 0 && search->pages > 0;
	     i++)
		result = try_word(search, range.start + i * 8, word_at(search->block, i), error);
	return result;
}

/** Searches the pages of a region. The result is that of search_block(). */
static int search_region(struct search *search, const struct pm_region *region,
                         struct pm_error *error)
{
	struct pm_heap_presence presence;
	uint64_t until;
	int result = 0;

	pm_heap_presence_init(&presence, &search->heap->source);
	for (uint64_t at = region->start; at < region->end && result == 0; at = until) {
		int state = pm_heap_presence_at(&presence, at, states_ahead, &until, error);
		if (state < 0)
			return -1;

		while (state == PM_PRESENCE_PAGES && at < until && result == 0) {
			if (search->words == 0 || search->pages == 0)
				return 0;

			struct pm_range rest = { at, until };
			result = search_block(search, rest, &at, error);
		}
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
	    region->end - region->start < pm_jemalloc_tree_level_bytes(&shapes[1], false) - PAGE)
		return false;
	if (region->mapping[0] == '/')
		return true;

	return index > 0 && region->inode == 0 && regions->items[index - 1].end == region->start &&
	       regions->items[index - 1].mapping[0] == '/';
}

/** Tries the word at which an earlier search has found the tree. */
static int try_hint(struct search *search, uint64_t at, struct pm_error *error)
{
	uint64_t word;
	int result = pm_heap_window_word(search->heap->window, at, &word, error);

	return result > 0 ? try_word(search, at, word, error) : result;
}

/** Searches all regions that can contain the root. */
static int search_regions(struct search *search, struct pm_error *error)
{
	const struct pm_regions *regions = search->heap->source.regions;
	int result = 0;

	for (size_t i = 0; i < regions->count && result == 0; i++) {
		if (search->words == 0 || search->pages == 0)
			break;
		if (may_have_root(regions, i))
			result = search_region(search, &regions->items[i], error);
	}

	return result;
}

int pm_jemalloc_find(struct pm_heap_handle *heap, struct pm_jemalloc_tree *tree,
                     struct pm_error *error)
{
	const struct pm_heap_hint *hint = &heap->source.hint;
	if (hint->searched && hint->jemalloc_entry == 0)
		return 0;

	struct search *search = malloc(sizeof *search);
	if (!search)
		return pm_error_out_of_memory(error);

	search->heap = heap;
	search->tree = tree;
	search->words = words_max;
	search->pages = pages_max;

	int result = 0;
	if (hint->searched)
		result = try_hint(search, hint->jemalloc_entry, error);
	if (result == 0)
		result = search_regions(search, error);

	free(search);
	return result;
}
