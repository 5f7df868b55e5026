/* SPDX-License-Identifier: MIT */
#include "base/poll_loop.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/interrupt.h"

/* Seconds between two looks that events of the kernel cause: they can come in thousands. */
static const double hastened_interval = 0.1;

void poll_loop_init(struct poll_loop *wait, double interval)
{
	*wait = (struct poll_loop){ .interval = interval,
		                    .due = clock_seconds() + interval,
		                    .interrupted = interrupt_hold() };
}

void poll_loop_deinit(struct poll_loop *wait)
{
	if (wait->interrupted)
		interrupt_release();
	free(wait->descriptors);
	*wait = (struct poll_loop){ 0 };
}

size_t poll_loop_add(struct poll_loop *wait, int fd, short events)
{
	wait->descriptors = alloc_array(wait->descriptors, wait->count + 1,
	                                sizeof *wait->descriptors);
	wait->descriptors[wait->count] = (struct pollfd){ .fd = fd, .events = events };
	return wait->count++;
}

void poll_loop_postpone(struct poll_loop *wait, double seconds)
{
	wait->due = clock_seconds() + seconds;
}

void poll_loop_hasten(struct poll_loop *wait)
{
	double at = clock_seconds();
	if (at < wait->looked + hastened_interval)
		at = wait->looked + hastened_interval;
	if (at < wait->due)
		wait->due = at;
}

bool poll_loop_wait(struct poll_loop *wait)
{
	/* Between a look at the flag and the wait a signal would be lost: it may come only within
	 * ppoll(2). */
	sigset_t caught, before;
	sigemptyset(&caught);
	interrupt_add_held(&caught);
	sigaddset(&caught, SIGTSTP);
	sigaddset(&caught, SIGWINCH);
	sigprocmask(SIG_BLOCK, &caught, &before);

	double left = wait->due - clock_seconds();
	struct timespec timeout = { .tv_sec = left > 0 ? (time_t)left : 0 };
	timeout.tv_nsec = left > 0 ? (long)((left - (double)timeout.tv_sec) * 1e9) : 0;

	int ready = *wait->interrupted
	                    ? -1
	                    : ppoll(wait->descriptors, (nfds_t)wait->count, &timeout, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);

	for (size_t i = 0; ready <= 0 && i < wait->count; i++)
		wait->descriptors[i].revents = 0;

	/* A descriptor that is always ready must not keep looks from being taken. */
	if (*wait->interrupted || clock_seconds() < wait->due)
		return false;

	wait->looked = clock_seconds();
	do
		wait->due += wait->interval;

	while (wait->due <= clock_seconds());

	return true;
}
