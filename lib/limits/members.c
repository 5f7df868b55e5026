/* SPDX-License-Identifier: MIT */
#include "limits/members.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/cgroup_parts.h>

#include "base/array.h"
#include "base/io.h"
#include "limits/cgroup_file.h"
#include "limits/cgroup_pids.h"
#include "limits/cgroups.h"
#include "limits/hierarchy.h"
#include "proc/command.h"
#include "proc/procfs.h"
#include "proc/status.h"

/** State while the processes of a cgroup and its descendants are collected. */
struct gathering {
	const char *proc_root;
	struct pm_members members;
	size_t capacity;
};

/**
 * Handles a process whose files could not be read. The process has probably ended, and the error is
 * ignored, unless its cause is a lack of resources of the calling process.
 */
static int check_member(int cause, struct pm_error *error)
{
	if (pm_errno_is_ours(cause))
		return pm_error_no_resources(cause, error);

	return 0;
}

/**
 * Reads the memory of a process.
 *
 * @param gathering  receives the process, unless the process has ended
 * @param pid        PID of the process
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int add_member(struct gathering *gathering, pid_t pid, struct pm_error *error)
{
	struct pm_members *members = &gathering->members;
	struct pm_member member = { .pid = pid };
	struct pm_procfs procfs;
	char *status;

	if (pm_procfs_open(&procfs, gathering->proc_root, pid) < 0)
		return check_member(errno, error);

	int failed = pm_procfs_read(&procfs, "status", &status, NULL), cause = errno;
	if (failed == 0) {
		member.rss = pm_status_number(status, "VmRSS", 0) * 1024;
		member.swap = pm_status_number(status, "VmSwap", 0) * 1024;
		member.anon = pm_status_number(status, "RssAnon", 0) * 1024;
		member.shmem = pm_status_number(status, "RssShmem", 0) * 1024;
		free(status);
		failed = pm_comm_read(&procfs, "comm", member.comm);
		cause = errno;
	}

	pm_procfs_close(&procfs);
	if (failed < 0)
		return check_member(cause, error);
	if (pm_array_reserve(&members->items, &gathering->capacity, members->count, 1,
	                     sizeof *members->items, error) < 0)
		return -1;

	members->items[members->count++] = member;
	return 0;
}

/** Adds a process of the cgroup, or counts the process if it cannot be read. */
static int visit_member(void *context, pid_t pid, struct pm_error *error)
{
	struct gathering *gathering = context;

	if (pid != 0 && gathering->members.count < PM_MEMBERS_MAX)
		return add_member(gathering, pid, error);

	gathering->members.others++;
	return 0;
}

/** Reads the memory of the kernel that is charged to the cgroup. */
static int read_kernel(const struct pm_hierarchy *hierarchy, const char *stat,
                       struct pm_members *members, struct pm_error *error)
{
	struct pm_cgroup_split split;
	uint64_t kernel = 0;

	/* memory.stat of v1 does not contain it. */
	if (hierarchy->version == 1 &&
	    pm_cgroup_number(hierarchy, "memory.kmem.usage_in_bytes", &kernel, error) < 0)
		return -1;

	pm_cgroup_parts_split(hierarchy->version, stat, kernel, UINT64_MAX, &split);
	kernel = pm_cgroup_parts_kernel(&split);
	if (__builtin_add_overflow(kernel, split.parts[PM_CGROUP_SOCKETS], &members->kernel))
		members->kernel = UINT64_MAX;

	return 0;
}

/**
 * Reads the size of the page cache of the cgroup, the part of it that was not used recently, and
 * the memory of the kernel. All stay 0 if there is no memory.stat.
 */
static int read_stat(const struct pm_hierarchy *hierarchy, struct pm_members *members,
                     struct pm_error *error)
{
	char *text;
	int found = pm_cgroup_text(hierarchy, "memory.stat", &text, error);
	if (found <= 0)
		return found;

	if (hierarchy->version == 2) {
		pm_cgroup_entry(text, "file", &members->cache);
		pm_cgroup_entry(text, "shmem", &members->shmem);
		pm_cgroup_entry(text, "inactive_file", &members->reclaimable);
	} else {
		pm_cgroup_entry(text, "total_cache", &members->cache);
		pm_cgroup_entry(text, "total_shmem", &members->shmem);
		pm_cgroup_entry(text, "total_inactive_file", &members->reclaimable);
	}

	int result = read_kernel(hierarchy, text, members, error);
	free(text);

	return result;
}

static int compare(const void *one, const void *other)
{
	const struct pm_member *a = one, *b = other;
	uint64_t a_size = a->rss + a->swap, b_size = b->rss + b->swap;

	if (a_size != b_size)
		return (a_size < b_size) - (a_size > b_size);

	return (a->pid > b->pid) - (a->pid < b->pid);
}

/** Reads the processes of a cgroup and its descendants, and the size of its page cache. */
static int read_group(const struct pm_hierarchy *hierarchy, struct gathering *gathering,
                      struct pm_error *error)
{
	struct pm_members *members = &gathering->members;
	char *path;

	members->group = strdup(*hierarchy->group ? hierarchy->group : "/");
	if (!members->group || asprintf(&path, "%s%s", hierarchy->folder, hierarchy->group) < 0)
		return pm_error_out_of_memory(error);

	int result = pm_cgroup_pids_visit(path, visit_member, gathering, &members->incomplete,
	                                  error);
	free(path);
	if (result < 0 || read_stat(hierarchy, members, error) < 0)
		return -1;

	if (members->count > 0)
		qsort(members->items, members->count, sizeof *members->items, compare);

	return 0;
}

int pm_members_read_group(const struct pm_hierarchy *hierarchy, const char *proc_root,
                          struct pm_members *members, struct pm_error *error)
{
	struct gathering gathering = { .proc_root = proc_root };

	if (read_group(hierarchy, &gathering, error) < 0) {
		pm_members_deinit(&gathering.members);
		return -1;
	}

	*members = gathering.members;
	return 0;
}

int pm_members_read(struct pm_process *process, const char *sys_root, struct pm_members *members,
                    struct pm_error *error)
{
	struct pm_members found = { 0 };
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = 0;
	if (hierarchy.version)
		result = pm_cgroup_go_to_limit(&hierarchy, error);
	if (result > 0)
		result = pm_members_read_group(&hierarchy, pm_process_root(process), &found, error);
	pm_hierarchy_deinit(&hierarchy);
	if (result < 0)
		return -1;

	*members = found;
	return 0;
}

/** State while process IDs are listed. */
struct listing {
	struct pm_member_pids pids;
	size_t capacity;
};

/** Adds a process of the cgroup to a list, or counts it. */
static int list_member(void *context, pid_t pid, struct pm_error *error)
{
	struct listing *listing = context;
	struct pm_member_pids *pids = &listing->pids;

	if (pid == 0) {
		pids->others++;
		return 0;
	}
	if (pids->count >= PM_MEMBER_PIDS_MAX) {
		pids->beyond++;
		return 0;
	}

	if (pm_array_reserve(&pids->items, &listing->capacity, pids->count, 1, sizeof *pids->items,
	                     error) < 0)
		return -1;

	pids->items[pids->count++] = pid;
	return 0;
}

static int list_group(const struct pm_hierarchy *hierarchy, struct listing *listing,
                      struct pm_error *error)
{
	char *path;

	listing->pids.group = strdup(*hierarchy->group ? hierarchy->group : "/");
	if (!listing->pids.group ||
	    asprintf(&path, "%s%s", hierarchy->folder, hierarchy->group) < 0)
		return pm_error_out_of_memory(error);

	int result = pm_cgroup_pids_visit(path, list_member, listing, &listing->pids.incomplete,
	                                  error);
	free(path);
	return result;
}

int pm_member_pids_read(struct pm_process *process, const char *sys_root, enum pm_members_of of,
                        struct pm_member_pids *pids, struct pm_error *error)
{
	struct listing listing = { 0 };
	struct pm_hierarchy hierarchy;
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = hierarchy.version != 0;
	if (result > 0 && of == PM_MEMBERS_OF_LIMIT)
		result = pm_cgroup_go_to_limit(&hierarchy, error);
	if (result > 0)
		result = list_group(&hierarchy, &listing, error);
	pm_hierarchy_deinit(&hierarchy);
	if (result < 0) {
		pm_member_pids_deinit(&listing.pids);
		return -1;
	}

	*pids = listing.pids;
	return 0;
}

void pm_member_pids_deinit(struct pm_member_pids *pids)
{
	free(pids->group);
	free(pids->items);
	*pids = (struct pm_member_pids){ 0 };
}

void pm_members_deinit(struct pm_members *members)
{
	free(members->group);
	free(members->items);
	*members = (struct pm_members){ 0 };
}
