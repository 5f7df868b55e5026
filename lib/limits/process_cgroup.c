/* SPDX-License-Identifier: MIT */
#include <procmem/process_cgroup.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "limits/hierarchy.h"
#include "limits/own_group.h"
#include "proc/procfs.h"

/** The controller whose cgroup is read. */
static const char controller[] = "memory";

/**
 * Reads the cgroup file of a process.
 *
 * @param process  the process
 * @param text     receives the text of the file, which the caller frees; NULL if the kernel has no
 *                 cgroups
 * @param error    PM_ERROR_GONE, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int read_file(struct pm_process *process, char **text, struct pm_error *error)
{
	int fd;
	struct pm_error cause = { 0 };

	*text = NULL;
	int result = pm_process_open_file(process, "cgroup", O_RDONLY, &fd, &cause);
	if (result == 0) {
		result = pm_read_all(fd, PM_PROCFS_TEXT_MAX, text, NULL, &cause);
		close(fd);
	}

	if (result == 0 || cause.kind == PM_ERROR_NOT_FOUND)
		return 0;
	if (error)
		*error = cause;
	return -1;
}

int pm_process_cgroup_read(struct pm_process *process, struct pm_process_cgroup *cgroup,
                           struct pm_error *error)
{
	struct pm_process_cgroup found = { 0 };
	char *text;
	if (read_file(process, &text, error) < 0)
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
