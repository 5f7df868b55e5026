/* SPDX-License-Identifier: MIT */
#include <procmem/headroom.h>

#include "limits/cgroups.h"
#include "limits/system.h"
#include "limits/user_threads.h"

const char *pm_limit_name(enum pm_limit_kind kind)
{
	static const char *const names[PM_LIMIT_KINDS] = { "cgroup",        "cgroup_working_set",
		                                           "cgroup_high",   "system",
		                                           "address_space", "data",
		                                           "stack",         "mappings",
		                                           "pids",          "user_threads",
		                                           "threads",       "pid_max" };

	return (unsigned)kind < PM_LIMIT_KINDS ? names[kind] : "";
}

/**
 * Reads the memory limits that apply to several processes together: the limits of cgroups, and the
 * memory of the machine.
 */
static int read_shared(struct pm_process *process, const char *sys_root,
                       struct pm_headroom *headroom, struct pm_error *error)
{
	if (pm_gather_memory_cgroup(process, sys_root, headroom, error) < 0)
		return -1;
	pm_gather_system_memory(pm_process_root(process), headroom);
	return 0;
}

/** Reads the limits on numbers of processes and threads. */
static int gather_threads(struct pm_process *process, const char *sys_root,
                          struct pm_headroom *headroom, struct pm_error *error)
{
	if (pm_gather_pids_cgroup(process, sys_root, headroom, error) < 0 ||
	    pm_gather_user_threads(process, headroom, error) < 0)
		return -1;

	pm_gather_system_threads(process, headroom);
	return 0;
}

int pm_headroom_read_memory(struct pm_process *process, const char *sys_root,
                            struct pm_headroom *headroom, struct pm_error *error)
{
	struct pm_headroom read = { 0 };
	if (read_shared(process, sys_root, &read, error) < 0)
		return -1;

	/*
	 * An error is ignored: the resource limits of an exiting process can no longer be read, but
	 * the caller still needs the limits of its cgroup, which may be the reason why it exits.
	 */
	pm_gather_resource_limits(process, &read, NULL);
	*headroom = read;
	return 0;
}

int pm_headroom_add_counts(struct pm_process *process, const char *sys_root,
                           const struct pm_regions *regions, struct pm_headroom *headroom,
                           struct pm_error *error)
{
	struct pm_headroom added = *headroom;
	pm_gather_mappings_of(pm_process_root(process), regions, &added);
	if (gather_threads(process, sys_root, &added, error) < 0)
		return -1;

	*headroom = added;
	return 0;
}

int pm_headroom_read(struct pm_process *process, const char *sys_root, struct pm_headroom *headroom,
                     struct pm_error *error)
{
	struct pm_headroom read = { 0 };
	if (read_shared(process, sys_root, &read, error) < 0 ||
	    pm_gather_resource_limits(process, &read, error) < 0 ||
	    pm_gather_mappings(process, &read, error) < 0 ||
	    gather_threads(process, sys_root, &read, error) < 0)
		return -1;

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
	const struct pm_limit *group = pm_headroom_find(headroom, PM_LIMIT_CGROUP),
			      *system = pm_headroom_find(headroom, PM_LIMIT_SYSTEM);
	if (!group)
		return system;
	if (!system)
		return group;

	/*
	 * The limit of a cgroup may exceed the memory of the machine, so the limit with less
	 * headroom is returned.
	 */
	return pm_limit_left(system) < pm_limit_left(group) ? system : group;
}
