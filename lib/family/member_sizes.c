/* SPDX-License-Identifier: MIT */
/*
 * statm is the cheapest file with the resident size. It lacks swap and the user, which status has.
 */
#include "family/member_sizes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "proc/process_stat.h"
#include "proc/statm.h"
#include "proc/status.h"

/** Maximum number of threads that are tried if the first thread of a process is dead. */
enum { THREADS_TRIED_MAX = 32 };

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
	uint64_t shared;
	if (pm_statm_read(procfs, &member->rss, &shared) < 0)
		return read_status(procfs, "status", member);

	member->swap = 0;
	return 0;
}
