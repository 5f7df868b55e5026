/* SPDX-License-Identifier: MIT */
#include "limits/members.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "limits/cgroup_file.h"
#include "limits/cgroups.h"
#include "limits/hierarchy.h"
#include "proc/command.h"
#include "proc/procfs.h"
#include "proc/status.h"

/*
 * Maximum number of cgroups, maximum depth of nesting, and maximum size of cgroup.procs in bytes.
 * They bound time and memory for hostile trees. Machines with very many containers have about ten
 * thousand cgroups, nested about a dozen levels deep.
 */
enum { GROUPS_MAX = 20000, DEPTH_MAX = 64, PROCS_TEXT_MAX = 1 << 24 };

/** State while the processes of a cgroup and its descendants are collected. */
struct gathering {
	const char *proc_root;
	struct pm_members members;
	size_t capacity;
	size_t groups; /* number of cgroups visited so far */
};

/**
 * Handles a process whose files could not be read. The process has probably ended, and the error is
 * ignored, unless its cause is a lack of resources of the calling process.
 */
static int check_member(int cause, struct pm_error *error)
{
	if (pm_errno_is_ours(cause))
		return pm_error_out_of_memory(error);

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

/**
 * Marks the result as incomplete because a cgroup could not be read. Does nothing if the cgroup was
 * removed or is threaded, because then no process is missing.
 */
static void note_failure(struct gathering *gathering, int cause)
{
	/*
	 * A cgroup may be removed at any time (ENOENT, ENODEV). The processes of a threaded cgroup
	 * (EOPNOTSUPP) are listed in one of its ancestors.
	 */
	if (cause != ENOENT && cause != ENODEV && cause != EOPNOTSUPP)
		gathering->members.incomplete = true;
}

/** Adds the processes of one cgroup, without those of its descendants. */
static int add_group(struct gathering *gathering, int folder, struct pm_error *error)
{
	char *text;
	int fd = openat(folder, "cgroup.procs", O_RDONLY | O_CLOEXEC), result = 0;
	if (fd < 0) {
		note_failure(gathering, errno);
		return 0;
	}

	struct pm_error cause = { 0 };
	int failed = pm_read_all(fd, PROCS_TEXT_MAX, &text, NULL, &cause);
	close(fd);
	if (failed < 0) {
		note_failure(gathering, cause.os_errno);
		return 0;
	}

	const char *at = text;
	uint64_t pid;
	while (result == 0 && pm_scan_decimal(&at, &pid)) {
		at += *at == '\n';
		/* cgroup.procs shows PID 0 for a process of another PID namespace. */
		if (pid == 0 || pid > INT32_MAX || gathering->members.count >= PM_MEMBERS_MAX)
			gathering->members.others++;
		else
			result = add_member(gathering, (pid_t)pid, error);
	}

	free(text);
	return result;
}

static int visit(struct gathering *gathering, int folder, unsigned depth, struct pm_error *error);

/**
 * Visits a child cgroup. If the maximum depth or number of cgroups is reached, marks the result as
 * incomplete instead.
 *
 * @param gathering  receives the processes
 * @param folder     descriptor of the cgroup; closed in any case
 * @param depth      nesting depth of the cgroup
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int visit_below(struct gathering *gathering, int folder, unsigned depth,
                       struct pm_error *error)
{
	if (depth <= DEPTH_MAX && gathering->groups < GROUPS_MAX) {
		gathering->groups++;
		return visit(gathering, folder, depth, error);
	}

	gathering->members.incomplete = true;
	close(folder);
	return 0;
}

/**
 * Visits a cgroup and all its descendants.
 *
 * @param gathering  receives the processes
 * @param folder     descriptor of the cgroup; closed in any case
 * @param depth      nesting depth of the cgroup
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int visit(struct gathering *gathering, int folder, unsigned depth, struct pm_error *error)
{
	int result = add_group(gathering, folder, error);
	DIR *directory = fdopendir(folder);
	if (!directory) {
		note_failure(gathering, errno);
		close(folder);
		return result;
	}

	struct dirent *entry;
	while (result == 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		int below = openat(dirfd(directory), entry->d_name,
		                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			result = visit_below(gathering, below, depth + 1, error);
		/*
		 * An entry of type DT_UNKNOWN may be a file or a symbolic link, which is not a
		 * failure.
		 */
		else if (errno != ENOTDIR && errno != ELOOP)
			note_failure(gathering, errno);
	}

	closedir(directory);
	return result;
}

/**
 * Reads the size of the page cache of the cgroup, and the part of it that was not used recently.
 * Both stay 0 if there is no memory.stat.
 */
static int read_cache(const struct pm_hierarchy *hierarchy, struct pm_members *members,
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
	free(text);

	return 0;
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

	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		note_failure(gathering, errno);
	free(path);
	if ((folder >= 0 && visit(gathering, folder, 0, error) < 0) ||
	    read_cache(hierarchy, members, error) < 0)
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

void pm_members_deinit(struct pm_members *members)
{
	free(members->group);
	free(members->items);
	*members = (struct pm_members){ 0 };
}
