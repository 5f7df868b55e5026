/* SPDX-License-Identifier: MIT */
/*
 * The Java heap of HotSpot, if its data structures cannot be read (lib/runtimes/hotspot_heap.c),
 * and if it uses compressed references. Such a heap must be below 32 GiB. The rule assumes that it
 * is the longest contiguous anonymous range there. Class data archives (.jsa files) are mapped into
 * this range. Heaps without compressed references may be anywhere; this rule does not recognise
 * them.
 */
#include <procmem/runtimes.h>
#include <string.h>

#include "kinds/objects.h"
#include "kinds/rules.h"

static const uint64_t COMPRESSED_END = UINT64_C(32) << 30;

/*
 * Up to JDK 15, the class space (1 GiB by default) directly follows a heap that ends at 4 GiB. A
 * range of regions therefore never extends across this address.
 */
static const uint64_t CLASS_SPACE_START = UINT64_C(4) << 30;

/**
 * A range of contiguous regions: the elements from `first` to before `end` of the list of all
 * regions. `size` is in bytes.
 */
struct range {
	struct pm_region *first;
	struct pm_region *end;
	uint64_t size;
};

static bool is_archive(const struct pm_region *region)
{
	size_t length = strlen(region->mapping);
	return length > 4 && strcmp(region->mapping + length - 4, ".jsa") == 0 &&
	       !(region->perms & PM_PERM_SHARED);
}

static bool may_be_heap(const struct pm_kinds_context *context, const struct pm_region *region)
{
	enum pm_region_class class = pm_kinds_region_class(context, region);
	if (class == PM_REGION_CLASS_FILE)
		return is_archive(region);
	return region->kind == PM_KIND_UNKNOWN &&
	       (class == PM_REGION_CLASS_WRITABLE || class == PM_REGION_CLASS_CLOSED);
}

/**
 * Returns the longest contiguous range of regions that begins with `first` and may be the heap. Its
 * size is 0 if `first` itself cannot be a part of the heap.
 */
static struct range range_from(const struct pm_kinds_context *context, struct pm_region *first)
{
	struct pm_region *end = context->regions->items + context->regions->count, *region = first;
	while (region < end && region->end <= COMPRESSED_END && may_be_heap(context, region)) {
		region++;
		if (region == end || region->start != region[-1].end ||
		    region->start == CLASS_SPACE_START)
			break;
	}
	if (region == first)
		return (struct range){ first, first, 0 };
	return (struct range){ first, region, region[-1].end - first->start };
}

static struct range longest_range(const struct pm_kinds_context *context)
{
	struct pm_region *end = context->regions->items + context->regions->count;
	struct range longest = { 0 };
	for (struct pm_region *region = context->regions->items;
	     region < end && region->start < COMPRESSED_END;) {
		struct range range = range_from(context, region);
		if (range.size > longest.size)
			longest = range;
		region++;
		if (range.size > 0)
			region = range.end;
	}

	return longest;
}

/** Returns whether the data structures of the JVM say where its heap is. */
static bool is_known(const struct pm_runtimes *runtimes)
{
	for (size_t i = 0; runtimes && i < runtimes->range_count; i++)
		if (runtimes->ranges[i].owner == PM_OWNER_JAVA_HEAP)
			return true;
	return false;
}

int pm_rule_java_heap(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	if (!pm_objects_named(context->objects, "libjvm.so") || is_known(context->runtimes))
		return 0;

	struct range range = longest_range(context);
	for (struct pm_region *region = range.first; region < range.end; region++) {
		if (region->kind != PM_KIND_UNKNOWN)
			continue;

		if (pm_kinds_region_class(context, region) == PM_REGION_CLASS_WRITABLE) {
			pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
			               "libjvm.so is mapped, and this region is part of the "
			               "longest contiguous range below 32 GiB, where the heap must "
			               "be if compressed references are used");
			region->detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_HEAP,
				                             .runtime = PM_RUNTIME_JAVA };
		} else {
			pm_kinds_claim(region, PM_KIND_RESERVE, PM_PROOF_INFERRED,
			               "no access; part of the longest contiguous range below 32 "
			               "GiB of a JVM");
			region->detail = (struct pm_detail){ .type = PM_DETAIL_RUNTIME_HEAP_REST,
				                             .runtime = PM_RUNTIME_JAVA };
		}
	}

	return 0;
}
