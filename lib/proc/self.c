/* SPDX-License-Identifier: MIT */
#include "proc/self.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/command.h"
#include "proc/process_handle.h"
#include "proc/process_stat.h"

/* Maximum number of ancestors that are examined. The search would not end if a PID was reused
 * during the search and the ancestors therefore seem to form a loop. */
enum { ANCESTORS_MAX = 256 };

/**
 * Tests whether a byte next to the name of a program is part of a longer name, as in "procmem.c",
 * "procmem-0.1" and "myprocmem".
 */
static bool is_part_of_name(char byte)
{
	unsigned char letter = (unsigned char)byte;
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' ||
	       letter == '.' || letter >= 0x80;
}

bool pm_command_names(const char *command, size_t length, const char *program)
{
	size_t size = strlen(program);
	const char *end = command + length;

	if (size == 0)
		return false;

	for (const char *at = command; (at = memmem(at, (size_t)(end - at), program, size)); at++) {
		const char *after = at + size;
		bool begins = at == command || !is_part_of_name(at[-1]);
		/* A directory with the name of the program, as in /src/procmem/check.sh, does not
		 * count. */
		bool ends = after == end || (!is_part_of_name(*after) && *after != '/');

		if (begins && ends)
			return true;
	}

	return false;
}

/**
 * Adds an ancestor of this process if the command line of the ancestor contains the name of our
 * program.
 * @return the PID of the parent of the ancestor; 0 if there is no parent, or if it is unknown
 */
static pid_t add_ancestor(struct pm_self *own, pid_t pid)
{
	struct pm_procfs procfs;
	struct pm_process_stat stat = { 0 };
	char *command;
	size_t length;

	if (pm_procfs_open(&procfs, "/proc", pid) < 0)
		return 0;

	if (pm_process_stat_read(&procfs, "stat", &stat) == 0 &&
	    pm_command_read(&procfs, &command, &length) == 0) {
		if (own->count < PM_SELF_MAX &&
		    pm_command_names(command, length, program_invocation_short_name))
			own->pids[own->count++] = pid;
		free(command);
	}

	pm_procfs_close(&procfs);
	return (pid_t)stat.parent;
}

void pm_self_read(struct pm_self *own)
{
	pid_t pid = getppid();
	*own = (struct pm_self){ .pids = { getpid() }, .count = 1 };
	for (int generation = 0; pid > 0 && generation < ANCESTORS_MAX; generation++)
		pid = add_ancestor(own, pid);
}

bool pm_self_has(const struct pm_self *own, pid_t pid)
{
	for (size_t i = 0; i < own->count; i++)
		if (own->pids[i] == pid)
			return true;
	return false;
}
