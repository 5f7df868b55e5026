/* SPDX-License-Identifier: MIT */
#include "kinds/malloc_walk.h"

#include <string.h>

#include <procmem/number.h>

#include "kinds/chunk_header.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/objects.h"
#include "region/pagemap.h"

/*
 * Maximum number of headers that one call reads. Their addresses are guessed on the assumption that
 * the next chunks have the same size as the previous chunk, which is often true.
 */
enum { GUESSES = 64 };

/* Number of pages that are sampled in a region, and number of bytes to read of each. */
enum { SAMPLES = 64, SAMPLE_SIZE = 1024 };

/*
 * Maximum number of chunks of a walk: the default of M_MMAP_MAX (mallopt(3)). Bounds the time for a
 * hostile target.
 */
enum { CHUNKS_MAX = 65536 };

/**
 * Adds the chunk at walk->at to the walk.
 * @return size of the chunk in bytes; 0 if there is no chunk
 */
static uint64_t add_chunk(const struct pm_kinds_context *context, struct pm_malloc_walk *walk,
                          unsigned word, const void *header)
{
	uint64_t size = pm_chunk_mapped_size(header, word, context->page,
	                                     walk->region->end - walk->at);
	if (size == 0)
		return 0;

	if (walk->count == 0)
		walk->start = walk->at;
	if (walk->count == 0 || size < walk->smallest)
		walk->smallest = size;
	if (size > walk->largest)
		walk->largest = size;
	walk->count++;
	walk->covered += size;

	walk->at += size;
	walk->last = walk->at;

	return size;
}

/**
 * Computes the addresses of the next headers, assuming that the next chunks all have `size` bytes.
 * Stops at the first address whose page is not present, at the end of the region, or after GUESSES
 * addresses.
 *
 * @param context    the context
 * @param walk       the walk
 * @param size       bytes of a chunk
 * @param addresses  receives at most GUESSES addresses
 * @param count      receives the number of addresses
 * @param error      PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int guess(struct pm_kinds_context *context, const struct pm_malloc_walk *walk, uint64_t size,
                 uint64_t *addresses, size_t *count, struct pm_error *error)
{
	*count = 0;
	for (uint64_t at = walk->at; at < walk->region->end && *count < GUESSES; at += size) {
		enum pm_presence presence;
		if (pm_kinds_presence(context, walk->region, at, &presence, error) < 0)
			return -1;
		if (presence != PM_PRESENT)
			break;
		addresses[(*count)++] = at;
		if (size > walk->region->end - at)
			break;
	}

	return 0;
}

/**
 * Reads the next headers, and adds the chunks that begin with these headers to the walk.
 *
 * @param context  the context
 * @param walk     the walk
 * @param word     bytes of a pointer in the target
 * @param size     size of the previous chunk in bytes; receives the size of the last chunk that was
 *                 added
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         1 if chunks were added, 0 if there is no further chunk, -1 on error
 */
static int step(struct pm_kinds_context *context, struct pm_malloc_walk *walk, unsigned word,
                uint64_t *size, struct pm_error *error)
{
	uint64_t addresses[GUESSES] = { 0 };
	unsigned char bytes[GUESSES * PM_CHUNK_HEADER_SIZE];
	bool got[GUESSES];
	size_t count, before = walk->count;

	if (guess(context, walk, *size, addresses, &count, error) < 0 ||
	    pm_kinds_read(context, addresses, count, PM_CHUNK_HEADER_SIZE, bytes, got, error) < 0)
		return -1;

	for (size_t i = 0; i < count && got[i] && addresses[i] == walk->at; i++) {
		uint64_t next = add_chunk(context, walk, word, bytes + i * PM_CHUNK_HEADER_SIZE);
		if (next == 0)
			break;
		*size = next;
	}

	return walk->count > before;
}

int pm_malloc_walk(struct pm_kinds_context *context, struct pm_malloc_walk *walk,
                   const void *header, struct pm_error *error)
{
	unsigned word = pm_kinds_word_size(context);
	uint64_t size = add_chunk(context, walk, word, header);
	int more = size > 0;
	while (more > 0 && walk->at < walk->region->end && walk->count < CHUNKS_MAX)
		more = step(context, walk, word, &size, error);

	if (more < 0)
		return -1;
	return 0;
}

static int add_present(void *context, const struct pm_page_run *run)
{
	if (run->state & PM_PAGE_PRESENT && !(run->state & PM_PAGE_ZERO))
		*(uint64_t *)context += run->end - run->start;
	return 0;
}

/**
 * Estimates the number of bytes of a region that contain data, by sampling some of its pages. Used
 * for core files, in which pages that were not in memory contain zeros.
 *
 * @param context  the context
 * @param walk     the walk
 * @param filled   receives the estimated number of bytes that contain data
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int estimate_filled(struct pm_kinds_context *context, const struct pm_malloc_walk *walk,
                           uint64_t *filled, struct pm_error *error)
{
	static const unsigned char zeros[SAMPLE_SIZE];
	unsigned char bytes[SAMPLES * SAMPLE_SIZE];
	uint64_t addresses[SAMPLES], step = pm_region_size(walk->region) / SAMPLES;
	size_t others = 0;
	bool got[SAMPLES];

	for (uint64_t i = 0; i < SAMPLES; i++)
		addresses[i] = (walk->region->start + step * i) & ~(context->page - 1);

	if (pm_kinds_read(context, addresses, SAMPLES, SAMPLE_SIZE, bytes, got, error) < 0)
		return -1;

	for (size_t i = 0; i < SAMPLES; i++)
		others += got[i] && memcmp(bytes + i * SAMPLE_SIZE, zeros, SAMPLE_SIZE) != 0;

	*filled = step * others;
	return 0;
}

/**
 * Returns whether the chunks cover at least half of the region, or contain at least half of its
 * resident memory. Otherwise, the chunks do not determine the kind of the region. For core files,
 * the resident memory is estimated.
 */
static bool holds_most(struct pm_kinds_context *context, const struct pm_malloc_walk *walk)
{
	if (walk->covered >= pm_region_size(walk->region) / 2)
		return true;

	uint64_t filled;
	if (context->evidence->any_page)
		return estimate_filled(context, walk, &filled, NULL) == 0 &&
		       walk->covered >= filled / 2;

	uint64_t present = 0, memory = walk->region->bytes[PM_SIZE_RSS];
	if (!pm_region_knows(walk->region, PM_SIZE_RSS) || memory == 0 ||
	    !context->evidence->pagemap || context->page_states_refused)
		return false;

	struct pm_pagemap *pagemap = context->evidence->pagemap;
	return pm_pagemap_walk_states(pagemap, walk->start, walk->last, false, add_present,
	                              &present, NULL) == 0 &&
	       present >= memory / 2;
}

static struct pm_detail detail_of(const struct pm_malloc_walk *walk, enum pm_chunk_place place)
{
	return (struct pm_detail){
		.type = PM_DETAIL_CHUNKS,
		.place = (uint8_t)place,
		.count = (uint32_t)walk->count,
		.chunks = { walk->smallest, walk->largest, walk->covered },
	};
}

/**
 * Returns the place of the chunks in a region of which they cover only a part: contiguous at the
 * start of the region, contiguous at its end, or scattered.
 */
static enum pm_chunk_place place_of(const struct pm_malloc_walk *walk)
{
	if (walk->last != walk->start + walk->covered)
		return PM_CHUNKS_SCATTERED;
	if (walk->start == walk->region->start)
		return PM_CHUNKS_FIRST;
	if (walk->last == walk->region->end)
		return PM_CHUNKS_LAST;
	return PM_CHUNKS_SCATTERED;
}

void pm_malloc_claim(struct pm_kinds_context *context, struct pm_region *region,
                     const struct pm_malloc_walk *walk)
{
	if (walk->covered == pm_region_size(region)) {
		pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_PROVEN,
		               "consists of malloc's mapped chunks (IS_MMAPPED), proven by their "
		               "headers from the start to the end of the region");
		region->detail = detail_of(walk, PM_CHUNKS_FILL);
		return;
	}

	/*
	 * The chunks cover only a part of the region, because the kernel merged them with other
	 * memory.
	 */
	if (walk->count == 0 || !holds_most(context, walk))
		return;

	char size[PM_SIZE_TEXT_SIZE];
	pm_format_size(walk->covered, size);

	pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_INFERRED,
	               pm_kinds_text(context,
	                             "malloc's mapped chunks (IS_MMAPPED), proven by their "
	                             "headers, cover %s of the region; the rest is other memory",
	                             size));

	/* Do not report "in the first 48.0M" of a region of 48.0M. */
	char whole[PM_SIZE_TEXT_SIZE];
	pm_format_size(pm_region_size(region), whole);
	bool fills = strcmp(size, whole) == 0;
	region->detail = detail_of(walk, fills ? PM_CHUNKS_FILL : place_of(walk));
}
