/* SPDX-License-Identifier: MIT */
/* undumpable: a process that denies access to other processes of its user, as ssh-agent does. */
#include "support.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	target_begin();
	target_check(prctl(PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE");
	printf("pid %d\n", (int)getpid());
	target_ready();
	target_obey(NULL);
}
