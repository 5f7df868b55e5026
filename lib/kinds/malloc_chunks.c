/* SPDX-License-Identifier: MIT */
/*
 * Blocks that malloc mapped one by one: large allocations. Each begins with a header that says so (chunk_header.h). The kernel merges
 * neighbours into one region, so the headers are walked: a walk that ends exactly where the region does proves every step of it.
 */
#include <stdlib.h>

#include <procmem/number.h>
#include <procmem/pagemap.h>

#include "base/array.h"
#include "kinds/chunk_header.h"
#include "kinds/malloc_headers.h"
#include "kinds/memory.h"
#include "kinds/rules.h"

/* Headers read by one call, at the distances of the size that came last: blocks of one purpose mostly have one size. */
enum { GUESSES = 64 };

/* Where a region begins with something else, a block is searched for at the starts of its first 16 MiB of pages; only in regions that are worth it. */
enum { MOST_PAGES = 4096, WORTH_A_SEARCH = 1 << 20 };

struct walk {
	struct pm_kinds_context *context;
	const struct pm_region *region;
	unsigned word;
	uint64_t start; /* address of the first header */
	uint64_t at;    /* address of the next header */
	size_t count;
	uint64_t smallest;
	uint64_t largest;
};

/** Size of the block whose header is at walk->at; 0 where that is none. */
static uint64_t block_size(const struct walk *walk, const void *header)
{
	return pm_chunk_mapped_size(header, walk->word, walk->context->page, walk->region->end - walk->at);
}

static void take(struct walk *walk, uint64_t size)
{
	if (walk->count == 0 || size < walk->smallest)
		walk->smallest = size;
	if (size > walk->largest)
		walk->largest = size;
	walk->count++;
	walk->at += size;
}

/** Addresses of the next headers if all blocks have this size; only such that are present. @return how many, 0 where the first is not */
static int guess(struct walk *walk, uint64_t size, uint64_t *addresses, size_t *count, struct pm_error *error)
{
	*count = 0;
	for (uint64_t at = walk->at; at < walk->region->end && *count < GUESSES; at += size) {
		enum pm_presence presence;
		if (pm_kinds_presence(walk->context, walk->region, at, &presence, error) < 0)
			return -1;
		if (presence != PM_PRESENT)
			break;
		addresses[(*count)++] = at;
		if (size > walk->region->end - at)
			break;
	}
	return 0;
}

/** Takes the next blocks. @param size of the block before @return 1: go on; 0: here is no further block; -1: an error */
static int step(struct walk *walk, uint64_t *size, struct pm_error *error)
{
	uint64_t addresses[GUESSES] = { 0 };
	unsigned char bytes[GUESSES * PM_CHUNK_HEADER_SIZE];
	bool got[GUESSES];
	size_t count;
	if (guess(walk, *size, addresses, &count, error) < 0 || pm_kinds_read(walk->context, addresses, count, PM_CHUNK_HEADER_SIZE, bytes, got, error) < 0)
		return -1;
	size_t before = walk->count;
	for (size_t i = 0; i < count && got[i] && addresses[i] == walk->at; i++) {
		uint64_t next = block_size(walk, bytes + i * PM_CHUNK_HEADER_SIZE);
		if (next == 0)
			break;
		take(walk, next);
		*size = next;
	}
	return walk->count > before;
}

/** Walks on from the first block of a region or of a part of it. @param size of that block */
static int walk_on(struct walk *walk, uint64_t size, struct pm_error *error)
{
	int more = 1;
	take(walk, size);
	while (more > 0 && walk->at < walk->region->end)
		more = step(walk, &size, error);
	return more < 0 ? -1 : 0;
}

/** Bytes of memory that a region holds: what the walk must explain. */
static uint64_t memory_of(const struct pm_region *region)
{
	return pm_region_knows(region, PM_SIZE_RSS) ? region->bytes[PM_SIZE_RSS] : pm_region_size(region);
}

static const char *describe(struct pm_kinds_context *context, const struct walk *walk)
{
	char smallest[PM_SIZE_TEXT_SIZE], largest[PM_SIZE_TEXT_SIZE];
	pm_format_size(walk->smallest, smallest);
	pm_format_size(walk->largest, largest);
	const char *plural = walk->count == 1 ? "" : "s";
	if (walk->smallest == walk->largest)
		return pm_kinds_text(context, "%zu malloc chunk%s of %s", walk->count, plural, largest);
	return pm_kinds_text(context, "%zu malloc chunks, %s to %s", walk->count, smallest, largest);
}

static void claim(struct pm_kinds_context *context, struct pm_region *region, const struct walk *walk)
{
	uint64_t covered = walk->at - walk->start;
	if (covered == pm_region_size(region)) {
		pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_PROVEN, "headers of malloc's mapped chunks (IS_MMAPPED), walked from its start to its end");
		region->detail = describe(context, walk);
		return;
	}
	/* The kernel merged the blocks with something else. What holds less than half of the memory does not name the region. */
	if (covered * 2 < memory_of(region))
		return;
	char size[PM_SIZE_TEXT_SIZE];
	const char *where = walk->start == region->start ? "the first" : walk->at == region->end ? "the last" : "";
	pm_format_size(covered, size);
	pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_INFERRED,
	               pm_kinds_text(context, "headers of malloc's mapped chunks (IS_MMAPPED) cover %s %s of it; the rest is something else", where, size));
	region->detail = pm_kinds_text(context, "%s in %s %s", describe(context, walk), where, size);
}

/** Page starts where a block may begin, behind something else that the kernel merged with the blocks. */
struct pages {
	size_t count;
	uint64_t page;
	uint64_t addresses[MOST_PAGES];
};

static int collect_pages(void *context, const struct pm_page_run *run)
{
	struct pages *pages = context;
	if (!(run->state & PM_PAGE_PRESENT) || run->state & PM_PAGE_ZERO)
		return 0;
	for (uint64_t at = run->start; at < run->end && pages->count < MOST_PAGES; at += pages->page)
		pages->addresses[pages->count++] = at;
	return pages->count == MOST_PAGES;
}

/** Tries every page start among the first ones present. */
static int try_pages(struct walk *walk, const struct pages *pages, unsigned char *bytes, bool *got, struct pm_error *error)
{
	if (pm_kinds_read(walk->context, pages->addresses, pages->count, PM_CHUNK_HEADER_SIZE, bytes, got, error) < 0)
		return -1;
	for (size_t i = 0; i < pages->count; i++) {
		struct walk found = { .context = walk->context, .region = walk->region, .word = walk->word };
		found.start = found.at = pages->addresses[i];
		uint64_t size = got[i] ? block_size(&found, bytes + i * PM_CHUNK_HEADER_SIZE) : 0;
		if (size == 0)
			continue;
		if (walk_on(&found, size, error) < 0)
			return -1;
		*walk = found;
		if ((found.at - found.start) * 2 >= memory_of(walk->region))
			return 0;
	}
	return 0;
}

/** Looks for the blocks of a large region that does not begin with one. */
static int search(struct pm_kinds_context *context, struct walk *walk, struct pm_error *error)
{
	struct pm_error why = { 0 };
	if (memory_of(walk->region) < WORTH_A_SEARCH || !context->evidence->pagemap || context->page_states_refused)
		return 0;
	struct pages *pages = malloc(sizeof *pages);
	unsigned char *bytes = malloc((size_t)MOST_PAGES * PM_CHUNK_HEADER_SIZE);
	bool *got = malloc(MOST_PAGES * sizeof *got);
	int result = -1;
	if (!pages || !bytes || !got) {
		pm_error_out_of_memory(error);
	} else {
		pages->count = 0;
		pages->page = context->page;
		result = pm_pagemap_walk(context->evidence->pagemap, walk->region->start, walk->region->end, collect_pages, pages, &why);
		result = result < 0 ? (pm_kinds_fails(&why) ? pm_kinds_pass_on(&why, error) : 0) : try_pages(walk, pages, bytes, got, error);
	}
	free(pages);
	free(bytes);
	free(got);
	return result;
}

int pm_rule_malloc_chunks(struct pm_kinds_context *context, struct pm_error *error)
{
	unsigned word = pm_kinds_word_size(context);
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_WRITABLE, &at));) {
		bool begins = pm_malloc_header_was_read(context, region);
		if (!begins && context->headers[pm_kinds_index(context, region)] != PM_HEADER_ABSENT)
			continue;
		struct walk walk = { .context = context, .region = region, .word = word, .start = region->start, .at = region->start };
		uint64_t size = 0;
		if (begins)
			size = block_size(&walk, pm_malloc_header(context, region));
		int result = size > 0 ? walk_on(&walk, size, error) : search(context, &walk, error);
		if (result < 0)
			return -1;
		if (walk.count > 0)
			claim(context, region, &walk);
	}
	return 0;
}
