/* SPDX-License-Identifier: MIT */
/*
 * Other memory of HotSpot, the JVM. Collectors reserve bitmaps, tables and lists, of which the JVM
 * describes only the card table. If all other memory of the JVM is known, what is left is probably
 * theirs: in JDK 17 and 25, each resident page of it has the tag "GC" in the list of native memory
 * tracking. If metaspace is not known, what is left can also be metaspace.
 */
#include <procmem/runtimes.h>
#include <string.h>

#include "kinds/context.h"
#include "kinds/rules.h"

/* Smaller memory is more often something else, such as variables of a library. */
static const uint64_t SIZE_MIN = UINT64_C(64) << 10;

/** Returns the JVM in the target whose data structures are known; NULL if there is none. */
static const struct pm_runtime_info *find_jvm(const struct pm_runtimes *runtimes)
{
	const char *family = pm_owner_family(PM_OWNER_JAVA_HEAP);

	for (size_t i = 0; runtimes && i < runtimes->count; i++) {
		const struct pm_runtime_info *info = &runtimes->items[i];
		if (strcmp(info->family, family) == 0 && info->variant[0] != '\0')
			return info;
	}

	return NULL;
}

/** Returns the size of the part of a region that is in no range. */
static uint64_t size_of_rest(const struct pm_runtimes *runtimes, const struct pm_region *region)
{
	const struct pm_range bounds = pm_region_bounds(region);
	uint64_t size = pm_range_size(bounds);

	for (size_t i = pm_runtimes_range_index(runtimes, bounds.start);
	     i < runtimes->range_count && runtimes->ranges[i].range.start < bounds.end; i++)
		size -= pm_range_size(pm_range_clip(runtimes->ranges[i].range, bounds));
	return size;
}

/**
 * Returns whether a region directly follows the variables of a library: then it begins with its
 * .bss, with which the kernel merged what the JVM mapped after it. The CDS archive is a writable
 * file, too, but belongs to the JVM.
 */
static bool follows_variables(const struct pm_kinds_context *context,
                              const struct pm_region *region)
{
	const struct pm_runtimes *runtimes = context->runtimes;
	const struct pm_region *before = pm_regions_find(context->regions, region->start - 1);

	if (!before || before->inode == 0 || !(before->perms & PM_PERM_WRITE) ||
	    before->perms & PM_PERM_SHARED)
		return false;

	size_t i = pm_runtimes_range_index(runtimes, before->end - 1);
	return i == runtimes->range_count ||
	       !pm_range_contains(runtimes->ranges[i].range, before->end - 1);
}

int pm_rule_java_rest(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const struct pm_runtime_info *jvm = find_jvm(context->runtimes);
	struct pm_region *region;

	for (size_t at = 0;
	     jvm && (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		if (size_of_rest(context->runtimes, region) < SIZE_MIN ||
		    follows_variables(context, region))
			continue;

		if (jvm->complete)
			pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
			               "probably data of the garbage collector: all other memory "
			               "of the JVM is known by its data structures");
		else
			pm_kinds_claim(region, PM_KIND_ANON, PM_PROOF_INFERRED,
			               "probably memory of the JVM itself: neither Java heap nor "
			               "malloc nor a stack");
		region->detail = (struct pm_detail){
			.type = PM_DETAIL_OWNER,
			.owner = jvm->complete ? PM_OWNER_JAVA_GC : PM_OWNER_JAVA_INTERNAL,
		};
	}

	return 0;
}
