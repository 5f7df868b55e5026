/* SPDX-License-Identifier: MIT */
/*
 * Zero-initialised data (bss): anonymous memory directly after the writable data of a program or
 * library, up to the end of the segment in the ELF file. The kernel may merge bss with unrelated
 * memory into one region; the region is then claimed if at least half of it is bss.
 */
#include <elf.h>

#include <procmem/number.h>

#include "kinds/context.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

/**
 * Returns the end of the bss that begins at `start`. Returns `start` if there is no bss, and 0 if
 * the layout of the file is not known.
 */
static uint64_t bss_end(const struct pm_kinds_context *context, const struct pm_object *object,
                        uint64_t start)
{
	uint64_t bias;
	if (!object->has_copy || object->layout.segment_count == 0 ||
	    !pm_elf_bias(&object->layout, object->copy_start, &bias) || start < bias)
		return 0;

	const struct pm_elf_segment *segment = pm_elf_segment_at(&object->layout, start - bias,
	                                                         context->page);
	if (!segment || !(segment->flags & PF_W))
		return start; /* the segment ends at `start`, so it has no bss */

	return bias + ((segment->address + segment->memory_size + context->page - 1) &
	               ~(context->page - 1));
}

/**
 * Returns whether a region may be bss. Such a region is anonymous, or an older kernel has named it
 * [heap] although the heap begins after the region.
 */
static bool is_candidate(const struct pm_kinds_context *context, const struct pm_region *region)
{
	enum pm_region_class class = pm_kinds_region_class(context, region);
	if (region->kind != PM_KIND_UNKNOWN || class == PM_REGION_CLASS_FILE ||
	    class == PM_REGION_CLASS_CLOSED)
		return false;
	return class != PM_REGION_CLASS_NAMED || region->inode == 0;
}

static void claim(struct pm_kinds_context *context, struct pm_region *region, uint64_t end)
{
	if (end >= region->end) {
		pm_kinds_claim(region, PM_KIND_BSS, PM_PROOF_PROVEN,
		               "directly after the data of a program or library; according to the "
		               "ELF file, all of this region is bss");
		return;
	}

	uint64_t part = end - region->start;
	if (part * 2 < pm_region_size(region))
		return;

	char size[PM_SIZE_TEXT_SIZE];
	pm_format_size(part, size);
	pm_kinds_claim(region, PM_KIND_BSS, PM_PROOF_INFERRED,
	               pm_kinds_text(context,
	                             "directly after the data of a program or library; according "
	                             "to the ELF file, the first %s are bss",
	                             size));
}

int pm_rule_bss(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	const struct pm_region_list *files = &context->lists[PM_REGION_CLASS_FILE];
	if (!context->objects)
		return 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct pm_region *data = files->items[i];
		struct pm_object *object = pm_objects_find(context->objects, data);
		if (!object)
			continue;

		pm_object_follow(context, object, data);
		struct pm_region *region = pm_kinds_above(context, data);
		if (data->kind != PM_KIND_DATA || !region || !is_candidate(context, region))
			continue;

		uint64_t end = bss_end(context, object, region->start);
		if (end == 0)
			pm_kinds_claim(
				region, PM_KIND_BSS, PM_PROOF_INFERRED,
				"anonymous, directly after the data of a program or library");

		for (; end > 0 && region && region->start < end && is_candidate(context, region);
		     region = pm_kinds_above(context, region))
			claim(context, region, end);
	}

	return 0;
}
