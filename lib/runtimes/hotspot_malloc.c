/* SPDX-License-Identifier: MIT */
/*
 * Blocks that malloc has mapped separately, next to memory of the JVM. The kernel merges both into
 * one region, whose kind then cannot say to whom a part belongs. This file divides such regions.
 */
#include "runtimes/hotspot_malloc.h"

#include "base/minmax.h"
#include "runtimes/malloc_blocks.h"

enum {
	PAGE = 4096,
	/* Maximum numbers of pages at which a header is looked for. A page takes about 1 us. */
	REGION_PAGES_MAX = 16384,
	PAGES_MAX = 32768,
	/* The owner of smaller rests of a region is not known. */
	REST_MIN = 64 << 10,
};

/* Heaps of arenas of malloc start at multiples of 64 MiB. They have no such blocks. */
static const uint64_t ARENA_ALIGNMENT = UINT64_C(64) << 20;

/** A region that is divided. */
struct division {
	const struct pm_hotspot *jvm;
	const struct pm_region *region;
	size_t known;    /* number of ranges of the JVM: those that were added later are not used */
	uint64_t blocks; /* bytes of the region that belong to malloc */
	size_t pages;    /* maximum number of pages that are examined */
	/* Owner of what is neither; PM_OWNER_UNKNOWN if it follows from the kind */
	enum pm_owner rest;
};

/** Adds what is not a block. Without a range, it would have the owner of the blocks by its kind. */
static void add_rest(const struct division *division, uint64_t start, uint64_t end)
{
	enum pm_owner owner = end - start >= REST_MIN ? division->rest : PM_OWNER_UNKNOWN;

	if (division->rest != PM_OWNER_UNKNOWN)
		pm_runtime_add_range(division->jvm->context, start, end, owner, PM_PROOF_INFERRED);
}

/**
 * Finds the blocks in a part of the region that is not known to belong to the JVM.
 * @param add  false: only counts; true: adds the blocks, and what is between them
 */
static void divide(struct division *division, struct pm_range part, bool add)
{
	struct pm_runtimes_context *context = division->jvm->context;
	uint64_t at = part.start, reached = part.start;

	while (at < part.end && division->pages > 0) {
		at = pm_runtime_next_present(context, at, part.end);
		uint64_t end = pm_malloc_blocks_end(context, at, part.end);

		division->pages--;
		if (end == at) {
			at += PAGE;
			continue;
		}

		bool proven = end == part.end || at == part.start;
		division->blocks += end - at;
		if (add) {
			add_rest(division, reached, at);
			pm_runtime_add_range(context, at, end, PM_OWNER_MALLOC,
			                     proven ? PM_PROOF_PROVEN : PM_PROOF_INFERRED);
		}
		at = reached = end;
	}

	if (add)
		add_rest(division, reached, part.end);
}

/**
 * Finds the next range of the JVM in the region.
 * @return the first range that ends after an address, clipped to the region; empty and at the end
 *         of the region if there is none
 */
static struct pm_range next_known(const struct division *division, uint64_t address)
{
	const struct pm_runtimes *result = division->jvm->context->result;
	uint64_t end = division->region->end;
	struct pm_range next = { end, end };

	for (size_t i = 0; i < division->known; i++) {
		struct pm_range range = result->ranges[i].range;
		if (range.end > address && range.start < next.start)
			next = (struct pm_range){ pm_max(range.start, address),
				                  pm_min(range.end, end) };
	}

	return next;
}

/** Examines all parts of the region between ranges of the JVM. */
static void walk(struct division *division, bool add)
{
	const struct pm_region *region = division->region;

	division->blocks = 0;
	for (uint64_t at = region->start; at < region->end;) {
		struct pm_range known = next_known(division, at);

		if (known.start > at)
			divide(division, (struct pm_range){ at, known.start }, add);
		at = known.end;
		if (pm_runtime_ends(division->jvm->context))
			break;
	}
}

/**
 * Returns whether a region starts with a heap of a malloc arena: it starts with the address of the
 * arena. Alignment to 64 MiB is not sufficient: other memory can have it, too.
 */
static bool is_arena(const struct pm_hotspot *jvm, const struct pm_region *region)
{
	uint64_t arena;

	return region->start % ARENA_ALIGNMENT == 0 &&
	       pm_runtime_read_word(jvm->context, region->start, &arena) && arena != 0 &&
	       arena % 16 == 0 && arena % ARENA_ALIGNMENT < PAGE;
}

static bool is_candidate(const struct pm_hotspot *jvm, const struct pm_region *region)
{
	return region->inode == 0 && region->mapping[0] == '\0' &&
	       (region->perms & PM_PERM_WRITE) && !(region->perms & PM_PERM_EXEC) &&
	       !(region->vm_flags & PM_VM_NOHUGEPAGE) &&
	       pm_region_size(region) > PM_MALLOC_BLOCK_MIN && !is_arena(jvm, region);
}

/**
 * Returns whether a region directly follows the variables of a library: then it starts with its
 * .bss. The CDS archive is a writable file, too, but belongs to the JVM.
 */
static bool has_bss(const struct division *division)
{
	const struct pm_runtimes *result = division->jvm->context->result;
	const struct pm_region *before = division->region - 1;

	if (division->region == division->jvm->context->source->regions->items ||
	    before->inode == 0 || before->end != division->region->start ||
	    !(before->perms & PM_PERM_WRITE) || before->perms & PM_PERM_SHARED)
		return false;

	for (size_t i = 0; i < division->known; i++)
		if (pm_range_contains(result->ranges[i].range, before->end - 1))
			return false;
	return true;
}

void pm_hotspot_read_malloc(const struct pm_hotspot *jvm, bool all_known)
{
	const struct pm_regions *regions = jvm->context->source->regions;
	struct division division = {
		.jvm = jvm,
		.known = jvm->context->result->range_count,
	};
	const enum pm_owner rest = all_known ? PM_OWNER_JAVA_GC : PM_OWNER_JAVA_INTERNAL;
	size_t left = PAGES_MAX;

	for (size_t i = 0; i < regions->count && !pm_runtime_ends(jvm->context); i++) {
		const size_t pages = pm_min_size(left, REGION_PAGES_MAX);

		division.region = &regions->items[i];
		if (!is_candidate(jvm, division.region))
			continue;

		division.pages = pages;
		walk(&division, false);
		left -= pages - division.pages;

		/* A region that belongs to the JVM or to malloc as a whole is not divided. */
		uint64_t size = pm_region_size(division.region);
		if (division.blocks == 0 || division.blocks == size)
			continue;

		division.pages = pages;
		division.rest = has_bss(&division) ? PM_OWNER_UNKNOWN : rest;
		walk(&division, true);
	}
}
