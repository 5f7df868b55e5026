/* SPDX-License-Identifier: MIT */
#include <procmem/limits.h>

#include "limits/cgroup_file.h"
#include "limits/hierarchy.h"

/** Limit files of a cgroup. The index is the version of cgroups, 1 or 2. */
static const struct {
	const char *max;
	const char *current;
} files[] = {
	[1] = { "memory.limit_in_bytes", "memory.usage_in_bytes" },
	[2] = { "memory.max", "memory.current" },
};

/**
 * Reads the limit of one cgroup, and stores the limit if it is smaller than the limit found so far.
 * A cgroup whose usage cannot be read is ignored.
 *
 * @param hierarchy  the cgroup
 * @param limit      the limit found so far; receives the limit of the cgroup if that limit is
 *                   smaller, or if no limit was found before
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int consider_group(const struct pm_hierarchy *hierarchy, struct pm_cgroup_limit *limit,
                          struct pm_error *error)
{
	uint64_t max, current = 0;
	int found = pm_cgroup_number(hierarchy, files[hierarchy->version].max, &max, error);
	if (found <= 0)
		return found;
	if (pm_cgroup_is_unlimited(hierarchy, max) || (limit->limited && max >= limit->max))
		return 0;

	/* In a cgroup that is being removed, the usage cannot be read. */
	found = pm_cgroup_number(hierarchy, files[hierarchy->version].current, &current, error);
	if (found <= 0)
		return found;

	limit->limited = true;
	limit->version = hierarchy->version;
	limit->max = max;
	limit->current = current;
	pm_cgroup_name(hierarchy, limit->group, sizeof limit->group);

	return 0;
}

int pm_cgroup_limit_read(struct pm_process *process, const char *sys_root,
                         struct pm_cgroup_limit *limit, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	struct pm_cgroup_limit found = { 0 };
	bool more = hierarchy.version != 0;
	int result = 0;

	while (result == 0 && more) {
		result = consider_group(&hierarchy, &found, error);
		more = pm_cgroup_go_up(&hierarchy);
	}

	pm_hierarchy_deinit(&hierarchy);
	if (result == 0)
		*limit = found;
	return result;
}
