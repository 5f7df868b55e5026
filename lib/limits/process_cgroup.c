/* SPDX-License-Identifier: MIT */
#include <procmem/process_cgroup.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "limits/hierarchy.h"
#include "limits/own_group.h"

/** The controller whose cgroup is read. */
static const char controller[] = "memory";

int pm_process_cgroup_read(struct pm_process *process, struct pm_process_cgroup *cgroup,
                           struct pm_error *error)
{
	struct pm_process_cgroup found = { 0 };
	char *text;
	if (pm_hierarchy_read_text(process, &text, error) < 0)
		return -1;

	const char *path = NULL;
	if (text)
		path = pm_cgroup_path_find(text, controller, &found.version);

	if (path) {
		found.path = strdup(path);
		free(text);
		if (!found.path)
			return pm_error_out_of_memory(error);
	} else {
		found.version = 0;
		free(text);
	}

	*cgroup = found;
	return 0;
}

int pm_process_cgroup_visible(struct pm_process *process, const char *sys_root, char **path,
                              struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	char *name = NULL;
	int result = 0;

	if (pm_hierarchy_find(process, controller, sys_root, &hierarchy, error) < 0)
		return -1;

	if (hierarchy.version) {
		name = strdup(*hierarchy.group ? hierarchy.group : "/");
		if (!name)
			result = pm_error_out_of_memory(error);
	}

	pm_hierarchy_deinit(&hierarchy);
	if (result == 0)
		*path = name;
	return result;
}

void pm_process_cgroup_deinit(struct pm_process_cgroup *cgroup)
{
	free(cgroup->path);
	*cgroup = (struct pm_process_cgroup){ 0 };
}
