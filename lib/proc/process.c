/* SPDX-License-Identifier: MIT */
#include "proc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "proc/access.h"
#include "proc/command.h"
#include "proc/process_stat.h"
#include "proc/status.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static const char *const memory_files[] = { "maps", "smaps",   "smaps_rollup", "pagemap",  "mem",
	                                    "auxv", "environ", "cmdline",      "numa_maps" };

static bool is_memory_file(const char *name)
{
	for (size_t i = 0; i < sizeof memory_files / sizeof *memory_files; i++)
		if (strcmp(name, memory_files[i]) == 0)
			return true;
	return false;
}

/**
 * Whether a thread lives no more, or ends just now: it gives its memory up, which may take long,
 * before it becomes a zombie.
 */
static bool is_ending(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) || (stat->flags & PM_PF_EXITING) != 0;
}

/** First thread of a process that lives on, other than the leader; the PID where there is none. */
static pid_t first_living_thread(const struct pm_procfs *procfs)
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
		    !is_ending(&stat))
			found = tids[i];
	}

	free(tids);
	return found;
}

static pid_t memory_thread(const struct pm_procfs *procfs)
{
	struct pm_process_stat stat;
	if (pm_process_stat_read(procfs, "stat", &stat) < 0 || !pm_process_stat_leader_gone(&stat))
		return procfs->pid;
	return first_living_thread(procfs);
}

pid_t pm_process_memory_thread(const struct pm_process *process)
{
	return memory_thread(&process->procfs);
}

/** Whether it is a zombie that only its parent has to take notice of. */
static bool is_zombie(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) && !pm_process_stat_leader_gone(stat);
}

/**
 * Whether no thread lives any more: zombies that are traced count as threads until their tracer,
 * which may be us, takes notice.
 */
static bool has_ended(const struct pm_procfs *procfs, struct pm_process_stat *stat)
{
	/* A list of threads may lack one that was made meanwhile, or that took over the PID for an
	 * exec. */
	for (int look = 0; look < 3; look++) {
		if (look > 0 && pm_process_stat_read(procfs, "stat", stat) < 0)
			return errno == ENOENT || errno == ESRCH;
		if (!is_ending(stat))
			return false;
		if (stat->threads <= 1)
			return true;
		if (first_living_thread(procfs) != procfs->pid)
			return false;
	}

	return true;
}

/**
 * Opens a file about the memory through a thread that still has it: those of a dead leader are
 * empty.
 * @return as openat(2)
 */
static int open_memory_file(const struct pm_procfs *procfs, const char *name, int flags)
{
	for (int tries = 0;; tries++) {
		pid_t tid = memory_thread(procfs);
		if (tid == procfs->pid)
			return pm_procfs_open_file(procfs, name, flags);
		char path[128];
		snprintf(path, sizeof path, "task/%d/%s", (int)tid, name);
		int fd = pm_procfs_open_file(procfs, path, flags);
		/* That thread may have ended just now, and others live. */
		if (fd >= 0 || (errno != ENOENT && errno != ESRCH) || tries == PM_TRIES_MAX)
			return fd;
	}
}

/** PID of the process that a thread belongs to; the number itself where status does not say. */
static pid_t thread_group(const struct pm_procfs *procfs)
{
	char *text;
	pid_t group = procfs->pid;
	if (pm_procfs_read(procfs, "status", &text, NULL) < 0)
		return group;

	uint64_t number = pm_status_number(text, "Tgid", 0);
	if (number > 0 && number <= INT_MAX)
		group = (pid_t)number;
	free(text);
	return group;
}

/**
 * What stat says of a thread that still has the memory: that of a dead leader knows nothing of it.
 */
static bool read_memory_stat(const struct pm_procfs *procfs, const struct pm_process_stat *stat,
                             struct pm_process_stat *memory)
{
	char name[64];
	*memory = *stat;
	if (!pm_process_stat_leader_gone(stat))
		return true;
	snprintf(name, sizeof name, "task/%d/stat", (int)memory_thread(procfs));
	return pm_process_stat_read(procfs, name, memory) == 0;
}

static int open_failed(const char *root, pid_t pid, int cause, struct pm_error *error)
{
	/* Whether it was never there or ended just now makes no difference to somebody who asks for
	 * it. */
	return pm_access_explain(root, pid, "look at it", cause == ESRCH ? ENOENT : cause, error);
}

int pm_process_open(const char *proc_root, pid_t pid, struct pm_process **process,
                    struct pm_error *error)
{
	const char *root = proc_root ? proc_root : "/proc";
	struct pm_procfs procfs;
	if (pm_procfs_open(&procfs, root, pid) < 0)
		return open_failed(root, pid, errno, error);

	pid_t group = thread_group(&procfs);
	if (group != pid) {
		pm_procfs_close(&procfs);
		if (pm_procfs_open(&procfs, root, group) < 0)
			return open_failed(root, group, errno, error);
	}

	struct pm_process *opened = calloc(1, sizeof *opened);
	if (!opened) {
		pm_procfs_close(&procfs);
		return pm_error_out_of_memory(error);
	}

	/* The anchor comes first: an exec from now on is noticed. */
	opened->memory_anchor = open_memory_file(&procfs, "maps", O_RDONLY);
	opened->procfs = procfs;
	opened->pidfd = pm_procfs_is_live(&procfs) ? (int)syscall(SYS_pidfd_open, group, 0) : -1;

	struct pm_process_stat stat;
	if (pm_process_stat_read(&procfs, "stat", &stat) < 0) {
		int cause = errno;
		pm_process_close(opened);
		return open_failed(root, group, cause, error);
	}

	opened->start_ticks = stat.start_ticks;
	struct pm_process_stat memory;
	opened->start_stack = read_memory_stat(&procfs, &stat, &memory) ? memory.start_stack : 0;
	opened->kernel_thread = (stat.flags & PM_PF_KTHREAD) != 0;
	opened->was_dead = is_zombie(&stat);
	*process = opened;

	return 0;
}

void pm_process_close(struct pm_process *process)
{
	if (!process)
		return;

	pm_procfs_close(&process->procfs);
	if (process->pidfd >= 0)
		close(process->pidfd);
	if (process->memory_anchor >= 0)
		close(process->memory_anchor);
	free(process);
}

pid_t pm_process_pid(const struct pm_process *process)
{
	return process->procfs.pid;
}

int pm_process_poll_fd(const struct pm_process *process)
{
	return process->pidfd;
}

const char *pm_process_root(const struct pm_process *process)
{
	return process->procfs.root;
}

static int gone(const struct pm_process *process, const char *what, struct pm_error *error)
{
	pm_error_set(error, PM_ERROR_GONE, ESRCH, "process %d %s", (int)process->procfs.pid, what);
	if (error)
		error->pid = process->procfs.pid;
	return -1;
}

int pm_process_lost(const struct pm_process *process, int cause, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;

	if (cause == ENOENT || cause == ESRCH)
		return gone(process, "exited", error);

	if (cause == EPROTO)
		pm_error_set(error, PM_ERROR_FORMAT, 0,
		             "%s/%d/stat is not in the form of proc_pid_stat(5)", procfs->root,
		             (int)procfs->pid);
	else if (cause == EACCES || cause == EPERM)
		pm_access_explain(procfs->root, procfs->pid, "look at it", cause, error);
	else
		pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot look at process %d: %s",
		             (int)procfs->pid, strerror(cause));

	if (error)
		error->pid = procfs->pid;

	return -1;
}

/**
 * Whether it called exec since it was opened. The anchor tells where the memory it had is gone; not
 * so where that memory was its parent's (vfork) and lives on, or where the thread of the anchor
 * ended: but then the stack begins elsewhere.
 */
static bool has_other_memory(const struct pm_process *process, const struct pm_process_stat *stat)
{
	char byte;
	if (process->memory_anchor >= 0 && pm_pread(process->memory_anchor, &byte, 1, 0) == 0)
		return true;

	struct pm_process_stat memory;
	if (process->start_stack == 0 || !read_memory_stat(&process->procfs, stat, &memory))
		return false;
	if (memory.start_stack != 0)
		return memory.start_stack != process->start_stack;

	/* In the middle of an exec nothing has its place yet in the new memory. Neither has it
	 * where we may not know, or where it ends. */
	return memory.start_code != PM_UNKNOWN_CODE && !is_ending(&memory);
}

int pm_process_check(struct pm_process *process, struct pm_error *error)
{
	struct pm_process_stat stat;
	if (pm_process_stat_read(&process->procfs, "stat", &stat) < 0)
		return pm_process_lost(process, errno, error);
	if (stat.start_ticks != process->start_ticks)
		return gone(process, "exited, and its PID belongs to another process now", error);
	if (process->kernel_thread || process->was_dead)
		return 0;
	if (has_ended(&process->procfs, &stat))
		return gone(process, "exited", error);
	if (!has_other_memory(process, &stat))
		return 0;

	/* Or it was killed since we looked. */
	if (pm_process_stat_read(&process->procfs, "stat", &stat) < 0)
		return pm_process_lost(process, errno, error);

	return gone(process,
	            has_ended(&process->procfs, &stat) ? "exited"
	                                               : "called exec: the memory it had is gone",
	            error);
}

int pm_process_open_file(struct pm_process *process, const char *name, int flags, int *fd,
                         struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	int opened = is_memory_file(name) ? open_memory_file(procfs, name, flags)
	                                  : pm_procfs_open_file(procfs, name, flags);
	if (opened >= 0) {
		*fd = opened;
		return 0;
	}

	int cause = errno;
	struct pm_process_stat stat;
	if (cause == ENOENT && pm_process_stat_read(procfs, "stat", &stat) == 0) {
		pm_error_set(error, PM_ERROR_NOT_FOUND, cause, "%s/%d has no '%s'", procfs->root,
		             (int)procfs->pid, name);
		if (error)
			error->pid = procfs->pid;
		return -1;
	}

	if ((cause == ENOENT || cause == ESRCH) && pm_process_check(process, error) < 0)
		return -1;
	if (pm_errno_is_ours(cause))
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot open %s/%d/%s: %s",
		                    procfs->root, (int)procfs->pid, name, strerror(cause));

	char doing[128];
	snprintf(doing, sizeof doing, "read its %s", name);

	return pm_access_explain(procfs->root, procfs->pid, doing, cause, error);
}

int pm_process_read_command(struct pm_process *process, char **command, struct pm_error *error)
{
	int fd = -1;
	char *text;
	size_t length;

	if (pm_process_open_file(process, "cmdline", O_RDONLY, &fd, error) < 0)
		return -1;

	int result = pm_read_all(fd, PM_COMMAND_MAX, &text, &length, error);
	close(fd);
	if (result < 0)
		return -1;

	pm_command_join(text, length);
	*command = text;

	return 0;
}
