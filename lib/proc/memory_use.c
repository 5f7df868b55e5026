/* SPDX-License-Identifier: MIT */
/*
 * Reads statm, which costs three system calls. Only if its numbers changed, reads stat (for the
 * identity of the process) and status (for the sizes), which cost about five times as much.
 */
#include <procmem/memory_use.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/io.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"
#include "proc/statm.h"
#include "proc/status.h"

static const char *root_of(const char *proc_root)
{
	return proc_root ? proc_root : "/proc";
}

/** Returns the result of a call that failed with an errno. */
static enum pm_memory_use_result failure(int cause, struct pm_error *error)
{
	if (pm_errno_is_ours(cause)) {
		pm_error_no_resources(cause, error);
		return PM_USE_FAILED;
	}

	return cause == EACCES || cause == EPERM ? PM_USE_REFUSED : PM_USE_GONE;
}

/**
 * Opens the status of a process. If the first thread is dead and others are alive, only those show
 * the memory.
 * @return 0, or -1 with errno set
 */
static int read_status(const struct pm_procfs *procfs, const struct pm_process_stat *stat,
                       char **status)
{
	pid_t *threads;
	size_t count;
	int result = -1;

	if (!pm_state_is_dead(stat->state) || stat->threads < 2)
		return pm_procfs_read(procfs, "status", status, NULL);
	if (pm_procfs_list_numbers(procfs, "task", &threads, &count) < 0)
		return -1;

	errno = ENOENT;
	for (size_t i = 0; i < count && result < 0; i++) {
		char name[32];

		snprintf(name, sizeof name, "task/%d/status", (int)threads[i]);
		result = pm_procfs_read(procfs, name, status, NULL);
		if (result == 0 && !pm_status_find(*status, "VmSize")) {
			free(*status);
			errno = ENOENT;
			result = -1;
		}
	}

	int cause = errno;
	free(threads);
	errno = cause;
	return result;
}

static void fill_identity(struct pm_memory_use *use, const struct pm_process_stat *stat)
{
	use->parent = (pid_t)stat->parent;
	use->state = stat->state;
	use->kernel_thread = (stat->flags & PM_PF_KTHREAD) != 0;
	use->start_ticks = stat->start_ticks;
	memcpy(use->comm, stat->comm, sizeof use->comm);
}

static void fill_sizes(struct pm_memory_use *use, const char *status)
{
	/* Without RssAnon (before Linux 4.5), all resident memory counts. */
	bool split = pm_status_find(status, "RssAnon") != NULL;
	use->anon = pm_status_number(status, split ? "RssAnon" : "VmRSS", 0) * 1024;
	use->file = pm_status_number(status, "RssFile", 0) * 1024;
	use->shmem = pm_status_number(status, "RssShmem", 0) * 1024;
	use->swap = pm_status_number(status, "VmSwap", 0) * 1024;
}

/**
 * Reads all sizes.
 *
 * @param procfs  the process
 * @param known   the process was read before: it must have the same start time
 * @param use     `resident` and `shared` are set; receives the others
 * @return        0, or -1 with errno set
 */
static int read_all(const struct pm_procfs *procfs, bool known, struct pm_memory_use *use)
{
	struct pm_process_stat stat;
	char *status;

	if (pm_process_stat_read(procfs, "stat", &stat) < 0)
		return -1;
	if (known && stat.start_ticks != use->start_ticks) {
		errno = ESRCH;
		return -1;
	}

	if (read_status(procfs, &stat, &status) < 0)
		return -1;

	fill_identity(use, &stat);
	fill_sizes(use, status);
	free(status);
	return 0;
}

static enum pm_memory_use_result read_use(const char *proc_root, bool known, bool exact,
                                          struct pm_memory_use *use, struct pm_error *error)
{
	struct pm_memory_use now = *use;
	struct pm_procfs procfs;

	if (pm_procfs_open(&procfs, root_of(proc_root), use->pid) < 0)
		return failure(errno, error);

	int result = pm_statm_read(&procfs, &now.resident, &now.shared), cause = errno;
	/* A saved tree may lack statm; for a dead first thread, statm is always 0. */
	bool same = result == 0 && known && !exact && now.resident > 0 &&
	            now.resident == use->resident && now.shared == use->shared;
	if (result < 0 && cause == ENOENT)
		result = 0;

	if (result == 0 && !same) {
		result = read_all(&procfs, known, &now);
		cause = errno;
	}

	pm_procfs_close(&procfs);
	if (result < 0)
		return failure(cause, error);

	*use = now;
	return PM_USE_READ;
}

enum pm_memory_use_result pm_memory_use_read(const char *proc_root, pid_t pid,
                                             struct pm_memory_use *use, struct pm_error *error)
{
	struct pm_memory_use read = { .pid = pid };
	enum pm_memory_use_result result = read_use(proc_root, false, true, &read, error);

	if (result == PM_USE_READ)
		*use = read;
	return result;
}

enum pm_memory_use_result pm_memory_use_update(const char *proc_root, struct pm_memory_use *use,
                                               bool exact, struct pm_error *error)
{
	return read_use(proc_root, true, exact, use, error);
}

enum pm_memory_use_result pm_memory_use_identify(const char *proc_root, pid_t pid,
                                                 struct pm_memory_use *use, struct pm_error *error)
{
	struct pm_procfs procfs;
	struct pm_process_stat stat;

	if (pm_procfs_open(&procfs, root_of(proc_root), pid) < 0)
		return failure(errno, error);

	int result = pm_process_stat_read(&procfs, "stat", &stat), cause = errno;
	pm_procfs_close(&procfs);
	if (result < 0)
		return failure(cause, error);

	*use = (struct pm_memory_use){ .pid = pid };
	fill_identity(use, &stat);
	return PM_USE_READ;
}

int pm_memory_use_pids(const char *proc_root, pid_t **pids, size_t *count, struct pm_error *error)
{
	const char *root = root_of(proc_root);
	const struct pm_procfs procfs = { .fd = AT_FDCWD };

	if (pm_procfs_list_numbers(&procfs, root, pids, count) == 0)
		return 0;
	if (pm_errno_is_ours(errno))
		return pm_error_no_resources(errno, error);

	return pm_error_set(error, PM_ERROR_IO, errno, "cannot read %s: %s", root, strerror(errno));
}
