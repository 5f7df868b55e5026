/* SPDX-License-Identifier: MIT */
#include "proc/process_handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "proc/command.h"

static void read_name(const struct pm_procfs *procfs, struct pm_thread *thread)
{
	char path[64];
	snprintf(path, sizeof path, "task/%d/comm", (int)thread->tid);
	pm_comm_read(procfs, path, thread->name);
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

static void read_stack_pointer(const struct pm_procfs *procfs, struct pm_thread *thread)
{
	char path[64], *text;
	snprintf(path, sizeof path, "task/%d/syscall", (int)thread->tid);
	if (pm_procfs_read(procfs, path, &text, NULL) < 0)
		return;
	thread->stack_pointer = parse_stack_pointer(text);
	free(text);
}

int pm_process_read_threads(struct pm_process *process, unsigned details, struct pm_thread **threads, size_t *count, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	pid_t *tids;
	size_t found;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &found) < 0) {
		int cause = errno;
		if (cause == ENOMEM || cause == EMFILE || cause == ENFILE)
			return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot list the threads: %s", strerror(cause));
		return pm_process_check(process, error) < 0
		               ? -1
		               : pm_error_set(error, PM_ERROR_IO, cause, "cannot list the threads of process %d: %s", (int)procfs->pid, strerror(cause));
	}
	struct pm_thread *list = calloc(found ? found : 1, sizeof *list);
	if (!list) {
		free(tids);
		return pm_error_out_of_memory(error);
	}
	for (size_t i = 0; i < found; i++) {
		list[i].tid = tids[i];
		if (details & PM_THREAD_NAMES)
			read_name(procfs, &list[i]);
		if (details & PM_THREAD_STACK_POINTERS)
			read_stack_pointer(procfs, &list[i]);
	}
	free(tids);
	*threads = list;
	*count = found;
	return 0;
}
