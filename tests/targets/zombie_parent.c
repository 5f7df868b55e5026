/* SPDX-License-Identifier: MIT */
/* zombie_parent: keeps a child that has exited and is not waited for. Command `reap` waits for it.
 */
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

	/* It is a zombie as soon as its end can be waited for; it is not reaped. */
	siginfo_t end;
	target_check(waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT), "waitid");
	printf("zombie %d\n", (int)child);
	target_ready();
	target_obey(command);
}
