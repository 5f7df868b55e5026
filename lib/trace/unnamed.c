/* SPDX-License-Identifier: MIT */
#include "trace/unnamed.h"

#include <string.h>

#include <procmem/maps.h>

/** Tests whether a stack has a frame that is in no file and has no name. */
static bool has_unnamed(const struct pm_stacks *stacks, uint32_t number)
{
	struct pm_stack stack = { 0 };

	if (number >= pm_stacks_count(stacks))
		return false;

	pm_stacks_get(stacks, number, &stack);
	for (size_t i = 0; i < stack.count; i++)
		if (!stack.frames[i].module && !stack.frames[i].function)
			return true;
	return false;
}

/**
 * Tests whether the process can have generated code: executable memory without a file. What cannot
 * be read after an exit is possible.
 */
static bool can_generate_code(struct pm_process *process)
{
	struct pm_regions regions;
	bool found = false;

	pm_regions_init(&regions);
	if (pm_maps_read(process, PM_MAPS, &regions, NULL) < 0)
		found = true;
	for (size_t i = 0; i < regions.count && !found; i++) {
		const struct pm_region *region = &regions.items[i];
		bool is_named = region->mapping[0] == '[' &&
		                strncmp(region->mapping, "[anon", strlen("[anon")) != 0;

		/* Names in brackets are those of the kernel's code, such as [vdso]. */
		found = (region->perms & PM_PERM_EXEC) && !is_named &&
		        (region->inode == 0 || region->deleted);
	}

	pm_regions_deinit(&regions);
	return found;
}

bool pm_trace_unnamed(const struct pm_trace_result *result, const struct pm_stacks *stacks,
                      struct pm_process *process)
{
	for (size_t i = 0; i < result->count; i++)
		if (has_unnamed(stacks, result->sites[i].stack))
			return can_generate_code(process);

	return false;
}
