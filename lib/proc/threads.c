/* SPDX-License-Identifier: MIT */
#include "proc/process_handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/number.h"
#include "proc/command.h"

/** Reads the name; that of a thread that just ended stays empty. @return 0, or -1 where we lack something ourselves */
static int read_name(const struct pm_procfs *procfs, struct pm_thread *thread)
{
	char path[64];
	snprintf(path, sizeof path, "task/%d/comm", (int)thread->tid);
	return pm_comm_read(procfs, path, thread->name) < 0 && pm_errno_is_ours(errno) ? -1 : 0;
}

/**
 * The last two words of task/TID/syscall are stack pointer and program counter in hexadecimal (proc_pid_syscall(5)); a thread on a
 * processor shows the word `running` instead.
 */
static uint64_t parse_stack_pointer(char *text)
{
	char *words[2] = { NULL, NULL };
	char *rest = NULL;
	for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		words[0] = words[1];
		words[1] = word;
	}
	uint64_t value;
	if (!words[0] || pm_parse_address(words[0], &value, NULL) < 0)
		return 0;
	return value;
}

/** Reads where its stack pointer is, as far as we may know. @return 0, or -1 where we lack something ourselves */
static int read_stack_pointer(const struct pm_procfs *procfs, struct pm_thread *thread)
{
	char path[64], *text;
	snprintf(path, sizeof path, "task/%d/syscall", (int)thread->tid);
	if (pm_procfs_read(procfs, path, &text, NULL) < 0)
		return pm_errno_is_ours(errno) ? -1 : 0;
	thread->stack_pointer = parse_stack_pointer(text);
	free(text);
	return 0;
}

/** Fills the details of one thread. @return 0, or -1 with errno set where we lack something ourselves */
static int read_details(const struct pm_procfs *procfs, unsigned details, struct pm_thread *thread)
{
	if (details & PM_THREAD_NAMES && read_name(procfs, thread) < 0)
		return -1;
	return details & PM_THREAD_STACK_POINTERS ? read_stack_pointer(procfs, thread) : 0;
}

int pm_process_read_threads(struct pm_process *process, unsigned details, struct pm_thread **threads, size_t *count, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	pid_t *tids;
	size_t found;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &found) < 0)
		return pm_process_lost(process, errno, error);
	struct pm_thread *list = calloc(found ? found : 1, sizeof *list);
	int result = list ? 0 : -1;
	for (size_t i = 0; result == 0 && i < found; i++) {
		list[i].tid = tids[i];
		result = read_details(procfs, details, &list[i]);
	}
	int cause = errno;
	free(tids);
	if (result < 0) {
		free(list);
		return pm_process_lost(process, cause, error);
	}
	*threads = list;
	*count = found;
	return 0;
}
