/* SPDX-License-Identifier: MIT */
#include <procmem/limits.h>

#include "limits/cgroup_file.h"
#include "limits/hierarchy.h"

/** Files of a group. */
static const struct {
	const char *max;
	const char *current;
} files[] = {
	[1] = { "memory.limit_in_bytes", "memory.usage_in_bytes" },
	[2] = { "memory.max", "memory.current" },
};

/**
 * Takes over the limit of one group, if it is smaller than what was found below.
 * @return 0 or -1
 */
static int consider_group(const struct pm_hierarchy *hierarchy, struct pm_cgroup_limit *limit,
                          struct pm_error *error)
{
	uint64_t max, current;
	int found = pm_cgroup_number(hierarchy, files[hierarchy->version].max, &max, error);
	if (found <= 0)
		return found;
	if (pm_cgroup_is_unlimited(hierarchy, max) || (limit->limited && max >= limit->max))
		return 0;

	found = pm_cgroup_number(hierarchy, files[hierarchy->version].current, &current, error);
	if (found < 0)
		return -1;

	limit->limited = true;
	limit->version = hierarchy->version;
	limit->max = max;
	limit->current = found ? current : 0;
	pm_cgroup_name(hierarchy, limit->group, sizeof limit->group);

	return 0;
}

int pm_cgroup_limit_read(struct pm_process *process, const char *sys_root,
                         struct pm_cgroup_limit *limit, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "memory", sys_root ? sys_root : "/sys", &hierarchy, error) <
	    0)
		return -1;

	struct pm_cgroup_limit found = { 0 };
	int result = hierarchy.version ? consider_group(&hierarchy, &found, error) : 0;
	while (result == 0 && hierarchy.version && pm_cgroup_go_up(&hierarchy))
		result = consider_group(&hierarchy, &found, error);

	pm_hierarchy_deinit(&hierarchy);
	if (result == 0)
		*limit = found;
	return result;
}
