/* SPDX-License-Identifier: MIT */
#include <procmem/headroom.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "limits/gather.h"

/** Most bytes of the files of /proc that are read here; meminfo has some thousand. */
enum { FILE_MAX = 1 << 16 };

const char *pm_limit_name(enum pm_limit_kind kind)
{
	static const char *const names[PM_LIMIT_KINDS] = { "cgroup", "cgroup_high", "system", "address_space", "data", "stack", "mappings", "pids",
		"threads" };
	return (unsigned)kind < PM_LIMIT_KINDS ? names[kind] : "";
}

struct pm_limit *pm_limit_add(struct pm_headroom *headroom, enum pm_limit_kind kind, uint64_t max, uint64_t used, const char *source, ...)
{
	struct pm_limit *limit = &headroom->limits[headroom->count++];
	*limit = (struct pm_limit){ .kind = kind, .counts = kind >= PM_LIMIT_MAPPINGS, .max = max, .used = used };
	va_list arguments;
	va_start(arguments, source);
	vsnprintf(limit->source, sizeof limit->source, source, arguments);
	va_end(arguments);
	return limit;
}

char *pm_limit_file(const char *root, const char *path)
{
	char *whole, *text;
	if (asprintf(&whole, "%s/%s", root, path) < 0)
		return NULL;
	int fd = open(whole, O_RDONLY | O_CLOEXEC);
	free(whole);
	if (fd < 0)
		return NULL;
	int result = pm_read_all(fd, FILE_MAX, &text, NULL, NULL);
	close(fd);
	return result == 0 ? text : NULL;
}

int pm_headroom_read_memory(struct pm_process *process, const char *sys_root, struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_headroom read = { 0 };
	if (pm_gather_memory_group(process, sys_root ? sys_root : "/sys", &read, error) < 0)
		return -1;
	pm_gather_system_memory(pm_process_root(process), &read);
	*headroom = read;
	return 0;
}

int pm_headroom_read(struct pm_process *process, const char *sys_root, struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_headroom read;
	/* In the order of enum pm_limit_kind. */
	if (pm_headroom_read_memory(process, sys_root, &read, error) < 0 || pm_gather_resource_limits(process, &read, error) < 0 ||
	    pm_gather_mappings(process, &read, error) < 0 || pm_gather_pids_group(process, sys_root ? sys_root : "/sys", &read, error) < 0)
		return -1;
	pm_gather_system_threads(pm_process_root(process), &read);
	*headroom = read;
	return 0;
}

const struct pm_limit *pm_headroom_find(const struct pm_headroom *headroom, enum pm_limit_kind kind)
{
	for (size_t i = 0; i < headroom->count; i++)
		if (headroom->limits[i].kind == kind)
			return &headroom->limits[i];
	return NULL;
}

const struct pm_limit *pm_headroom_memory(const struct pm_headroom *headroom)
{
	const struct pm_limit *group = pm_headroom_find(headroom, PM_LIMIT_CGROUP), *system = pm_headroom_find(headroom, PM_LIMIT_SYSTEM);
	if (!group || !system)
		return group ? group : system;
	/* A group may be allowed more than there is. */
	return pm_limit_left(system) < pm_limit_left(group) ? system : group;
}
