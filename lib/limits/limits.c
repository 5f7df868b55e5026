/* SPDX-License-Identifier: MIT */
#include <procmem/limits.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "limits/hierarchy.h"

/*
 * From here on a v1 limit is none: the kernel shows LONG_MAX in whole pages where nothing was set (PAGE_COUNTER_MAX, 0x7ffffffffffff000 with
 * 4 KiB pages), and pages have 64 KiB at most. Kernels before 3.19 showed LONG_MAX itself.
 */
static const uint64_t v1_unlimited = UINT64_C(0x7fffffffffff0000);

/** Files of a group. */
static const struct {
	const char *max;
	const char *current;
} files[] = {
	[1] = { "memory.limit_in_bytes", "memory.usage_in_bytes" },
	[2] = { "memory.max", "memory.current" },
};

enum { NUMBER_TEXT_SIZE = 64 };

/** Whether a file cannot be expected to be there: the top of v2 has no limit, groups are removed, some hide their files. */
static bool is_absent(int cause)
{
	return cause == ENOENT || cause == ENOTDIR || cause == ENODEV || cause == EACCES || cause == EPERM;
}

/**
 * Reads the number in a file of a group; "max" is UINT64_MAX.
 *
 * @return 1; 0 where there is no such file or no number in it; -1
 */
static int read_number(const struct pm_hierarchy *hierarchy, const char *name, uint64_t *number, struct pm_error *error)
{
	char *path, text[NUMBER_TEXT_SIZE];
	if (asprintf(&path, "%s%s/%s", hierarchy->folder, hierarchy->group, name) < 0)
		return pm_error_out_of_memory(error);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : pm_read(fd, text, sizeof text - 1);
	int cause = errno, result = 0;
	if (fd >= 0)
		close(fd);
	if (length < 0 && !is_absent(cause))
		result = pm_error_set(error, PM_ERROR_IO, cause, "cannot read %s: %s", path, strerror(cause));
	free(path);
	if (length <= 0)
		return result;
	text[length] = '\0';
	const char *at = text;
	if (strncmp(text, "max", 3) == 0) {
		*number = UINT64_MAX;
		return 1;
	}
	return pm_scan_decimal(&at, number);
}

/** Whether what a group uses counts for the group above it; in v1 before Linux 5.11 that could be switched off. */
static bool counts_above(const struct pm_hierarchy *above)
{
	uint64_t hierarchical;
	return above->version == 2 || read_number(above, "memory.use_hierarchy", &hierarchical, NULL) <= 0 || hierarchical != 0;
}

/** Copies a path; of one that is too long the end. */
static void copy_group(const char *group, char *copy, size_t size)
{
	static const char cut[] = "...";
	size_t length = strlen(group);
	if (length < size)
		memcpy(copy, length > 0 ? group : "/", length > 0 ? length + 1 : 2);
	else
		snprintf(copy, size, "%s%s", cut, group + length - (size - sizeof cut));
}

/** Takes over the limit of one group, if it is smaller than what was found below. @return 0 or -1 */
static int consider_group(const struct pm_hierarchy *hierarchy, struct pm_cgroup_limit *limit, struct pm_error *error)
{
	uint64_t max, current;
	int found = read_number(hierarchy, files[hierarchy->version].max, &max, error);
	if (found <= 0)
		return found;
	if (max == UINT64_MAX || (hierarchy->version == 1 && max >= v1_unlimited) || (limit->limited && max >= limit->max))
		return 0;
	found = read_number(hierarchy, files[hierarchy->version].current, &current, error);
	if (found < 0)
		return -1;
	limit->limited = true;
	limit->version = hierarchy->version;
	limit->max = max;
	limit->current = found ? current : 0;
	copy_group(hierarchy->group, limit->group, sizeof limit->group);
	return 0;
}

int pm_cgroup_limit_read(struct pm_process *process, const char *sys_root, struct pm_cgroup_limit *limit, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, sys_root ? sys_root : "/sys", &hierarchy, error) < 0)
		return -1;
	struct pm_cgroup_limit found = { 0 };
	int result = hierarchy.version ? consider_group(&hierarchy, &found, error) : 0;
	while (result == 0 && hierarchy.version && hierarchy.group[0] != '\0') {
		*strrchr(hierarchy.group, '/') = '\0';
		if (!counts_above(&hierarchy))
			break;
		result = consider_group(&hierarchy, &found, error);
	}
	pm_hierarchy_deinit(&hierarchy);
	if (result == 0)
		*limit = found;
	return result;
}
