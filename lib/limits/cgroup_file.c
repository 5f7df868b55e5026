/* SPDX-License-Identifier: MIT */
#include "limits/cgroup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"

/*
 * In v1, a limit of at least this value means "no limit". If no limit is set, the kernel shows
 * LONG_MAX rounded down to whole pages (PAGE_COUNTER_MAX, 0x7ffffffffffff000 with 4 KiB pages);
 * kernels before 3.19 show LONG_MAX itself. The constant is LONG_MAX rounded down to pages of 64
 * KiB, the largest page size.
 */
static const uint64_t v1_unlimited = UINT64_C(0x7fffffffffff0000);

/** Maximum size of a file of a cgroup, in bytes. memory.stat has a few thousand bytes. */
enum { GROUP_TEXT_MAX = 1 << 20 };

/**
 * Returns whether an error of open(2) or read(2) is treated like a missing file. The root cgroup of
 * v2 has no limit files, a cgroup may have been removed, and some systems deny access to the files.
 */
static bool is_absent(int cause)
{
	return cause == ENOENT || cause == ENOTDIR || cause == ENODEV || cause == EACCES ||
	       cause == EPERM;
}

int pm_cgroup_text(const struct pm_hierarchy *hierarchy, const char *name, char **text,
                   struct pm_error *error)
{
	char *path;
	if (asprintf(&path, "%s%s/%s", hierarchy->folder, hierarchy->group, name) < 0)
		return pm_error_out_of_memory(error);

	struct pm_error cause = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int result = -1;
	if (fd < 0) {
		cause.os_errno = errno;
	} else {
		result = pm_read_all(fd, GROUP_TEXT_MAX, text, NULL, &cause);
		close(fd);
	}

	if (result == 0)
		result = 1;
	else if (is_absent(cause.os_errno))
		result = 0;
	else
		pm_error_set(error, PM_ERROR_IO, cause.os_errno, "cannot read %s: %s", path,
		             cause.os_errno ? strerror(cause.os_errno) : cause.text);

	free(path);
	return result;
}

int pm_cgroup_number(const struct pm_hierarchy *hierarchy, const char *name, uint64_t *number,
                     struct pm_error *error)
{
	char *text = NULL;
	int found = pm_cgroup_text(hierarchy, name, &text, error);
	if (found <= 0 || !text)
		return found;

	const char *at = text;
	if (strncmp(text, "max", 3) == 0)
		*number = UINT64_MAX;
	else
		found = pm_scan_decimal(&at, number);

	free(text);
	return found;
}

bool pm_cgroup_entry(const char *text, const char *key, uint64_t *number)
{
	size_t length = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) != 0 || line[length] != ' ')
			continue;
		const char *at = line + length + 1;
		return pm_scan_decimal(&at, number);
	}

	return false;
}

void pm_cgroup_name(const struct pm_hierarchy *hierarchy, char *copy, size_t size)
{
	static const char cut[] = "...";
	const char *group = hierarchy->group;
	size_t length = strlen(group);

	if (length == 0)
		snprintf(copy, size, "/");
	else if (length < size)
		memcpy(copy, group, length + 1);
	else
		snprintf(copy, size, "%s%s", cut, group + length - (size - sizeof cut));
}

bool pm_cgroup_is_unlimited(const struct pm_hierarchy *hierarchy, uint64_t number)
{
	return number == UINT64_MAX || (hierarchy->version == 1 && number >= v1_unlimited);
}

bool pm_cgroup_go_up(struct pm_hierarchy *hierarchy)
{
	uint64_t hierarchical = 1;
	if (hierarchy->group[0] == '\0')
		return false;

	*strrchr(hierarchy->group, '/') = '\0';
	/*
	 * In v1 before Linux 5.11, memory.use_hierarchy of the parent can be 0. The memory of a
	 * child cgroup is then not accounted to the parent.
	 */
	return hierarchy->version == 2 ||
	       pm_cgroup_number(hierarchy, "memory.use_hierarchy", &hierarchical, NULL) <= 0 ||
	       hierarchical != 0;
}
