/* SPDX-License-Identifier: MIT */
#include <procmem/headroom.h>

#include "limits/cgroups.h"
#include "limits/limit_source.h"
#include "limits/system.h"
#include "limits/user_threads.h"

const char *pm_limit_name(enum pm_limit_kind kind)
{
	static const char *const names[PM_LIMIT_KINDS] = {
		[PM_LIMIT_CGROUP] = "cgroup",
		[PM_LIMIT_CGROUP_WORKING_SET] = "cgroup_working_set",
		[PM_LIMIT_CGROUP_HIGH] = "cgroup_high",
		[PM_LIMIT_SYSTEM] = "system",
		[PM_LIMIT_ADDRESS_SPACE] = "address_space",
		[PM_LIMIT_DATA] = "data",
		[PM_LIMIT_STACK] = "stack",

		[PM_LIMIT_JAVA_HEAP] = "java_heap",
		[PM_LIMIT_JAVA_METASPACE] = "java_metaspace",
		[PM_LIMIT_JAVA_CLASS_SPACE] = "java_class_space",
		[PM_LIMIT_JAVA_CODE] = "java_code",
		[PM_LIMIT_JAVA_DIRECT] = "java_direct",
		[PM_LIMIT_V8_OLD_SPACE] = "v8_old_space",
		[PM_LIMIT_GO_MEMORY] = "go_memory",

		[PM_LIMIT_MAPPINGS] = "mappings",
		[PM_LIMIT_PIDS] = "pids",
		[PM_LIMIT_USER_THREADS] = "user_threads",
		[PM_LIMIT_THREADS] = "threads",
		[PM_LIMIT_PID_MAX] = "pid_max",
	};

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

void pm_headroom_add_runtimes(struct pm_headroom *headroom, const struct pm_runtimes *runtimes)
{
	static const enum pm_limit_kind kinds[PM_RUNTIME_LIMIT_COUNT] = {
		[PM_RUNTIME_LIMIT_JAVA_HEAP] = PM_LIMIT_JAVA_HEAP,
		[PM_RUNTIME_LIMIT_JAVA_METASPACE] = PM_LIMIT_JAVA_METASPACE,
		[PM_RUNTIME_LIMIT_JAVA_CLASS_SPACE] = PM_LIMIT_JAVA_CLASS_SPACE,
		[PM_RUNTIME_LIMIT_JAVA_CODE] = PM_LIMIT_JAVA_CODE,
		[PM_RUNTIME_LIMIT_JAVA_DIRECT] = PM_LIMIT_JAVA_DIRECT,
		[PM_RUNTIME_LIMIT_V8_OLD_SPACE] = PM_LIMIT_V8_OLD_SPACE,
		[PM_RUNTIME_LIMIT_GO_MEMORY] = PM_LIMIT_GO_MEMORY,
	};

	for (size_t i = 0; i < PM_RUNTIME_LIMIT_COUNT; i++)
		pm_limit_remove(headroom, kinds[i]);

	for (size_t i = 0; i < runtimes->limit_count && i < PM_RUNTIME_LIMITS_MAX; i++) {
		const struct pm_runtime_limit *limit = &runtimes->limits[i];
		uint64_t used = limit->used_known ? limit->used : 0;

		if ((unsigned)limit->kind >= PM_RUNTIME_LIMIT_COUNT || limit->max == 0)
			continue;

		struct pm_limit *added = pm_limit_add(headroom, kinds[limit->kind], limit->max,
		                                      used, limit->source ? limit->source : "");
		added->approximate = limit->approximate;
		added->used_unknown = !limit->used_known;
	}
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
