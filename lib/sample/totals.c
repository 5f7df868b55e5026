/* SPDX-License-Identifier: MIT */
/*
 * statm would be shorter, but it does not know private memory from shared, nor swap; and since
 * Linux 6.2 its figures lag behind by up to some dozen pages a CPU, where status adds up exactly
 * since 6.17.
 */
#include <procmem/sample.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "proc/process.h"
#include "proc/process_handle.h"
#include "proc/status.h"

static int read_status(struct pm_process *process, pid_t thread, char **status)
{
	char name[64] = "status";
	if (thread != process->procfs.pid)
		snprintf(name, sizeof name, "task/%d/status", (int)thread);
	return pm_procfs_read(&process->procfs, name, status, NULL);
}

int pm_totals_read(struct pm_process *process, struct pm_totals *totals, struct pm_error *error)
{
	char *status;
	pid_t pid = process->procfs.pid;
	if (read_status(process, pid, &status) < 0)
		return pm_error_set(error, PM_ERROR_GONE, errno, "process %d exited", (int)pid);

	/* The dead first thread has no figures, but the others do. */
	if (!pm_status_find(status, "VmSize")) {
		free(status);
		pid_t thread = pm_process_memory_thread(process);
		if (thread == pid || read_status(process, thread, &status) < 0)
			return pm_process_check(process, error) < 0
			               ? -1
			               : pm_error_set(error, PM_ERROR_NO_MEMORY, 0,
			                              "process %d has no memory of its own",
			                              (int)pid);
	}

	*totals = (struct pm_totals){
		.size = pm_status_number(status, "VmSize", 0) * 1024,
		.rss = pm_status_number(status, "VmRSS", 0) * 1024,
		.anon = pm_status_number(status, "RssAnon", 0) * 1024,
		.file = pm_status_number(status, "RssFile", 0) * 1024,
		.shmem = pm_status_number(status, "RssShmem", 0) * 1024,
		.swap = pm_status_number(status, "VmSwap", 0) * 1024,
		.pte = pm_status_number(status, "VmPTE", 0) * 1024,
		.threads = pm_status_number(status, "Threads", 0),
	};

	free(status);
	return 0;
}
