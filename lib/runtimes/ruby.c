/* SPDX-License-Identifier: MIT */
/*
 * A heap page of CRuby (gc.c) has 16 KiB in version 3.1 and 64 KiB in later ones, to which it is
 * aligned. Its first word points to a struct heap_page, which is in memory of malloc and begins
 * with the size and the number of the slots. A later word of the structure is the address of the
 * first slot, so the page and the structure refer to each other.
 */
#include "runtimes/ruby.h"

#include <string.h>

#include "base/minmax.h"

enum {
	SMALL = 16 << 10, /* size of a page in Ruby 3.1 */
	LARGE = 64 << 10, /* size of a page from Ruby 3.2 on */
	WORDS = 8,        /* of struct heap_page that are read */
	SLOT_MIN = 40,    /* sizeof(RVALUE) */
	SLOT_MAX = 1024,  /* 16 * RVALUE and a reserve */
	LOST_SLOTS = 3,   /* slots that alignment and the header can take */
	HEADER_MAX = 64,
	BATCH = 1024, /* of 16 MiB; more than what is read at once */
};

/** Returns whether an address is in writable anonymous memory. */
static bool is_writable(const struct pm_runtimes_context *context, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, address);
	return region && region->inode == 0 && region->perms & PM_PERM_WRITE &&
	       !(region->perms & PM_PERM_SHARED);
}

/** Returns whether slots of a size and number fill a page of a size. */
static bool fills(uint64_t slot, uint64_t count, uint64_t page)
{
	uint64_t bytes = slot * count;
	return bytes < page && bytes + LOST_SLOTS * slot + HEADER_MAX >= page;
}

/** Returns the size of a page, given its first word; 0 if it is not a heap page. */
static uint64_t page_size(struct pm_runtimes_context *context, uint64_t page, uint64_t structure)
{
	uint64_t words[WORDS], size = 0;
	uint16_t slot, count;

	if (!pm_runtime_read(context, structure, words, sizeof words))
		return 0;

	memcpy(&slot, words, sizeof slot);
	memcpy(&count, (const char *)words + sizeof slot, sizeof count);
	if (slot < SLOT_MIN || slot > SLOT_MAX || slot % 8 != 0)
		return 0;
	if (fills(slot, count, SMALL))
		size = SMALL;
	else if (fills(slot, count, LARGE) && page % LARGE == 0)
		size = LARGE;

	for (size_t i = 1; size > 0 && i < WORDS; i++)
		if (words[i] > page && words[i] - page <= (uint64_t)2 * slot + HEADER_MAX)
			return size;
	return 0;
}

/** Places where a heap page can begin, and the words there. */
struct batch {
	struct {
		uint64_t page, structure;
	} items[BATCH];
	size_t count;
};

/** Adds the places in a part of a region that was read. */
static void collect_part(struct pm_runtimes_context *context, uint64_t start, const void *bytes,
                         size_t size, struct batch *batch)
{
	for (size_t at = 0; at + sizeof(uint64_t) <= size && batch->count < BATCH; at += SMALL) {
		uint64_t structure;

		memcpy(&structure, (const char *)bytes + at, sizeof structure);
		if (structure % 8 != 0 || !is_writable(context, structure))
			continue;
		batch->items[batch->count].page = start + at;
		batch->items[batch->count++].structure = structure;
	}
}

/**
 * Collects places in a region. The structures, which are elsewhere, are read afterwards.
 * @return where to continue
 */
static uint64_t collect(struct pm_runtimes_context *context, uint64_t at, uint64_t end,
                        struct batch *batch)
{
	const void *bytes;
	size_t size = pm_runtime_read_ahead(context, at, end, &bytes);

	batch->count = 0;
	collect_part(context, at, bytes, size, batch);
	at += pm_max((size + SMALL - 1) / SMALL * SMALL, SMALL);
	if (size > 0 || at >= end)
		return at;

	uint64_t next = pm_runtime_next_present(context, at, end);
	return pm_max(at, next / SMALL * SMALL);
}

/** Adds the heap pages of a region. Returns their number. */
static uint64_t read_region(struct pm_runtimes_context *context, const struct pm_region *region)
{
	uint64_t at = (region->start + SMALL - 1) / SMALL * SMALL, pages = 0;
	struct batch batch;

	while (at < region->end && region->end - at >= SMALL && !pm_runtime_ends(context)) {
		at = collect(context, at, region->end, &batch);
		for (size_t i = 0; i < batch.count; i++) {
			uint64_t page = batch.items[i].page;
			uint64_t size = page_size(context, page, batch.items[i].structure);

			if (size == 0 || size > region->end - page)
				continue;
			pm_runtime_add_range(context, page, page + size, PM_OWNER_RUBY_HEAP,
			                     PM_PROOF_PROVEN);
			pages++;
		}
	}

	return pages;
}

uint64_t pm_runtime_ruby_read(struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;
	uint64_t pages = 0;

	for (size_t i = 0; i < regions->count; i++)
		if (regions->items[i].mapping[0] != '[' &&
		    is_writable(context, regions->items[i].start))
			pages += read_region(context, &regions->items[i]);

	return pages;
}
