/* SPDX-License-Identifier: MIT */
#include "kinds/malloc_walk.h"

#include <string.h>

#include <procmem/number.h>

#include "kinds/chunk_header.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/objects.h"
#include "region/pagemap.h"

/* Headers read by one call, at the distances of the size that came last: blocks of one purpose
 * mostly have one size. */
enum { GUESSES = 64 };

/* What is looked at of a region: so many pages, and so many bytes of each. */
enum { SAMPLES = 64, SAMPLE_SIZE = 1024 };

/* As many as malloc makes by default (M_MMAP_MAX); bounds the time that a hostile target can cost.
 */
enum { CHUNKS_MAX = 65536 };

/**
 * Takes the chunk at walk->at.
 * @return its size, 0 where that is none
 */
static uint64_t take(const struct pm_kinds_context *context, struct pm_malloc_walk *walk,
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
 * Addresses of the next headers if all chunks have this size; only such that are present. @param
 * count where to store how many, 0 where the first is not
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
 * Takes the next chunks.
 * @param size that of the chunk before
 * @return 1: go on; 0: here is no further chunk; -1: an error
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
		uint64_t next = take(context, walk, word, bytes + i * PM_CHUNK_HEADER_SIZE);
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
	uint64_t size = take(context, walk, word, header);
	int more = size > 0;
	while (more > 0 && walk->at < walk->region->end && walk->count < CHUNKS_MAX)
		more = step(context, walk, word, &size, error);
	return more < 0 ? -1 : 0;
}

static int add_present(void *context, const struct pm_page_run *run)
{
	if (run->state & PM_PAGE_PRESENT && !(run->state & PM_PAGE_ZERO))
		*(uint64_t *)context += run->end - run->start;
	return 0;
}

/**
 * Looks at some pages of the region, for where nobody knows which were in memory: those that were
 * not are zeros in a core file.
 *
 * @param filled  where to store the bytes that hold something, reckoned from those pages
 * @return        0 or -1
 */
static int reckon_filled(struct pm_kinds_context *context, const struct pm_malloc_walk *walk,
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
 * Whether the chunks hold at least half of the region, or of the memory in it: what holds less does
 * not name the region.
 */
static bool holds_most(struct pm_kinds_context *context, const struct pm_malloc_walk *walk)
{
	if (walk->covered >= pm_region_size(walk->region) / 2)
		return true;

	uint64_t filled;
	if (context->evidence->any_page)
		return reckon_filled(context, walk, &filled, NULL) == 0 &&
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

static const char *describe(struct pm_kinds_context *context, const struct pm_malloc_walk *walk)
{
	char smallest[PM_SIZE_TEXT_SIZE], largest[PM_SIZE_TEXT_SIZE];
	pm_format_size(walk->smallest, smallest);
	pm_format_size(walk->largest, largest);

	const char *plural = walk->count == 1 ? "" : "s";
	if (walk->smallest == walk->largest)
		return pm_kinds_text(context, "%zu malloc chunk%s of %s", walk->count, plural,
		                     largest);

	return pm_kinds_text(context, "%zu malloc chunks, %s to %s", walk->count, smallest,
	                     largest);
}

void pm_malloc_claim(struct pm_kinds_context *context, struct pm_region *region,
                     const struct pm_malloc_walk *walk)
{
	if (walk->covered == pm_region_size(region)) {
		pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_PROVEN,
		               "headers of malloc's mapped chunks (IS_MMAPPED), walked from its "
		               "start to its end");
		region->detail = describe(context, walk);
		region->block = walk->largest;
		return;
	}

	/* The kernel merged the chunks with something else. */
	if (walk->count == 0 || !holds_most(context, walk))
		return;

	char size[PM_SIZE_TEXT_SIZE];
	pm_format_size(walk->covered, size);

	const char *where = "in";
	if (walk->last == walk->start + walk->covered)
		where = walk->start == region->start ? "in the first"
		        : walk->last == region->end  ? "in the last"
		                                     : "in";

	pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_INFERRED,
	               pm_kinds_text(context,
	                             "headers of malloc's mapped chunks (IS_MMAPPED) cover %s of "
	                             "it; the rest is something else",
	                             size));
	region->detail = pm_kinds_text(context, "%s %s %s", describe(context, walk), where, size);
	region->block = walk->largest;
}
