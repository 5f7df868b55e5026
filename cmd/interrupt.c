/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <stddef.h>

/* The one thing that a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void handle(int number)
{
	(void)number;
	interrupted = 1;
}

const volatile sig_atomic_t *interrupt_catch(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = handle, .sa_flags = (int)SA_RESETHAND };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction before;
		/* What was ignored by whoever started us (nohup) stays so. */
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
	/* A limit on the size of files is an error of write(2), after which there is something to clean up. */
	signal(SIGXFSZ, SIG_IGN);
	return &interrupted;
}
