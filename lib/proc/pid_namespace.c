/* SPDX-License-Identifier: MIT */
#include "proc/pid_namespace.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
