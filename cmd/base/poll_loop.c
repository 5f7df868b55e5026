/* SPDX-License-Identifier: MIT */
/*
 * The wait between two samples, in ppoll(2). Signals are blocked except during ppoll(2), so that no
 * signal is missed between the check of the flag and the wait.
 */
#include "base/poll_loop.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/interrupt.h"

/* Minimum time in seconds between two samples that are caused by kernel events. Without this limit,
 * thousands of events could cause thousands of samples. */
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

	if (at < wait->last_due + hastened_interval)
		at = wait->last_due + hastened_interval;
	if (at < wait->due)
		wait->due = at;
}

/** Converts seconds to a timeout. A negative number becomes 0. */
static struct timespec timeout_of(double seconds)
{
	struct timespec timeout = { 0 };

	if (seconds > 0) {
		timeout.tv_sec = (time_t)seconds;
		timeout.tv_nsec = (long)((seconds - (double)timeout.tv_sec) * 1e9);
	}
	return timeout;
}

/**
 * Waits for a descriptor, a signal or the time of the next sample, whichever comes first. If no
 * descriptor is ready, sets `revents` of all descriptors to 0.
 */
static void wait_once(struct poll_loop *wait)
{
	sigset_t caught, before;
	int ready = -1;

	sigemptyset(&caught);
	interrupt_add_held(&caught);
	sigaddset(&caught, SIGTSTP);
	sigaddset(&caught, SIGWINCH);
	sigprocmask(SIG_BLOCK, &caught, &before);

	struct timespec timeout = timeout_of(wait->due - clock_seconds());

	if (!*wait->interrupted)
		ready = ppoll(wait->descriptors, (nfds_t)wait->count, &timeout, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);

	for (size_t i = 0; ready <= 0 && i < wait->count; i++)
		wait->descriptors[i].revents = 0;
}

bool poll_loop_wait(struct poll_loop *wait)
{
	wait_once(wait);

	/* Return true when the sample is due, even if a descriptor is ready: a descriptor that
	 * is always ready must not delay samples. */
	if (*wait->interrupted || clock_seconds() < wait->due)
		return false;

	wait->last_due = clock_seconds();
	do {
		wait->due += wait->interval;
	} while (wait->due <= clock_seconds());

	return true;
}

bool poll_loop_await(struct poll_loop *wait)
{
	while (!*wait->interrupted)
		if (poll_loop_wait(wait))
			return true;
	return false;
}
