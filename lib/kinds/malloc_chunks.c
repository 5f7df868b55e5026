/* SPDX-License-Identifier: MIT */
/*
 * Blocks that malloc mapped one by one: large allocations. Each begins with prev_size 0 and a size whose lowest bits are 2, IS_MMAPPED (malloc/malloc.c of
 * glibc; a block of memalign keeps such a header at its start as well). The kernel merges neighbours into one region, so the headers are walked: a walk that
 * ends exactly where the region does proves every step of it.
 */
#include <inttypes.h>

#include <procmem/number.h>

#include "kinds/malloc_headers.h"
#include "kinds/memory.h"
#include "kinds/rules.h"

enum { IS_MMAPPED = 2, FLAG_BITS = 7 };

/* Headers read by one call, at the distances of the size that came last: blocks of one purpose mostly have one size. */
enum { GUESSES = 64 };

struct walk {
	struct pm_kinds_context *context;
	const struct pm_region *region;
	unsigned word;
	uint64_t at; /* address of the next header */
	size_t count;
	uint64_t smallest;
	uint64_t largest;
};

/** Size of the block that a header speaks of; 0 where it is no header of a mapped block that fits. */
static uint64_t block_size(const struct walk *walk, uint64_t prev_size, uint64_t size)
{
	uint64_t bytes = size & ~(uint64_t)FLAG_BITS;
	if (prev_size != 0 || (size & FLAG_BITS) != IS_MMAPPED || bytes == 0 || bytes % walk->context->page != 0)
		return 0;
	return bytes <= walk->region->end - walk->at ? bytes : 0;
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
	unsigned char bytes[GUESSES * 16];
	bool got[GUESSES];
	size_t count, pair = 2 * (size_t)walk->word;
	if (guess(walk, *size, addresses, &count, error) < 0 || pm_kinds_read(walk->context, addresses, count, pair, bytes, got, error) < 0)
		return -1;
	size_t before = walk->count;
	for (size_t i = 0; i < count && got[i] && addresses[i] == walk->at; i++) {
		const unsigned char *header = bytes + i * pair;
		uint64_t next = block_size(walk, pm_kinds_word(header, walk->word), pm_kinds_word(header + walk->word, walk->word));
		if (next == 0)
			break;
		take(walk, next);
		*size = next;
	}
	return walk->count > before;
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
	uint64_t covered = walk->at - region->start;
	if (walk->at == region->end) {
		pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_PROVEN, "headers of malloc's mapped chunks (IS_MMAPPED), walked from its start to its end");
		region->detail = describe(context, walk);
		return;
	}
	/* The kernel merged the blocks with something else behind them. What holds less than half of the memory does not name the region. */
	uint64_t memory = pm_region_knows(region, PM_SIZE_RSS) ? region->bytes[PM_SIZE_RSS] : pm_region_size(region);
	if (covered * 2 < memory)
		return;
	char size[PM_SIZE_TEXT_SIZE];
	pm_format_size(covered, size);
	pm_kinds_claim(region, PM_KIND_MALLOC, PM_PROOF_INFERRED,
	               pm_kinds_text(context, "headers of malloc's mapped chunks (IS_MMAPPED) cover the first %s of it; what follows is something else", size));
	region->detail = pm_kinds_text(context, "%s in the first %s", describe(context, walk), size);
}

int pm_rule_malloc_chunks(struct pm_kinds_context *context, struct pm_error *error)
{
	unsigned word = pm_kinds_word_size(context);
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_WRITABLE, &at));) {
		if (!pm_malloc_header_was_read(context, region))
			continue;
		struct walk walk = { .context = context, .region = region, .word = word, .at = region->start };
		uint64_t size = block_size(&walk, pm_malloc_header_word(context, region, 0, word), pm_malloc_header_word(context, region, 1, word));
		if (size == 0)
			continue;
		take(&walk, size);
		int more = 1;
		while (more > 0 && walk.at < region->end)
			more = step(&walk, &size, error);
		if (more < 0)
			return -1;
		claim(context, region, &walk);
	}
	return 0;
}
