/* SPDX-License-Identifier: MIT */
#include "proc/process_handle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "proc/process.h"
#include "proc/process_stat.h"
#include "proc/status.h"

static uint64_t status_bytes(const char *status, const char *key)
{
	return pm_status_number(status, key, 0) * 1024;
}

/**
 * Time since boot in milliseconds, from `uptime` below the root.
 * @return 0 where it is missing
 */
static uint64_t boot_uptime_ms(const char *root)
{
	char path[PATH_MAX], text[64];
	if ((size_t)snprintf(path, sizeof path, "%s/uptime", root) >= sizeof path)
		return 0;

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;

	ssize_t length = pm_read(fd, text, sizeof text - 1);
	close(fd);
	if (length <= 0)
		return 0;

	text[length] = '\0';
	const char *at = text;
	uint64_t seconds = 0, hundredths = 0;
	if (!pm_scan_decimal(&at, &seconds))
		return 0;

	if (*at == '.') {
		at++;
		pm_scan_decimal(&at, &hundredths);
	}

	return seconds * 1000 + hundredths * 10;
}

/**
 * What status says; of a living thread where the leader is dead, whose own has no memory figures.
 */
static void fill_from_status(const char *status, struct pm_process_info *info)
{
	info->tracer = (pid_t)pm_status_number(status, "TracerPid", 0);
	info->killed = (pm_status_mask(status, "SigPnd") | pm_status_mask(status, "ShdPnd")) &
	               UINT64_C(1) << (SIGKILL - 1);
	info->uid = (uid_t)pm_status_number(status, "Uid", 0);
	info->euid = (uid_t)pm_status_number(status, "Uid", 1);
	info->vm_size = status_bytes(status, "VmSize");
	info->vm_rss = status_bytes(status, "VmRSS");
	info->vm_hwm = status_bytes(status, "VmHWM");

	info->vm_swap = status_bytes(status, "VmSwap");
	info->vm_pte = status_bytes(status, "VmPTE");
}

static void fill_from_stat(const struct pm_process *process, const struct pm_process_stat *stat,
                           struct pm_process_info *info)
{
	info->pid = process->procfs.pid;
	info->state = stat->state;
	info->kernel_thread = process->kernel_thread;
	info->leader_gone = pm_process_stat_leader_gone(stat);
	info->threads = (uint32_t)stat->threads;
	info->start_ticks = stat->start_ticks;
	memcpy(info->comm, stat->comm, sizeof info->comm);

	uint64_t now = boot_uptime_ms(process->procfs.root);
	long ticks = sysconf(_SC_CLK_TCK);
	uint64_t started = ticks > 0 ? stat->start_ticks * 1000 / (uint64_t)ticks : 0;
	info->uptime_ms = now > started ? now - started : 0;
}

/**
 * Takes what only a thread with memory knows, by the names of its files.
 * @return 0, or -1 with errno set
 */
static int read_memory_facts(const struct pm_procfs *procfs, const char *stat_name,
                             const char *status_name, struct pm_process_info *info)
{
	struct pm_process_stat stat;
	char *status;
	if (pm_process_stat_read(procfs, stat_name, &stat) < 0 ||
	    pm_procfs_read(procfs, status_name, &status, NULL) < 0)
		return -1;

	info->start_stack = stat.start_stack;
	info->start_brk = stat.start_brk;
	fill_from_status(status, info);
	free(status);

	return 0;
}

/**
 * Takes it from a living thread, where the first one is dead.
 * @return 0, or -1 with errno set
 */
static int read_living_thread(const struct pm_process *process, struct pm_process_info *info)
{
	for (int tries = 0;; tries++) {
		char stat[64], status[64];
		pid_t tid = pm_process_memory_thread(process);
		snprintf(stat, sizeof stat, "task/%d/stat", (int)tid);
		snprintf(status, sizeof status, "task/%d/status", (int)tid);
		int result = read_memory_facts(&process->procfs, stat, status, info);
		/* That thread may have ended just now, and others live. */
		if (result == 0 || (errno != ENOENT && errno != ESRCH) || tries == PM_TRIES_MAX)
			return result;
	}
}

int pm_process_read_info(struct pm_process *process, struct pm_process_info *info,
                         struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	struct pm_process_stat stat;
	struct pm_process_info found = { 0 };

	if (pm_process_stat_read(procfs, "stat", &stat) < 0)
		return pm_process_lost(process, errno, error);

	fill_from_stat(process, &stat, &found);
	int result = found.leader_gone ? read_living_thread(process, &found)
	                               : read_memory_facts(procfs, "stat", "status", &found);
	if (result < 0)
		return pm_process_lost(process, errno, error);

	*info = found;
	return 0;
}
