/* SPDX-License-Identifier: MIT */
/*
 * Opens files in /proc about the memory of a process through a thread that still has memory. Such a
 * file of a dead leader is empty or missing, although other threads of the process use the memory.
 */
#include "proc/memory_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/process_stat.h"

static const char *const memory_files[] = { "maps",      "smaps", "smaps_rollup",    "pagemap",
	                                    "mem",       "auxv",  "environ",         "cmdline",
	                                    "numa_maps", "exe",   "coredump_filter", "clear_refs" };

bool pm_memory_file_is(const char *name)
{
	for (size_t i = 0; i < sizeof memory_files / sizeof *memory_files; i++)
		if (strcmp(name, memory_files[i]) == 0)
			return true;
	return false;
}

pid_t pm_memory_file_living_thread(const struct pm_procfs *procfs)
{
	pid_t *tids, found = procfs->pid;
	size_t count;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &count) < 0)
		return found;

	for (size_t i = 0; i < count && found == procfs->pid; i++) {
		char name[64];
		struct pm_process_stat stat;
		snprintf(name, sizeof name, "task/%d/stat", (int)tids[i]);
		if (tids[i] != procfs->pid && pm_process_stat_read(procfs, name, &stat) == 0 &&
		    !pm_process_stat_is_ending(&stat))
			found = tids[i];
	}

	free(tids);
	return found;
}

pid_t pm_memory_file_thread(const struct pm_procfs *procfs)
{
	struct pm_process_stat stat;
	if (pm_process_stat_read(procfs, "stat", &stat) < 0 || !pm_process_stat_leader_gone(&stat))
		return procfs->pid;
	return pm_memory_file_living_thread(procfs);
}

/**
 * Tests whether a file exists in /proc/PID only, and not in /proc/PID/task/TID.
 * @param name  name below /proc/PID
 */
static bool is_process_file(const char *name)
{
	return strcmp(name, "coredump_filter") == 0 ||
	       strncmp(name, "map_files/", sizeof "map_files/" - 1) == 0;
}

/**
 * Opens a file of /proc/TID, where TID is a thread other than the leader. The kernel has this
 * directory for every thread, although it lists only leaders in /proc.
 * @return a descriptor, or -1 with errno set; ESRCH: the thread has ended
 */
static int open_process_file(const struct pm_procfs *procfs, pid_t tid, const char *name, int flags)
{
	char path[256];
	struct pm_process_stat stat;

	snprintf(path, sizeof path, "../%d/%s", (int)tid, name);
	int fd = pm_procfs_open_file(procfs, path, flags);
	if (fd < 0)
		return -1;

	/* If the thread still exists, its ID did not belong to another process before. */
	snprintf(path, sizeof path, "task/%d/stat", (int)tid);
	if (pm_process_stat_read(procfs, path, &stat) == 0)
		return fd;

	close(fd);
	errno = ESRCH;
	return -1;
}

/** Opens a file of a thread other than the leader. Returns a descriptor, or -1 with errno set. */
static int open_thread_file(const struct pm_procfs *procfs, pid_t tid, const char *name, int flags)
{
	if (is_process_file(name))
		return open_process_file(procfs, tid, name, flags);

	char *path;
	if (asprintf(&path, "task/%d/%s", (int)tid, name) < 0) {
		errno = ENOMEM;
		return -1;
	}

	int fd = pm_procfs_open_file(procfs, path, flags);
	int cause = errno;
	free(path);
	errno = cause;
	return fd;
}

int pm_memory_file_open(const struct pm_procfs *procfs, const char *name, int flags)
{
	for (int tries = 0;; tries++) {
		pid_t tid = pm_memory_file_thread(procfs);
		if (tid == procfs->pid)
			return pm_procfs_open_file(procfs, name, flags);

		/* If this thread has ended by now, try another thread. */
		int fd = open_thread_file(procfs, tid, name, flags);
		if (fd >= 0 || (errno != ENOENT && errno != ESRCH) || tries == PM_TRIES_MAX)
			return fd;
	}
}
