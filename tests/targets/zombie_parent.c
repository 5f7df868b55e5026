/* SPDX-License-Identifier: MIT */
/* zombie_parent: keeps a zombie child. The command `reap` waits for it. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

static int command(const char *line)
{
	if (strcmp(line, "reap") != 0)
		return 1;
	target_check(waitpid(child, NULL, 0), "waitpid");
	return 0;
}

int main(void)
{
	target_begin();
	child = fork();
	target_check(child, "fork");
	if (child == 0)
		_exit(0);

	/* The child is a zombie as soon as waitid(2) can report its end; it is not reaped. */
	siginfo_t end;
	target_check(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), "waitid");
	printf("zombie %d\n", (int)child);
	target_ready();
	target_obey(command);
}
