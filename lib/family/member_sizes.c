/* SPDX-License-Identifier: MIT */
/*
 * statm is the cheapest file with the resident size. It lacks swap and the user, which status has.
 */
#include "family/member_sizes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/minmax.h"
#include "base/number.h"
#include "proc/process_stat.h"
#include "proc/status.h"

/** Maximum number of threads that are tried if the first thread of a process is dead. */
enum { THREADS_TRIED_MAX = 32 };

/** Reads the resident size from statm (proc_pid_statm(5)), whose second number counts pages. */
static int read_statm(const struct pm_procfs *procfs, const char *name, uint64_t *rss)
{
	char text[128];
	int fd = pm_procfs_open_file(procfs, name, O_RDONLY);
	if (fd < 0)
		return -1;

	ssize_t length = pm_read(fd, text, sizeof text - 1);
	int cause = errno;
	close(fd);
	if (length < 0) {
		errno = cause;
		return -1;
	}

	text[length] = '\0';
	const char *at = text;
	uint64_t size, resident;
	errno = EPROTO;
	if (!pm_scan_decimal(&at, &size) || *at++ != ' ' || !pm_scan_decimal(&at, &resident) ||
	    resident > UINT64_MAX / (uint64_t)sysconf(_SC_PAGESIZE))
		return -1;

	*rss = resident * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/** Reads the user and the sizes from a status file. */
static int read_status(const struct pm_procfs *procfs, const char *name,
                       struct pm_family_member *member)
{
	char *status;
	if (pm_procfs_read(procfs, name, &status, NULL) < 0)
		return -1;

	member->uid = (uid_t)pm_status_number(status, "Uid", 1);
	member->rss = pm_status_number(status, "VmRSS", 0) * 1024;
	member->swap = pm_status_number(status, "VmSwap", 0) * 1024;
	free(status);

	return 0;
}

/**
 * Reads the sizes of a process whose first thread is dead from a living thread, because the files
 * of a dead thread have no sizes.
 * @return 0, or -1 with errno set
 */
static int read_living_thread(const struct pm_procfs *procfs, struct pm_family_member *member)
{
	pid_t *threads;
	size_t count;
	if (pm_procfs_list_numbers(procfs, "task", &threads, &count) < 0)
		return -1;

	member->rss = member->swap = 0;
	count = pm_min_size(count, THREADS_TRIED_MAX);
	for (size_t i = 0; i < count && member->rss == 0; i++) {
		char name[64];
		snprintf(name, sizeof name, "task/%d/status", (int)threads[i]);
		if (threads[i] != procfs->pid)
			read_status(procfs, name, member);
	}

	free(threads);
	return 0;
}

int pm_member_sizes_read(const struct pm_procfs *procfs, const struct pm_process_stat *stat,
                         bool status, struct pm_family_member *member)
{
	if (pm_process_stat_is_ending(stat) && stat->threads > 1)
		return read_living_thread(procfs, member);
	if (status)
		return read_status(procfs, "status", member);

	/* A saved tree may lack statm. */
	if (read_statm(procfs, "statm", &member->rss) < 0)
		return read_status(procfs, "status", member);

	member->swap = 0;
	return 0;
}
