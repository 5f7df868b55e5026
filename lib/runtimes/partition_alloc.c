/* SPDX-License-Identifier: MIT */
/*
 * A page of metadata has entries of 32 bytes (partition_page.h): the first entry has the address of
 * the root, which is a variable of the program, and of the next page of metadata of the root. The
 * other entries are slot spans: the first free slot, which is inside the super page; the next span;
 * the bucket, which is a part of the root; and flags. Direct maps have one span, and their bucket
 * is in the page of metadata itself. It is followed by a PartitionDirectMapExtent, which has the
 * address of the bucket, and the size of all super pages of the direct map.
 *
 * The metadata is in the first pages of its super page, or in a range of its own that has 2 MiB for
 * each super page of the pool. In the latter case, the distance to the super page is the same in a
 * pool. It follows from pages of metadata with free slots.
 */
#include "runtimes/partition_alloc.h"

#include <stdlib.h>

#include "base/array.h"
#include "runtimes/v8_memory.h"

enum {
	PAGE = 4096,
	PARTITION_PAGE = 4 * PAGE,
	WORDS = PAGE / 8,
	ENTRY_WORDS = 4,
	/* The region of a page of metadata can include a few pages that follow it. */
	METADATA_REGION_MAX = 4 * PAGE,
	/* sizeof(PartitionRoot) is about 9 KiB. */
	ROOT_SIZE_MAX = 1 << 16,
	/* The words of the metadata of a direct map are among these. */
	DIRECT_MAP_WORDS = 32,
	PAGES_MAX = 1 << 20,
};

#define SUPER_PAGE (UINT64_C(1) << 21)

/* Pools have 16 GiB, or in some configurations of 64 bits less. */
#define POOL_MIN (UINT64_C(1) << 32)
#define POOL_MAX (UINT64_C(1) << 40)

/** A page of metadata. */
struct metadata {
	uint64_t address;
	uint64_t super_page; /* 0 if no entry has a free slot */
	uint64_t size;       /* of the super page; of all its super pages for a direct map */
};

struct pages {
	struct metadata *items;
	size_t count;
	size_t capacity;
};

/** Returns whether an address is in a variable of a file: in its data, or in the .bss after it. */
static bool is_variable(const struct pm_regions *regions, uint64_t address)
{
	size_t i = pm_regions_index(regions, address);

	if (i >= regions->count || regions->items[i].start > address ||
	    !(regions->items[i].perms & PM_PERM_WRITE) ||
	    (regions->items[i].perms & PM_PERM_SHARED))
		return false;
	if (regions->items[i].inode != 0)
		return true;
	return i > 0 && regions->items[i - 1].inode != 0 &&
	       regions->items[i - 1].end == regions->items[i].start;
}

/**
 * Checks the entry of a slot span.
 *
 * @param super_page  the super page of the entries before; receives that of this entry. 0 if no
 *                    entry had a free slot
 * @param spans       incremented if the entry has a bucket
 * @return            false if the entry contradicts the others
 */
static bool check_entry(const uint64_t *entry, uint64_t root, uint64_t *super_page, size_t *spans)
{
	uint64_t slot = entry[0], bucket = entry[2];

	/* Entries of unused pages have no bucket, and can have anything else. */
	if (bucket == 0)
		return true;
	if (bucket % 8 != 0 || bucket <= root || bucket - root > ROOT_SIZE_MAX)
		return false;

	(*spans)++;
	if (slot == 0)
		return true;
	if (*super_page != 0 && slot - *super_page >= SUPER_PAGE)
		return false;
	*super_page = slot & ~(SUPER_PAGE - 1);
	return slot - *super_page >= PARTITION_PAGE;
}

/** Decodes the metadata of a direct map after its first entry. Returns false if it is not correct.
 */
static bool decode_direct_map(const uint64_t *words, struct metadata *metadata)
{
	const uint64_t bucket = words[ENTRY_WORDS + 2];

	for (size_t i = (size_t)2 * ENTRY_WORDS; i + 1 < DIRECT_MAP_WORDS; i++) {
		uint64_t size = words[i + 1];

		if (words[i] == bucket && size > 0 && size % SUPER_PAGE == 0 && size <= POOL_MAX) {
			metadata->size = size;
			return true;
		}
	}

	return false;
}

/** Decodes a page of metadata. Returns false if it is not one. */
static bool decode(const struct pm_regions *regions, uint64_t address, const uint64_t *words,
                   struct metadata *metadata)
{
	uint64_t root = words[0], next = words[1], super_page = 0;
	size_t spans = 0;

	/* The next page of metadata is in the same place of its own 2 MiB. */
	if (!pm_v8_memory_is_pointer(root) || !is_variable(regions, root) ||
	    (next != 0 && (next - address) % SUPER_PAGE != 0))
		return false;

	*metadata = (struct metadata){ .address = address, .size = SUPER_PAGE };

	uint64_t bucket = words[ENTRY_WORDS + 2];
	if (bucket > address && bucket - address < PAGE)
		return decode_direct_map(words, metadata);

	for (size_t i = ENTRY_WORDS; i < WORDS; i += ENTRY_WORDS)
		if (!check_entry(&words[i], root, &super_page, &spans))
			return false;
	metadata->super_page = super_page;
	return spans > 0;
}

static int collect(struct pm_runtimes_context *context, struct pages *pages, struct pm_error *error)
{
	const struct pm_regions *regions = context->source->regions;
	struct metadata metadata;
	uint64_t words[WORDS];

	for (size_t i = 0; i < regions->count && !pm_runtime_ends(context); i++) {
		const struct pm_region *region = &regions->items[i];

		if (!pm_v8_memory_is_private(region) || !(region->perms & PM_PERM_READ) ||
		    !(region->perms & PM_PERM_WRITE) ||
		    pm_region_size(region) > METADATA_REGION_MAX || pages->count >= PAGES_MAX)
			continue;
		if (!pm_runtime_read(context, region->start, words, sizeof words) ||
		    !decode(regions, region->start, words, &metadata))
			continue;

		if (pm_array_reserve(&pages->items, &pages->capacity, pages->count, 1,
		                     sizeof *pages->items, error) < 0)
			return -1;
		pages->items[pages->count++] = metadata;
	}

	return 0;
}

/** Orders pages by their place in 2 MiB, which is that of their pool, then by address. */
static int by_pool(const void *left, const void *right)
{
	const struct metadata *one = left, *other = right;
	uint64_t a = one->address % SUPER_PAGE, b = other->address % SUPER_PAGE;

	if (a != b)
		return a > b ? 1 : -1;
	return (one->address > other->address) - (one->address < other->address);
}

/** Returns the distance from the 2 MiB of a page of metadata to the super page. */
static uint64_t distance(const struct metadata *metadata)
{
	return metadata->super_page - (metadata->address & ~(SUPER_PAGE - 1));
}

/**
 * Adds the super pages of a pool.
 *
 * @param pages  the pages of metadata of the pool
 * @param count  number of pages
 * @return       the number of super pages; 0 if the pages contradict each other, or if the distance
 *               is not known
 */
static size_t add_pool(struct pm_runtimes_context *context, const struct metadata *pages,
                       size_t count)
{
	const struct metadata *known = NULL;
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		if (pages[i].super_page == 0)
			continue;
		if (known && distance(&pages[i]) != distance(known))
			return 0;
		known = &pages[i];
	}
	if (!known)
		return 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t start = (pages[i].address & ~(SUPER_PAGE - 1)) + distance(known);

		uint64_t size = pages[i].size;

		if (start == 0 || start > UINT64_MAX - size ||
		    !pm_v8_memory_is_reserved(context->source->regions, start, size))
			continue;
		pm_runtime_add_range(context, start, start + size, PM_OWNER_CHROMIUM_PARTITION,
		                     PM_PROOF_PROVEN);
		pm_runtime_add_range(context, pages[i].address, pages[i].address + PAGE,
		                     PM_OWNER_CHROMIUM_PARTITION, PM_PROOF_PROVEN);
		added++;
	}

	return added;
}

/**
 * Adds the memory of a reservation that only guard pages show: regions at the place where the first
 * slot of a super page is, if all memory before it in the super page cannot be accessed. These are
 * direct maps, such as those of array buffers. The guard of a stack is smaller.
 *
 * @param regions  the regions of the reservation
 * @param count    number of regions
 */
static void add_guarded(struct pm_runtimes_context *context, const struct pm_region *regions,
                        size_t count)
{
	const unsigned access = PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC;

	for (size_t i = 1; i < count; i++) {
		const struct pm_region *region = &regions[i], *before = &regions[i - 1];

		if (region->start % SUPER_PAGE == PARTITION_PAGE &&
		    (region->perms & access) == (PM_PERM_READ | PM_PERM_WRITE) &&
		    !(before->perms & access) && region->start - before->start >= PARTITION_PAGE)
			pm_runtime_add_range(context, region->start, region->end,
			                     PM_OWNER_CHROMIUM_PARTITION, PM_PROOF_INFERRED);
	}
}

/** Adds what guard pages show in all reservations that can be pools. */
static void add_reservations(struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;
	size_t end;

	for (size_t i = 0; i < regions->count; i = end) {
		const struct pm_region *first = &regions->items[i];

		end = i + 1;
		if (!pm_v8_memory_is_private(first))
			continue;
		while (end < regions->count && pm_v8_memory_is_private(&regions->items[end]) &&
		       regions->items[end].start == regions->items[end - 1].end)
			end++;
		if (regions->items[end - 1].end - first->start >= POOL_MIN)
			add_guarded(context, first, end - i);
	}
}

long pm_partition_alloc_read(struct pm_runtimes_context *context, struct pm_error *error)
{
	struct pages pages = { 0 };
	size_t added = 0, end;

	if (collect(context, &pages, error) < 0) {
		free(pages.items);
		return -1;
	}
	if (pages.count > 0)
		qsort(pages.items, pages.count, sizeof *pages.items, by_pool);

	for (size_t i = 0; i < pages.count; i = end) {
		uint64_t place = pages.items[i].address % SUPER_PAGE;

		for (end = i; end < pages.count && pages.items[end].address % SUPER_PAGE == place;)
			end++;
		added += add_pool(context, &pages.items[i], end - i);
	}
	if (added > 0)
		add_reservations(context);

	free(pages.items);
	return (long)added;
}
