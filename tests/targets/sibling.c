/* SPDX-License-Identifier: MIT */
/*
 * sibling: another process shares the memory of this one (CLONE_VM without CLONE_THREAD).
 */
#include "support.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SIZE = 1024 * 1024 };

/* Both processes have one errno, so this function only waits. */
static int sleep_on(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return 0;
}

int main(void)
{
	target_begin();

	char *stack = target_pages("content", SIZE);
	printf("sibling %d\n",
	       (int)target_check(clone(sleep_on, stack + SIZE, CLONE_VM | SIGCHLD, NULL), "clone"));
	target_ready();
	target_obey(NULL);
}
