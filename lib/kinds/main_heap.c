/* SPDX-License-Identifier: MIT */
/*
 * The brk heap in core files, which do not contain the name [heap]. glibc's malloc fills the heap
 * with contiguous chunks from start to end (malloc/malloc.c of glibc). Each chunk begins with
 * `prev_size` and `size`; the lowest bits of `size` are PREV_INUSE (1), IS_MMAPPED (2) and
 * NON_MAIN_ARENA (4). The last chunk (top) ends at the end of the heap. In memory of another kind,
 * a walk from chunk to chunk is very unlikely to end exactly at the end of the region.
 *
 * This rule is not used for living processes: the kernel names their heap, and reading pages that
 * are not present would change the process.
 */
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

enum {
	PREV_INUSE = 1,
	OTHER_FLAGS = 6,
	FLAG_BITS = 7,
	ALIGNMENT = 16,      /* MALLOC_ALIGNMENT; since glibc 2.26 also on 32 bits */
	FEW_CHUNKS = 3,      /* minimum number of chunks; fewer chunks may be found by chance */
	CHUNKS_MAX = 65536,  /* maximum number of chunks to walk; enough for a large heap */
	STEPS_MAX = 1 << 20, /* maximum number of chunks of all regions; bounds the time for a
	                        hostile file */
};

/**
 * Returns the address of the first chunk of a region. malloc places this chunk so that the memory
 * after its two header words is aligned to 16 bytes.
 */
static uint64_t first_chunk(const struct pm_region *region, unsigned word)
{
	if (word == 4)
		return region->start + UINT64_C(2) * word;
	return region->start;
}

/**
 * Returns the size of a chunk of the main arena. The size of the last chunk need not be a multiple
 * of the alignment, because this chunk extends to the end of the region.
 *
 * @param header  header of the chunk
 * @param word    bytes of a pointer in the target
 * @param first   whether this is the first chunk of the region
 * @param max     bytes up to the end of the region
 * @return        size in bytes; 0 if the header does not belong to a chunk of the main arena
 */
static uint64_t chunk_size(const unsigned char *header, unsigned word, bool first, uint64_t max)
{
	uint64_t size = pm_kinds_word(header + word, word);
	uint64_t bytes = size & ~(uint64_t)FLAG_BITS;

	if (first && (pm_kinds_word(header, word) != 0 || !(size & PREV_INUSE)))
		return 0;
	if ((size & OTHER_FLAGS) != 0 || bytes < UINT64_C(4) * word || bytes > max)
		return 0;
	if (bytes % ALIGNMENT != 0 && bytes != max)
		return 0;
	return bytes;
}

/**
 * Walks over the chunks of a region from its start.
 *
 * @param context  the context
 * @param region   the region
 * @param chunks   receives the number of chunks, at most CHUNKS_MAX
 * @param error    PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return         1 if the walk reached the end of the region after at least FEW_CHUNKS chunks, or
 *                 CHUNKS_MAX chunks were found; 0 if not; -1 on error
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
		if (!got)
			return 0;

		uint64_t size = chunk_size(header, word, *chunks == 0, region->end - at);
		if (size == 0)
			return 0;
		at += size;
	}

	return *chunks >= FEW_CHUNKS;
}

static const char *describe(struct pm_kinds_context *context, size_t chunks)
{
	if (chunks == CHUNKS_MAX)
		return pm_kinds_text(context,
		                     "begins with %zu contiguous chunks of malloc's main arena, "
		                     "like the brk heap; core files do not name the brk heap",
		                     chunks);

	return pm_kinds_text(context,
	                     "consists of %zu contiguous chunks of malloc's main arena, like the "
	                     "brk heap; core files do not name the brk heap",
	                     chunks);
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

		pm_kinds_claim(region, PM_KIND_HEAP, PM_PROOF_INFERRED, describe(context, chunks));

		/* A process has only one brk heap. */
		return 0;
	}

	return 0;
}
