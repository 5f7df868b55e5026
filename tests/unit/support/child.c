/* SPDX-License-Identifier: MIT */
#include "support/child.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

pid_t child_start(const char *comm, char *const *arguments)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);

	pid_t parent = getpid(), child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || prctl(PR_SET_NAME, comm) < 0)
			_exit(1);
		if (arguments)
			execv(arguments[0], arguments + 1);
		if (!arguments && write(ends[1], "r", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}

	/* The exec closes the pipe: this shows that the program runs. */
	char ready;
	close(ends[1]);
	assert_int_equal(read(ends[0], &ready, 1), arguments ? 0 : 1);
	close(ends[0]);

	return child;
}

void child_stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
