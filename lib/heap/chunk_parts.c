/* SPDX-License-Identifier: MIT */
/* Divides a range into parts: from each address, the part that contains it, and the address after
 * that part. */
#include <procmem/chunk_parts.h>

#include <stdlib.h>

#include "base/minmax.h"
#include "heap/heap.h"

enum {
	FAST_LINKS = 8,   /* bytes of the link of a fastbin */
	KEYED_LINKS = 16, /* bytes of the link and the key of a tcache */
	FREE_LINKS = 16,  /* bytes of the links of all bins */
	FREE_SIZE = 8,    /* bytes of the size at the end of a free chunk; in the index, they are
	                     the start of the next header */
};

/** A part of the memory. */
struct part {
	unsigned kind;         /* enum pm_chunk_part */
	uint64_t end;          /* address after its last byte */
	bool has_chunk;        /* `chunk` is valid */
	struct pm_chunk chunk; /* the chunk to which the part belongs */
};

static int compare_words(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
	return (one > other) - (one < other);
}

/** Returns the number of bytes at the start of a cached chunk that malloc has overwritten. */
static uint64_t cached_links(const struct pm_heap_handle *heap, const struct pm_chunk *chunk)
{
	if (heap->keyed_count == 0)
		return FAST_LINKS;

	bool keyed = bsearch(&chunk->address, heap->keyed, heap->keyed_count, sizeof *heap->keyed,
	                     compare_words);
	return keyed ? KEYED_LINKS : FAST_LINKS;
}

/** Determines the part of a chunk of glibc that contains an address. */
static void find_glibc_part(const struct pm_heap_handle *heap, uint64_t address, struct part *part)
{
	const struct pm_chunk *chunk = &part->chunk;
	uint64_t content = chunk->start, end = chunk->end;

	if (chunk->state == PM_CHUNK_CACHED)
		content += cached_links(heap, chunk);
	if (chunk->state == PM_CHUNK_FREE) {
		content += FREE_LINKS;
		end -= FREE_SIZE;
	}

	part->kind = 1U << chunk->state;
	part->end = end;
	if (address < chunk->start) {
		part->kind = PM_CHUNK_PART_HEADER;
		part->end = chunk->start;
	} else if (address < content) {
		part->kind = PM_CHUNK_PART_LINKS;
		part->end = content;
	}
}

/** Finds the first range of unused pages that ends above an address, or NULL. */
static const struct pm_range *find_unused(const struct pm_heap_handle *heap, uint64_t address)
{
	size_t low = 0, high = heap->unused_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (heap->unused[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}

	return low < heap->unused_count ? &heap->unused[low] : NULL;
}

/** Determines the part that contains an address that is in no chunk of the index. */
static void find_other_part(const struct pm_heap_handle *heap, uint64_t address, struct part *part)
{
	const struct pm_range *unused = find_unused(heap, address);

	part->kind = PM_CHUNK_PART_OUTSIDE;
	part->end = pm_heap_index_gap_end(&heap->index, address);
	if (!unused)
		return;
	if (address < unused->start) {
		part->end = pm_min(part->end, unused->start);
		return;
	}

	part->kind = PM_CHUNK_PART_FREE;
	part->end = unused->end;
	part->has_chunk = true;
	part->chunk = (struct pm_chunk){ .address = unused->start,
		                         .start = unused->start,
		                         .end = unused->end,
		                         .size = pm_range_size(*unused),
		                         .arena = PM_CHUNK_MAPPED,
		                         .number = UINT32_MAX,
		                         .state = PM_CHUNK_FREE };
}

static void find_part(const struct pm_heap_handle *heap, uint64_t address, struct part *part)
{
	part->has_chunk = pm_heap_index_find(&heap->index, address, &part->chunk);
	if (!part->has_chunk) {
		find_other_part(heap, address, part);
	} else if (heap->public.allocator == PM_HEAP_ALLOCATOR_GLIBC) {
		find_glibc_part(heap, address, part);
	} else {
		part->kind = 1U << part->chunk.state;
		part->end = part->chunk.end;
	}

	/* Always ahead, even if the index is inconsistent. */
	part->end = pm_max(part->end, address + 1);
}

void pm_chunk_parts_find(const struct pm_heap *heap, struct pm_range range,
                         struct pm_chunk_parts *parts)
{
	struct part part;

	*parts = (struct pm_chunk_parts){ 0 };
	for (uint64_t at = range.start; at < range.end; at = part.end) {
		find_part(pm_heap_const_handle(heap), at, &part);
		if (!parts->found && part.has_chunk) {
			parts->found = true;
			parts->chunk = part.chunk;
		}

		if (part.has_chunk && part.chunk.address == parts->chunk.address)
			parts->inside |= part.kind;
		else
			parts->outside |= part.kind;
	}
}
