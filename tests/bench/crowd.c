/* SPDX-License-Identifier: MIT */
/* crowd N: N processes that only wait, as children of this process. */
#include "../targets/support.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	target_begin();
	if (argc != 2)
		return 2;

	for (uint64_t left = target_number(argv[1]); left > 0; left--) {
		if (target_check(fork(), "fork") != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}

	target_ready();
	for (;;)
		pause();
}
