/* SPDX-License-Identifier: MIT */
/* Divides a range into parts: finds the part that contains the first address, continues at the end
 * of this part, and so on. */
#include <procmem/chunk_parts.h>

#include <stddef.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "base/search.h"
#include "base/words.h"
#include "heap/heap.h"

enum {
	FAST_LINKS = 8,   /* bytes of the link of a fastbin */
	KEYED_LINKS = 16, /* bytes of the link and the key of a tcache */
	FREE_LINKS = 16,  /* bytes of the links of a bin */
	LARGE_LINKS = 32, /* the same, with links to chunks of other sizes */
	LARGE_MIN = 1024, /* size in bytes of the smallest chunks with these links */
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

/** Returns the number of bytes at the start of a cached chunk that malloc has overwritten. */
static uint64_t cached_links(const struct pm_heap_handle *heap, const struct pm_chunk *chunk)
{
	if (heap->keyed_count == 0)
		return FAST_LINKS;

	bool keyed = bsearch(&chunk->address, heap->keyed, heap->keyed_count, sizeof *heap->keyed,
	                     pm_compare_words);
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
		content += chunk->size < LARGE_MIN ? FREE_LINKS : LARGE_LINKS;
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

/**
 * Finds the first of some ranges that ends above an address. The end of the part is moved to the
 * start of this range, if that is nearer.
 *
 * @param ranges  the ranges, ascending
 * @return        the range if it contains the address; otherwise NULL
 */
static const struct pm_range *find_range(const struct pm_range *ranges, size_t count,
                                         uint64_t address, struct part *part)
{
	size_t at = pm_first_above(ranges, count, sizeof *ranges, offsetof(struct pm_range, end),
	                           address);
	if (at == count)
		return NULL;
	if (ranges[at].start <= address)
		return &ranges[at];

	part->end = pm_min(part->end, ranges[at].start);
	return NULL;
}

/** Determines the part that contains an address that is in no chunk of the index. */
static void find_other_part(const struct pm_heap_handle *heap, uint64_t address, struct part *part)
{
	const struct pm_heap_index *index = &heap->index;

	part->kind = PM_CHUNK_PART_OUTSIDE;
	part->end = pm_heap_index_gap_end(index, address);

	const struct pm_range *unused = find_range(heap->unused, heap->unused_count, address, part);
	const struct pm_range *skipped = find_range(index->skipped, index->skipped_count, address,
	                                            part);

	if (skipped) {
		part->kind = PM_CHUNK_PART_UNKNOWN;
		part->end = pm_min(part->end, skipped->end);
	} else if (unused) {
		part->kind = PM_CHUNK_PART_FREE;
		part->end = pm_min(part->end, unused->end);
		part->has_chunk = true;
		part->chunk = (struct pm_chunk){ .address = unused->start,
			                         .start = unused->start,
			                         .end = unused->end,
			                         .size = pm_range_size(*unused),
			                         .arena = PM_CHUNK_MAPPED,
			                         .number = UINT32_MAX,
			                         .state = PM_CHUNK_FREE };
	}
}

static void find_part(const struct pm_heap_handle *heap, uint64_t address, struct part *part)
{
	part->has_chunk = pm_heap_index_find(&heap->index, address, &part->chunk);
	if (!part->has_chunk) {
		find_other_part(heap, address, part);
	} else if (heap->result.allocator == PM_HEAP_ALLOCATOR_GLIBC) {
		find_glibc_part(heap, address, part);
	} else {
		part->kind = 1U << part->chunk.state;
		part->end = part->chunk.end;
	}

	/* Always advance, even if the index is inconsistent. */
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

		if (part.kind & (PM_CHUNK_PART_LINKS | PM_CHUNK_PART_HEADER))
			continue;
		if (pm_range_size(parts->content) == 0)
			parts->content.start = at;
		parts->content.end = pm_min(part.end, range.end);
	}
}
