/* SPDX-License-Identifier: MIT */
#include "runtimes/v8_cage.h"

#include <stdio.h>

#include "runtimes/v8_chunks.h"
#include "runtimes/v8_memory.h"

enum {
	PAGE = 4096,
	CHUNK_BITS = 18,
	/* One number can be right by chance, four cannot. */
	CHUNKS_MIN = 4,
	/* MemoryChunk::Flag has fewer bits. */
	FLAG_BITS = 32,
};

/** Returns whether the chunk at an address has a header with its number in its cage. */
static bool has_number(struct pm_runtimes_context *context, uint64_t address)
{
	uint64_t number = (address & (PM_V8_CAGE_SIZE - 1)) >> CHUNK_BITS;
	uint64_t words[2];

	return number > 0 && pm_runtime_read(context, address, words, sizeof words) &&
	       words[0] >> FLAG_BITS == 0 && words[1] == number;
}

/** Counts the chunks of a region that have a number, up to an address. */
static size_t count_chunks(struct pm_runtimes_context *context, uint64_t start, uint64_t end)
{
	const uint64_t mask = PM_V8_CHUNK_ALIGNMENT - 1;
	uint64_t at = (start + mask) & ~mask;
	size_t count = 0;

	while (at >= start && at < end && !pm_runtime_ends(context)) {
		uint64_t present = pm_runtime_next_present(context, at, end);

		if (present - at >= PAGE) {
			at = (present + mask) & ~mask;
			continue;
		}
		count += has_number(context, at);
		at += PM_V8_CHUNK_ALIGNMENT;
	}

	return count;
}

/** Keeps a cage if enough chunks were found in it. */
static void keep(const struct pm_regions *regions, const struct pm_v8_cage *cage,
                 struct pm_v8_cages *cages)
{
	if (cage->chunks >= CHUNKS_MIN && cages->count < PM_V8_CAGES_MAX &&
	    pm_v8_memory_is_reserved(regions, cage->start, PM_V8_CAGE_SIZE))
		cages->items[cages->count++] = *cage;
}

void pm_v8_cages_find(struct pm_runtimes_context *context, struct pm_v8_cages *cages)
{
	const struct pm_regions *regions = context->source->regions;
	struct pm_v8_cage cage = { 0 };

	*cages = (struct pm_v8_cages){ 0 };
	for (size_t i = 0; i < regions->count && !pm_runtime_ends(context); i++) {
		const struct pm_region *region = &regions->items[i];
		uint64_t start = region->start & ~(PM_V8_CAGE_SIZE - 1);

		/* Chunks never cross the end of a cage, so regions do not either, apart from
		 * regions that are merged with what follows. */
		if (!pm_v8_holds_chunks(region) || start == 0)
			continue;
		if (start != cage.start) {
			keep(regions, &cage, cages);
			cage = (struct pm_v8_cage){ .start = start };
		}

		uint64_t end = start + PM_V8_CAGE_SIZE;
		if (region->end < end)
			end = region->end;
		cage.chunks += count_chunks(context, region->start, end);
	}

	keep(regions, &cage, cages);
}

void pm_v8_cages_add(struct pm_runtimes_context *context, const struct pm_v8_cages *cages)
{
	for (size_t i = 0; i < cages->count; i++)
		pm_runtime_add_range(context, cages->items[i].start,
		                     cages->items[i].start + PM_V8_CAGE_SIZE, PM_OWNER_V8_HEAP,
		                     PM_PROOF_INFERRED);
}

void pm_v8_cages_describe(const struct pm_v8_cages *cages, struct pm_runtime_info *info)
{
	size_t chunks = 0;

	for (size_t i = 0; i < cages->count; i++)
		chunks += cages->items[i].chunks;

	snprintf(info->variant, sizeof info->variant, "compressed pointers: %zu cage%s of 4 GiB",
	         cages->count, cages->count == 1 ? "" : "s");
	snprintf(info->proof, sizeof info->proof,
	         "reserved ranges of 4 GiB with %zu chunks that have their number in the header",
	         chunks);
}
