/* SPDX-License-Identifier: MIT */
#include "proc/threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/minmax.h"
#include "base/number.h"
#include "proc/command.h"
#include "proc/process.h"

/**
 * Reads the name of a thread. The name stays empty if the thread has ended.
 * @return 0, or -1 with errno set if this process lacks memory or descriptors
 */
static int read_name(const struct pm_procfs *procfs, struct pm_thread *thread)
{
	char path[64];
	snprintf(path, sizeof path, "task/%d/comm", (int)thread->tid);

	if (pm_comm_read(procfs, path, thread->name) < 0 && pm_errno_is_ours(errno))
		return -1;
	return 0;
}

/**
 * Parses a hexadecimal address.
 * @return the address; 0 if the word is not an address
 */
static uint64_t parse_word(const char *word)
{
	uint64_t value = 0;

	if (word)
		pm_parse_address(word, &value, NULL);
	return value;
}

int pm_thread_read_pointers(const struct pm_procfs *procfs, pid_t tid, uint64_t *stack_pointer,
                            uint64_t *program_counter)
{
	char path[64], *text;

	*stack_pointer = *program_counter = 0;
	snprintf(path, sizeof path, "task/%d/syscall", (int)tid);
	if (pm_procfs_read(procfs, path, &text, NULL) < 0)
		return -pm_errno_is_ours(errno);

	/* The last two words are the stack pointer and the program counter, in hexadecimal. For a
	 * running thread the file contains the single word `running`. */
	char *words[2] = { NULL, NULL }, *rest = NULL;
	for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		words[0] = words[1];
		words[1] = word;
	}

	if (words[0]) {
		*stack_pointer = parse_word(words[0]);
		*program_counter = parse_word(words[1]);
	}

	free(text);
	return 0;
}

/**
 * Fills the details of one thread.
 * @return 0, or -1 with errno set if this process lacks memory or descriptors
 */
static int read_details(const struct pm_procfs *procfs, unsigned details, struct pm_thread *thread)
{
	if (details & PM_THREAD_NAMES && read_name(procfs, thread) < 0)
		return -1;

	if (!(details & PM_THREAD_STACK_POINTERS))
		return 0;

	uint64_t program_counter;
	return pm_thread_read_pointers(procfs, thread->tid, &thread->stack_pointer,
	                               &program_counter);
}

int pm_process_read_threads(struct pm_process *process, unsigned details,
                            struct pm_thread **threads, size_t *count, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	pid_t *tids;
	size_t found;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &found) < 0)
		return pm_process_lost(process, errno, error);

	struct pm_thread *list = calloc(pm_max_size(found, 1), sizeof *list);
	int result = -(list == NULL);

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
