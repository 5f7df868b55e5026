/* SPDX-License-Identifier: MIT */
#include "kinds/owners.h"

#include <procmem/runtimes.h>

#include "base/minmax.h"

static enum pm_owner code_owner(enum pm_runtime runtime)
{
	switch (runtime) {
	case PM_RUNTIME_JAVA:
		return PM_OWNER_JAVA_CODE;
	case PM_RUNTIME_NODE:
		return PM_OWNER_V8_CODE;
	case PM_RUNTIME_DOTNET:
		return PM_OWNER_DOTNET_INTERNAL;
	default:
		return PM_OWNER_CODE;
	}
}

static enum pm_owner heap_owner(enum pm_runtime runtime)
{
	switch (runtime) {
	case PM_RUNTIME_JAVA:
		return PM_OWNER_JAVA_HEAP;
	case PM_RUNTIME_GO:
		return PM_OWNER_GO_HEAP;
	case PM_RUNTIME_NODE:
		return PM_OWNER_V8_HEAP;
	case PM_RUNTIME_DOTNET:
		return PM_OWNER_DOTNET_HEAP;
	default:
		return PM_OWNER_UNKNOWN;
	}
}

static enum pm_owner allocator_owner(enum pm_allocator allocator)
{
	switch (allocator) {
	case PM_ALLOCATOR_JEMALLOC:
		return PM_OWNER_JEMALLOC;
	case PM_ALLOCATOR_TCMALLOC:
		return PM_OWNER_TCMALLOC;
	case PM_ALLOCATOR_MIMALLOC:
		return PM_OWNER_MIMALLOC;
	default:
		return PM_OWNER_UNKNOWN;
	}
}

/** Returns the owner of anonymous memory by its detail. */
static enum pm_owner by_detail(const struct pm_detail *detail)
{
	switch ((enum pm_detail_type)detail->type) {
	case PM_DETAIL_OWNER:
		return (enum pm_owner)detail->owner;
	case PM_DETAIL_RUNTIME_HEAP:
	case PM_DETAIL_RUNTIME_HEAP_REST:
		return heap_owner((enum pm_runtime)detail->runtime);
	case PM_DETAIL_ALLOCATOR:
		return allocator_owner((enum pm_allocator)detail->allocator);
	case PM_DETAIL_ARENA_REST:
	case PM_DETAIL_ARENA_UNREAD_REST:
		return PM_OWNER_MALLOC;
	case PM_DETAIL_CODE_REST:
		return PM_OWNER_CODE;
	default:
		return PM_OWNER_UNKNOWN;
	}
}

enum pm_owner pm_kinds_owner_by_kind(const struct pm_region *region)
{
	if (region->detail.type == PM_DETAIL_OWNER)
		return (enum pm_owner)region->detail.owner;

	switch ((enum pm_kind)region->kind) {
	case PM_KIND_HEAP:
	case PM_KIND_ARENA:
	case PM_KIND_MALLOC:
		return PM_OWNER_MALLOC;
	case PM_KIND_STACK:
	case PM_KIND_GUARD:
		return PM_OWNER_STACK;
	case PM_KIND_JIT:
		return code_owner((enum pm_runtime)region->detail.runtime);
	case PM_KIND_SHM:
		return PM_OWNER_SHARED;

	case PM_KIND_CODE:
	case PM_KIND_RODATA:
	case PM_KIND_DATA:
	case PM_KIND_BSS:
	case PM_KIND_FILE:
		return PM_OWNER_FILE;
	case PM_KIND_DEVICE:
	case PM_KIND_KERNEL:
		return PM_OWNER_KERNEL;
	default:
		return by_detail(&region->detail);
	}
}

/** The parts of a region that have the same owner. */
struct part {
	uint64_t bytes;
	uint8_t proof; /* the weakest one */
};

static void add_part(struct part *part, uint64_t bytes, uint8_t proof)
{
	part->proof = part->bytes == 0 ? proof : (uint8_t)pm_min(part->proof, proof);
	part->bytes += bytes;
}

/**
 * Sets the owner of a region by the ranges of runtimes.
 *
 * @param runtimes  the ranges
 * @param at        index of the first range that ends after the start of the region
 * @param region    the region; its owner is that of its kind
 */
static void assign_by_ranges(const struct pm_runtimes *runtimes, size_t at,
                             struct pm_region *region)
{
	struct part parts[PM_OWNER_COUNT] = { { 0 } };
	const uint64_t whole = pm_region_size(region);
	const uint8_t rest = region->owner;
	uint64_t covered = 0;

	for (; at < runtimes->range_count && runtimes->ranges[at].range.start < region->end; at++) {
		const struct pm_owner_range *range = &runtimes->ranges[at];
		uint64_t size = pm_range_size(
			pm_range_clip(range->range, pm_region_bounds(region)));

		add_part(&parts[range->owner], size, range->proof);
		covered += size;
	}
	if (covered == 0)
		return;

	region->owner_mixed = covered < whole;
	if (covered < whole)
		add_part(&parts[rest], whole - covered, region->owner_proof);

	uint64_t largest = parts[rest].bytes;
	for (unsigned owner = 0; owner < PM_OWNER_COUNT; owner++) {
		if (parts[owner].bytes > 0 && parts[owner].bytes != whole)
			region->owner_mixed = true;
		if (parts[owner].bytes > largest) {
			largest = parts[owner].bytes;
			region->owner = (uint8_t)owner;
		}
	}

	region->owner_proof = parts[region->owner].proof;
}

void pm_kinds_assign_owners(struct pm_regions *regions, const struct pm_runtimes *runtimes)
{
	size_t at = 0;

	for (size_t i = 0; i < regions->count; i++) {
		struct pm_region *region = &regions->items[i];

		region->owner = (uint8_t)pm_kinds_owner_by_kind(region);
		region->owner_proof = region->owner == PM_OWNER_UNKNOWN ? PM_PROOF_NONE
		                                                        : region->proof;
		region->owner_mixed = false;
		while (runtimes && at < runtimes->range_count &&
		       runtimes->ranges[at].range.end <= region->start)
			at++;
		if (runtimes)
			assign_by_ranges(runtimes, at, region);
	}
}
