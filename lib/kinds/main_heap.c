/* SPDX-License-Identifier: MIT */
/*
 * The brk heap where nobody names it: core files have no [heap]. glibc's malloc lays chunks there
 * one behind the other, from its start to its end (malloc/malloc.c of glibc): each begins with
 * `prev_size` and `size`, whose lowest bits are PREV_INUSE (1), IS_MMAPPED (2) and NON_MAIN_ARENA
 * (4). The last one, the top, ends where the heap does. Such a walk has no other end by chance.
 *
 * Of living processes the kernel names it, and only of what does not live may any page be read.
 */
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

enum {
	PREV_INUSE = 1,
	OTHER_FLAGS = 6,
	FLAG_BITS = 7,
	ALIGNMENT = 16,      /* MALLOC_ALIGNMENT, since glibc 2.26 on 32 bits, too */
	FEW_CHUNKS = 3,      /* less can be chance */
	CHUNKS_MAX = 65536,  /* of a large heap these are enough */
	STEPS_MAX = 1 << 20, /* in all: a file may be made to cost much */
};

/** Where the first chunk lies: what follows its two words is aligned. */
static uint64_t first_chunk(const struct pm_region *region, unsigned word)
{
	return region->start + (word == 4 ? 2 * word : 0);
}

/**
 * Size of a chunk of the main arena; that of the last one is what is left.
 *
 * @param most  bytes up to the end of the region
 * @return      0 where it is none
 */
static uint64_t chunk_size(const unsigned char *header, unsigned word, bool first, uint64_t most)
{
	uint64_t size = pm_kinds_word(header + word, word), bytes = size & ~(uint64_t)FLAG_BITS;
	if (first && (pm_kinds_word(header, word) != 0 || !(size & PREV_INUSE)))
		return 0;
	if ((size & OTHER_FLAGS) != 0 || bytes < UINT64_C(4) * word || bytes > most)
		return 0;
	return bytes % ALIGNMENT == 0 || bytes == most ? bytes : 0;
}

/**
 * Walks over the chunks of a region.
 *
 * @param chunks  where to store how many there are; CHUNKS_MAX where there are more
 * @return        1: to its end, or over the most; 0: something else is in it; -1: an error
 */
static int walk(struct pm_kinds_context *context, const struct pm_region *region, size_t *chunks,
                struct pm_error *error)
{
	unsigned word = pm_kinds_word_size(context);
	uint64_t at = first_chunk(region, word);
	for (*chunks = 0; at < region->end && *chunks < CHUNKS_MAX; ++*chunks) {
		unsigned char header[2 * sizeof(uint64_t)] = { 0 };
		bool got = false;
		if (region->end - at < sizeof header)
			return 0;
		if (pm_kinds_read(context, &at, 1, sizeof header, header, &got, error) < 0)
			return -1;
		uint64_t size = got ? chunk_size(header, word, *chunks == 0, region->end - at) : 0;
		if (size == 0)
			return 0;
		at += size;
	}

	return *chunks >= FEW_CHUNKS;
}

int pm_rule_main_heap(struct pm_kinds_context *context, struct pm_error *error)
{
	struct pm_region *region;

	if (!context->evidence->any_page)
		return 0;

	for (size_t at = 0, steps = 0;
	     steps < STEPS_MAX &&
	     (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		size_t chunks;
		int is_heap = walk(context, region, &chunks, error);
		if (is_heap < 0)
			return -1;

		steps += chunks;
		if (!is_heap)
			continue;

		pm_kinds_claim(region, PM_KIND_HEAP, PM_PROOF_INFERRED,
		               pm_kinds_text(context,
		                             "%s%zu chunks of malloc's main arena, %s: as in the "
		                             "brk heap, which has no name here",
		                             chunks == CHUNKS_MAX ? "begins with " : "", chunks,
		                             chunks == CHUNKS_MAX ? "one behind the other"
		                                                  : "from its start to its end"));

		/* There is one. */
		return 0;
	}

	return 0;
}
