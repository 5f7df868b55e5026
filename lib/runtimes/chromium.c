/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory of Chromium: that of PartitionAlloc and of Oilpan. The heap of V8 is read
 * before.
 */
#include <stdio.h>
#include <string.h>

#include "runtimes/oilpan.h"
#include "runtimes/partition_alloc.h"
#include "runtimes/readers.h"
#include "runtimes/v8_engine.h"

/** Names that Chromium gives to anonymous memory, if the kernel allows it (PR_SET_VMA). */
static void add_named(struct pm_runtimes_context *context)
{
	static const struct {
		const char *name;
		enum pm_owner owner;
	} names[] = {
		{ "[anon:partition_alloc", PM_OWNER_CHROMIUM_PARTITION },
		{ "[anon:blink_gc", PM_OWNER_CHROMIUM_OILPAN },
		{ "[anon:cppgc", PM_OWNER_CHROMIUM_OILPAN },
	};
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		for (size_t n = 0; n < sizeof names / sizeof *names; n++)
			if (strncmp(region->mapping, names[n].name, strlen(names[n].name)) == 0)
				pm_runtime_add_range(context, region->start, region->end,
				                     names[n].owner, PM_PROOF_INFERRED);
	}
}

int pm_runtime_read_chromium(struct pm_runtimes_context *context, struct pm_error *error)
{
	enum pm_v8_engine engine;

	pm_v8_engine_find(context->source->regions, &engine);
	if (engine != PM_V8_ENGINE_CHROMIUM)
		return 0;

	long super_pages = pm_partition_alloc_read(context, error);
	if (super_pages < 0)
		return -1;
	size_t pages = pm_oilpan_read(context);
	add_named(context);

	struct pm_runtime_info *info = pm_runtime_add(context, PM_OWNER_CHROMIUM_PARTITION, error);
	if (!info)
		return -1;
	info->complete = !pm_runtime_ends(context);
	snprintf(
		info->proof, sizeof info->proof,
		"metadata of %ld super pages of PartitionAlloc, and headers of %zu pages of Oilpan",
		super_pages, pages);
	if (!info->complete)
		snprintf(info->missing, sizeof info->missing,
		         "reading took too long: parts can be missing");
	else if (super_pages == 0)
		snprintf(info->missing, sizeof info->missing,
		         "the structures of PartitionAlloc are not those that are known");
	return 0;
}
