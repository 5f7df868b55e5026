/* SPDX-License-Identifier: MIT */
/*
 * Opens processes and reads their files in /proc. At any time a process may end, call exec or lose
 * its first thread. So every file about the memory is opened through a thread that still has
 * memory (memory_file.h), and a result is valid only if pm_process_check() succeeds afterwards.
 */
#include "proc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/minmax.h"
#include "base/number.h"
#include "proc/access.h"
#include "proc/command.h"
#include "proc/memory_file.h"
#include "proc/process_stat.h"
#include "proc/status.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

pid_t pm_process_memory_thread(const struct pm_process *process)
{
	return pm_memory_file_thread(&process->procfs);
}

/**
 * Tests whether the whole process is a zombie: it has ended, but its parent has not waited for it.
 */
static bool is_zombie(const struct pm_process_stat *stat)
{
	return pm_state_is_dead(stat->state) && !pm_process_stat_leader_gone(stat);
}

/**
 * Tests whether no thread of the process is alive. A thread count above 1 does not prove that a
 * thread is alive: the count includes zombies of traced threads until their tracer, which may be
 * this process, waits for them.
 * @param stat  the stat of the process; receives newer values if stat is read again
 */
static bool has_ended(const struct pm_procfs *procfs, struct pm_process_stat *stat)
{
	/* Repeat the test, since the list of threads may lack a thread that was created
	 * concurrently, or that called exec and thereby received the PID as its thread ID. */
	for (int pass = 0; pass < 3; pass++) {
		if (pass > 0 && pm_process_stat_read(procfs, "stat", stat) < 0)
			return errno == ENOENT || errno == ESRCH;
		if (!pm_process_stat_is_ending(stat))
			return false;
		if (stat->threads <= 1)
			return true;
		if (pm_memory_file_living_thread(procfs) != procfs->pid)
			return false;
	}

	return true;
}

/**
 * Finds the process of a thread.
 * @param procfs  the directory of the thread, or of the process itself
 * @return        the PID of the process; `procfs->pid` if status does not contain the PID or cannot
 *                be read
 */
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
 * Returns the stat of a thread that still has memory. The stat file of a dead leader contains no
 * addresses.
 *
 * @param stat    the stat of the leader; if the leader is alive, this is the result
 * @param memory  receives the stat of the leader or of another living thread
 * @return        false if the stat of the thread cannot be read
 */
static bool read_memory_stat(const struct pm_procfs *procfs, const struct pm_process_stat *stat,
                             struct pm_process_stat *memory)
{
	char name[64];
	*memory = *stat;
	if (!pm_process_stat_leader_gone(stat))
		return true;

	snprintf(name, sizeof name, "task/%d/stat", (int)pm_memory_file_thread(procfs));
	return pm_process_stat_read(procfs, name, memory) == 0;
}

static int open_failed(const char *root, pid_t pid, int cause, struct pm_error *error)
{
	/* Report a process that has just ended in the same way as a process that never existed. */
	if (cause == ESRCH)
		cause = ENOENT;
	return pm_access_explain(root, pid, "inspect", cause, error);
}

/**
 * Opens the directory of a process in /proc.
 * @param pid  the process, or one of its threads; receives the PID of the process
 */
static int open_directory(const char *root, pid_t *pid, struct pm_procfs *procfs,
                          struct pm_error *error)
{
	if (pm_procfs_open(procfs, root, *pid) < 0)
		return open_failed(root, *pid, errno, error);

	pid_t group = thread_group(procfs);
	if (group == *pid)
		return 0;

	pm_procfs_close(procfs);
	*pid = group;
	if (pm_procfs_open(procfs, root, group) < 0)
		return open_failed(root, group, errno, error);

	return 0;
}

int pm_process_open(const char *proc_root, pid_t pid, struct pm_process **process,
                    struct pm_error *error)
{
	const char *root = proc_root ? proc_root : "/proc";
	struct pm_procfs procfs;
	if (open_directory(root, &pid, &procfs, error) < 0)
		return -1;

	struct pm_process *opened = calloc(1, sizeof *opened);
	if (!opened) {
		pm_procfs_close(&procfs);
		return pm_error_out_of_memory(error);
	}

	pm_path_cache_init(&opened->own_groups);

	/* Open the anchor before the stat file is read, so that an exec after the anchor was opened
	 * is detected. */
	opened->memory_anchor = pm_memory_file_open(&procfs, "maps", O_RDONLY);
	opened->procfs = procfs;
	opened->pidfd = -1;
	if (pm_procfs_is_live(&procfs))
		opened->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	struct pm_process_stat stat, memory;
	if (pm_process_stat_read(&procfs, "stat", &stat) < 0) {
		int cause = errno;
		pm_process_close(opened);
		return open_failed(root, pid, cause, error);
	}

	opened->start_ticks = stat.start_ticks;
	/* In the middle of an exec, start_code is 0, and the start of the stack changes once more.
	 */
	if (read_memory_stat(&procfs, &stat, &memory) && memory.start_code != 0)
		opened->start_stack = memory.start_stack;
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
	pm_path_cache_deinit(&process->own_groups);
	free(process);
}

pid_t pm_process_pid(const struct pm_process *process)
{
	return process->procfs.pid;
}

bool pm_process_pid_is_ours(const struct pm_process *process)
{
	char path[PATH_MAX], target[32];
	int length = snprintf(path, sizeof path, "%s/self", process->procfs.root);
	if (length < 0 || (size_t)length >= sizeof path)
		return false;

	ssize_t got = readlink(path, target, sizeof target - 1);
	if (got <= 0)
		return false;

	target[got] = '\0';
	return strtol(target, NULL, 10) == getpid();
}

uint64_t pm_process_start_ticks(const struct pm_process *process)
{
	return process->start_ticks;
}

int pm_process_poll_fd(const struct pm_process *process)
{
	return process->pidfd;
}

const char *pm_process_root(const struct pm_process *process)
{
	return process->procfs.root;
}

/**
 * Fills an error about a process that is gone, or has other memory now.
 * @param cause  pm_error.os_errno; see pm_process_check()
 * @param what   what the process did
 * @return       -1
 */
static int gone(const struct pm_process *process, int cause, const char *what,
                struct pm_error *error)
{
	pm_error_set(error, PM_ERROR_GONE, cause, "process %d %s", (int)process->procfs.pid, what);
	if (error)
		error->pid = process->procfs.pid;
	return -1;
}

int pm_process_lost(const struct pm_process *process, int cause, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;

	if (cause == ENOENT || cause == ESRCH)
		return gone(process, ESRCH, "exited", error);

	if (cause == EPROTO)
		pm_error_set(error, PM_ERROR_FORMAT, 0,
		             "%s/%d/stat does not have the format of proc_pid_stat(5)",
		             procfs->root, (int)procfs->pid);
	else if (cause == EACCES || cause == EPERM)
		pm_access_explain(procfs->root, procfs->pid, "inspect", cause, error);
	else
		pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot inspect process %d: %s",
		             (int)procfs->pid, strerror(cause));

	if (error)
		error->pid = procfs->pid;

	return -1;
}

/**
 * Tests whether the process called exec since it was opened. If the anchor reads as empty, the old
 * address space is gone. There are two cases in which the anchor does not read as empty after an
 * exec: the parent shares the old address space (vfork(2)) and still uses it, or the thread through
 * which the anchor was opened has ended. In these cases, the exec is detected by the start of the
 * stack, which is different after an exec.
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

	/* The start of the stack is 0 if the process is ending, if this process lacks ptrace access
	 * (start_code is then PM_UNKNOWN_CODE), or if the process is in the middle of an exec. */
	return memory.start_code != PM_UNKNOWN_CODE && !pm_process_stat_is_ending(&memory);
}

int pm_process_check(struct pm_process *process, struct pm_error *error)
{
	struct pm_process_stat stat;
	if (pm_process_stat_read(&process->procfs, "stat", &stat) < 0)
		return pm_process_lost(process, errno, error);
	if (stat.start_ticks != process->start_ticks)
		return gone(process, ESRCH, "exited, and its PID belongs to another process now",
		            error);
	if (process->kernel_thread || process->was_dead)
		return 0;
	if (has_ended(&process->procfs, &stat))
		return gone(process, ESRCH, "exited", error);
	if (!has_other_memory(process, &stat))
		return 0;

	/* The process may have been killed since the first test. */
	if (pm_process_stat_read(&process->procfs, "stat", &stat) < 0)
		return pm_process_lost(process, errno, error);
	if (has_ended(&process->procfs, &stat))
		return gone(process, ESRCH, "exited", error);

	return gone(process, ESTALE, "called exec: the memory it had is gone", error);
}

int pm_process_open_file(struct pm_process *process, const char *name, int flags, int *fd,
                         struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	int opened;

	if (pm_memory_file_is(name))
		opened = pm_memory_file_open(procfs, name, flags);
	else
		opened = pm_procfs_open_file(procfs, name, flags);
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

	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	const char *action = writes ? "write to" : "read";
	char doing[128];
	snprintf(doing, sizeof doing, "%s the %s of", action, name);

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

static uint64_t status_bytes(const char *status, const char *key)
{
	return pm_status_number(status, key, 0) * 1024;
}

/**
 * Reads the time since boot from `uptime`.
 * @param root  directory to use as /proc
 * @return      milliseconds; 0 if the file is missing or cannot be parsed
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
 * Fills the fields that come from a status file.
 * @param status  text of the status file of the leader, or of a living thread if the leader is
 *                dead, since the status file of a dead leader has no sizes
 * @param info    receives the fields
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
	info->vm_pinned = status_bytes(status, "VmPin");
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

	uint64_t now = boot_uptime_ms(process->procfs.root), started = 0;
	long ticks = sysconf(_SC_CLK_TCK);
	if (ticks > 0)
		started = stat->start_ticks * 1000 / (uint64_t)ticks;
	info->uptime_ms = now - pm_min(now, started);
}

/**
 * Fills the fields that come from the files of a thread that still has memory.
 *
 * @param stat_name    path of the stat file of the thread, below the directory of the process
 * @param status_name  path of the status file of the thread, below the directory of the process
 * @return             0, or -1 with errno set
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
 * Calls read_memory_facts() for a living thread of a process whose first thread is dead.
 * @return 0, or -1 with errno set
 */
static int read_living_thread(const struct pm_process *process, struct pm_process_info *info)
{
	for (int tries = 0;; tries++) {
		char stat[64], status[64];
		pid_t tid = pm_process_memory_thread(process);
		snprintf(stat, sizeof stat, "task/%d/stat", (int)tid);
		snprintf(status, sizeof status, "task/%d/status", (int)tid);

		/* If this thread has ended by now, try another thread. */
		int result = read_memory_facts(&process->procfs, stat, status, info);
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

	int result;
	if (found.leader_gone)
		result = read_living_thread(process, &found);
	else
		result = read_memory_facts(procfs, "stat", "status", &found);
	if (result < 0)
		return pm_process_lost(process, errno, error);

	*info = found;
	return 0;
}
