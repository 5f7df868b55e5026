/* SPDX-License-Identifier: MIT */
/*
 * The cache of a thread is in its thread-local storage (tcache.h, cache_bin.h of jemalloc 5.3). It
 * has an array of bins, one for each size class:
 *
 *	 0  address of the first pointer to a cached region, in a stack that grows down
 *	 8  number of requests
 *	16  lower 16 bits of three positions in the stack: low water, full, empty
 *
 * The stacks are in one block of memory, one after the other, so the position `empty` of a bin is
 * the position `full` of the next one. This is how the array is recognised, without symbols.
 */
#include "heap/jemalloc_cache.h"

#include <string.h>

#include "base/minmax.h"
#include "heap/lookup.h"
#include "heap/presence.h"

enum {
	PAGE = PM_JEMALLOC_PAGE,
	BIN = 24, /* size of a bin in bytes */
	FULL = 18,
	EMPTY = 20,
	/* Each build has at least this number of classes in slabs, all of which have a bin */
	BINS_MIN = 36,
	BINS_MAX = 128,
	/* Number of pointers that are read at once */
	POINTERS = 128,
};

/* In an untrusted process, at most this number of pages is read. */
static const uint64_t pages_max = (UINT64_C(512) << 20) / PAGE;

/* Number of bytes for which page states are fetched at once. */
static const uint64_t states_ahead = UINT64_C(1) << 30;

/** A bin. */
struct bin {
	uint64_t head;  /* address of the first pointer */
	uint16_t full;  /* lower bits of the lowest position of the stack */
	uint16_t empty; /* lower bits of the end of the stack */
};

/** A search for caches. */
struct search {
	struct pm_heap_handle *heap;
	const struct pm_jemalloc_layout *layout;
	const struct pm_heap_index *extents;
	uint64_t left; /* number of pages that may still be read */
};

/** Parses a bin. Returns false if it is not one. */
static bool parse_bin(const unsigned char *bytes, struct bin *bin)
{
	memcpy(&bin->head, bytes, sizeof bin->head);
	if (bin->head == 0 || bin->head % 8 != 0 || bin->head >> 47)
		return false;

	memcpy(&bin->full, bytes + FULL, sizeof bin->full);
	memcpy(&bin->empty, bytes + EMPTY, sizeof bin->empty);

	uint16_t size = (uint16_t)(bin->empty - bin->full);
	return size > 0 && bin->empty % 8 == 0 && bin->full % 8 == 0 &&
	       (uint16_t)(bin->empty - (uint16_t)bin->head) <= size;
}

/** Returns the number of bytes of the pointers in a bin. */
static uint16_t used_bytes(const struct bin *bin)
{
	return (uint16_t)(bin->empty - (uint16_t)bin->head);
}

/**
 * Reads the bins from an address on, as long as each stack follows the one before.
 * @param bins   room for BINS_MAX elements
 * @param count  receives the number of bins
 * @return       0, or -1 on error
 */
static int read_bins(struct search *search, uint64_t address, struct bin *bins, size_t *count,
                     struct pm_error *error)
{
	for (*count = 0; *count < BINS_MAX; ++*count) {
		unsigned char bytes[BIN];
		struct bin *bin = &bins[*count];
		int got = pm_heap_window_peek(search->heap->window, address + *count * BIN, bytes,
		                              BIN, error);
		if (got < 0)
			return -1;
		if (got == 0 || !parse_bin(bytes, bin))
			break;
		if (*count == 0)
			continue;

		/* The stacks together have less than 64 KiB between two heads. */
		const struct bin *before = &bin[-1];
		uint64_t end = before->head + used_bytes(before);
		if (bin->full != before->empty || bin->head < end || bin->head - end > UINT16_MAX)
			break;
	}

	return 0;
}

/** Gives a region the state PM_CHUNK_CACHED if it is in use and has the size of the class. */
static void set_cached(struct search *search, uint64_t address, uint64_t size)
{
	struct pm_heap *heap = &search->heap->result;
	struct pm_chunk chunk;

	if (!pm_heap_index_find(&search->heap->index, address, &chunk) || chunk.start != address ||
	    chunk.size != size || chunk.state != PM_CHUNK_IN_USE)
		return;

	pm_heap_index_set_state(&search->heap->index, address, PM_CHUNK_CACHED);
	struct pm_heap_arena *figures[] = { &heap->arenas[chunk.arena], &heap->total };
	for (size_t i = 0; i < 2; i++) {
		figures[i]->in_use -= size;
		figures[i]->chunks--;
		figures[i]->cached += size;
		figures[i]->cached_count++;
	}
}

/** Marks the regions in a bin. */
static int mark_bin(struct search *search, const struct bin *bin, uint64_t size,
                    struct pm_error *error)
{
	uint64_t left = used_bytes(bin), at = bin->head;

	while (left > 0) {
		uint64_t pointers[POINTERS];
		size_t part = (size_t)pm_min(left, sizeof pointers);
		int got = pm_heap_window_peek(search->heap->window, at, pointers, part, error);
		if (got <= 0)
			return got;

		for (size_t i = 0; i < part / 8; i++)
			set_cached(search, pointers[i], size);
		at += part;
		left -= part;
	}

	return 0;
}

/**
 * Marks the regions in a cache if there is one at an address.
 * @param next  receives the end of the cache; unchanged if there is none
 */
static int check_cache(struct search *search, uint64_t address, uint64_t *next,
                       struct pm_error *error)
{
	struct bin bins[BINS_MAX];
	size_t count;
	if (read_bins(search, address, bins, &count, error) < 0)
		return -1;
	if (count < BINS_MIN)
		return 0;

	*next = address + count * BIN;
	for (size_t i = 0; i < count; i++) {
		uint64_t size = pm_jemalloc_class_size(search->layout, (unsigned)i);
		if (mark_bin(search, &bins[i], size, error) < 0)
			return -1;
	}

	return 0;
}

/** Searches a page for the first bin of a cache. */
static int search_page(struct search *search, uint64_t page, struct pm_error *error)
{
	unsigned char bytes[PAGE];
	struct bin bin;
	int got = pm_heap_window_peek(search->heap->window, page, bytes, PAGE, error);
	if (got <= 0)
		return got;

	search->left--;
	for (size_t at = 0; at < PAGE; at += 8) {
		uint64_t next = 0;

		/* Near the end of the page, the whole bin is read again. */
		if (at + BIN <= PAGE && !parse_bin(bytes + at, &bin))
			continue;
		if (check_cache(search, page + at, &next, error) < 0)
			return -1;
		if (next > page + at)
			at = (size_t)pm_min(next - page, PAGE) - 8;
	}

	return 0;
}

/** Searches the pages of a region that are not jemalloc's. */
static int search_region(struct search *search, const struct pm_region *region,
                         struct pm_error *error)
{
	struct pm_heap_presence presence;
	uint64_t until;

	pm_heap_presence_init(&presence, &search->heap->source);
	for (uint64_t at = region->start; at < region->end; at = until) {
		int state = pm_heap_presence_at(&presence, at, states_ahead, &until, error);
		if (state < 0)
			return -1;

		for (; state == PM_PRESENCE_PAGES && at < until; at += PAGE) {
			if (pm_heap_index_has_skipped(search->extents, at))
				continue;
			if (search->left == 0)
				return 0;

			if (search_page(search, at, error) < 0)
				return -1;
		}
	}

	return 0;
}

int pm_jemalloc_cache_find(struct pm_heap_handle *heap, const struct pm_jemalloc_layout *layout,
                           const struct pm_heap_index *extents, struct pm_error *error)
{
	const unsigned wanted = PM_PERM_READ | PM_PERM_WRITE;
	const struct pm_regions *regions = heap->source.regions;
	struct search search = { heap, layout, extents, pages_max };

	if (strcmp(layout->versions, "5.3") != 0)
		return 0;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		bool private = !(region->perms & PM_PERM_SHARED) && region->inode == 0;

		if (private && (region->perms & wanted) == wanted &&
		    search_region(&search, region, error) < 0)
			return -1;
	}

	return 0;
}
