/* SPDX-License-Identifier: MIT */
#include "runtimes/go_metadata.h"

#include <string.h>

#include "base/minmax.h"
#include "runtimes/go_heap.h"

enum {
	PAGE = 4096,
	LEVELS = 5,             /* summaryLevels on 64-bit systems */
	CHUNKS = 1 << 13,       /* entries of pageAlloc.chunks, pallocChunksL1Bits */
	PALLOCS = 1 << 13,      /* elements to which an entry points, pallocChunksL2Bits */
	PERSISTENT = 256 << 10, /* persistentChunkSize */
	BITS_ARENA = 64 << 10,  /* gcBitsChunkBytes */
	LIST_MAX = 1 << 16,     /* elements of a list that are followed */
	BUCKHASH = 179999 * 8,  /* buckHashSize pointers, runtime/mprof.go */
	BATCH = 512,            /* pointers that are read at once: 4 KiB */
	GUESS_MIN = 8 << 20,    /* a region of this size can always be metadata */
	GUESS_SHARE = 8,        /* a larger one only if the heap is that many times larger */
};

/** Adds memory that the runtime has mapped, if all of it is in one anonymous region. */
static void add(struct pm_runtimes_context *context, uint64_t start, uint64_t size)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, start);

	if (start == 0 || size == 0 || !region || region->inode != 0 ||
	    region->perms & PM_PERM_SHARED)
		return;

	/* The runtime maps whole pages, and changes permissions within a reservation, so several
	 * regions can follow. */
	uint64_t end = start + (size + PAGE - 1) / PAGE * PAGE;
	if (start % PAGE == 0)
		pm_runtime_add_range(context, start, end, PM_OWNER_GO_INTERNAL, PM_PROOF_PROVEN);
}

/** Adds the array of a slice. */
static void add_slice(struct pm_runtimes_context *context, uint64_t address, uint64_t element)
{
	const uint64_t capacity_max = UINT64_C(1) << 40;
	uint64_t slice[3];

	if (pm_runtime_read(context, address, slice, sizeof slice) && slice[1] <= slice[2] &&
	    slice[2] <= capacity_max / element)
		add(context, slice[0], slice[2] * element);
}

/** Adds the metadata of each arena, and the table that refers to them. */
static void add_arenas(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t mheap = layout->variables[PM_GO_MHEAP], table, array[3];

	if (!pm_runtime_read_word(context, mheap + layout->fields[PM_GO_MHEAP_ARENAS], &table) ||
	    !pm_runtime_read(context, mheap + layout->fields[PM_GO_MHEAP_ALLARENAS], array,
	                     sizeof array))
		return;

	add(context, table, (uint64_t)PM_GO_ARENA_TABLE * 8);
	add_slice(context, mheap + layout->fields[PM_GO_MHEAP_ALLSPANS], 8);
	if (layout->fields[PM_GO_ARENA_SIZE] == PM_GO_NONE)
		return;

	for (uint64_t i = 0; i < pm_min(array[1], PM_GO_ARENAS_MAX); i++) {
		uint64_t index, arena;

		if (pm_runtime_read_word(context, array[0] + i * 8, &index) &&
		    index < PM_GO_ARENA_TABLE &&
		    pm_runtime_read_word(context, table + index * 8, &arena))
			add(context, arena, layout->fields[PM_GO_ARENA_SIZE]);
	}
}

/** Adds the data of the page allocator: summaries of 8 bytes, and bitmaps of chunks. */
static void add_pages(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t pages = layout->variables[PM_GO_MHEAP] + layout->fields[PM_GO_MHEAP_PAGES];
	uint64_t pointers[BATCH];

	for (unsigned i = 0; i < LEVELS; i++)
		add_slice(context, pages + layout->fields[PM_GO_PAGES_SUMMARY] + UINT64_C(24) * i,
		          8);

	for (uint64_t i = 0; i < CHUNKS; i += BATCH) {
		if (!pm_runtime_read(context, pages + layout->fields[PM_GO_PAGES_CHUNKS] + i * 8,
		                     pointers, sizeof pointers))
			continue;
		for (size_t k = 0; k < BATCH; k++)
			add(context, pointers[k], layout->fields[PM_GO_PALLOC_SIZE] * PALLOCS);
	}
}

/**
 * Adds the elements of a list.
 * @param next  offset of the pointer to the next element
 * @param size  size of an element in bytes; elements are aligned to pages
 */
static void add_list(struct pm_runtimes_context *context, uint64_t first, uint64_t next,
                     uint64_t size)
{
	for (unsigned i = 0; i < LIST_MAX && first != 0 && first % PAGE == 0; i++) {
		add(context, first, size);
		if (!pm_runtime_read_word(context, first + next, &first))
			return;
	}
}

/** Adds the mark and allocation bits of spans: four lists after a lock. */
static void add_bits(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t lists[4];

	if (layout->variables[PM_GO_BITS_ARENAS] == 0 ||
	    !pm_runtime_read(context, layout->variables[PM_GO_BITS_ARENAS] + 8, lists,
	                     sizeof lists))
		return;
	for (size_t i = 0; i < 4; i++)
		add_list(context, lists[i], 8, BITS_ARENA);
}

void pm_go_metadata_read(struct pm_runtimes_context *context, const struct pm_go_layout *layout)
{
	uint64_t first;

	add_arenas(context, layout);
	if (pm_go_layout_has(layout, PM_GO_MHEAP, PM_GO_MHEAP_PAGES, PM_GO_PALLOC_SIZE))
		add_pages(context, layout);
	if (layout->variables[PM_GO_PERSISTENT_CHUNKS] != 0 &&
	    pm_runtime_read_word(context, layout->variables[PM_GO_PERSISTENT_CHUNKS], &first))
		add_list(context, first, 0, PERSISTENT);
	add_bits(context, layout);
	if (layout->variables[PM_GO_BUCKHASH] != 0 &&
	    pm_runtime_read_word(context, layout->variables[PM_GO_BUCKHASH], &first))
		add(context, first, BUCKHASH);
}

void pm_go_metadata_named(struct pm_runtimes_context *context)
{
	static const char prefix[] = "[anon: Go: ", heap[] = "heap]", reserved[] = "heap reserv";
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		enum pm_owner owner = PM_OWNER_GO_INTERNAL;

		if (strncmp(region->mapping, prefix, sizeof prefix - 1) != 0)
			continue;

		const char *name = region->mapping + sizeof prefix - 1;
		if (strcmp(name, heap) == 0 || strncmp(name, reserved, sizeof reserved - 1) == 0)
			owner = PM_OWNER_GO_HEAP;
		pm_runtime_add_range(context, region->start, region->end, owner, PM_PROOF_PROVEN);
	}
}

/** Returns whether a region is anonymous memory without a name. */
static bool is_plain(const struct pm_region *region)
{
	return region->inode == 0 && region->mapping[0] == '\0' &&
	       !(region->perms & PM_PERM_SHARED);
}

static bool is_in_hints(const struct pm_region *region)
{
	return region->start >= PM_GO_HINTS_START && region->start < PM_GO_HINTS_END;
}

/** Returns the resident bytes of a region; its size if they are not known. */
static uint64_t used_bytes(const struct pm_region *region)
{
	if (pm_region_knows(region, PM_SIZE_RSS))
		return region->bytes[PM_SIZE_RSS];
	return pm_region_size(region);
}

void pm_go_metadata_guess(struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;
	uint64_t heap = 0;

	for (size_t i = 0; i < regions->count; i++)
		if (is_plain(&regions->items[i]) && is_in_hints(&regions->items[i]) &&
		    regions->items[i].perms & PM_PERM_WRITE)
			heap += pm_region_size(&regions->items[i]);

	const uint64_t max = pm_max(GUESS_MIN, heap / GUESS_SHARE);
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if (is_plain(region) && !is_in_hints(region) && region->perms & PM_PERM_WRITE &&
		    used_bytes(region) <= max)
			pm_runtime_add_range(context, region->start, region->end,
			                     PM_OWNER_GO_INTERNAL, PM_PROOF_INFERRED);
	}
}
