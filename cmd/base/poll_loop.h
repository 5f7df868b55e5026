/* SPDX-License-Identifier: MIT */
/**
 * @file Waiting for whatever comes first: the time of the next look, a descriptor (keys, events of
 * the kernel), or a signal.
 */
#ifndef CMD_BASE_POLL_LOOP_H
#define CMD_BASE_POLL_LOOP_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** What is waited for. */
struct poll_loop {
	double interval; /**< seconds from one look to the next */
	double due;      /**< when the next one is due, by CLOCK_MONOTONIC */
	struct pollfd
		*descriptors; /**< after poll_loop_wait() `revents` tell what happened there */
	size_t count;         /**< how many */
	double looked;        /**< when the last one was due */
	const volatile sig_atomic_t
		*interrupted; /**< not 0: the user has seen enough, see interrupt_hold() */
};

/**
 * Starts: the first look is an interval away, and signals are caught.
 * @param wait filled @param interval seconds between two looks
 */
void poll_loop_init(struct poll_loop *wait, double interval);

/**
 * Releases it; signals do what they did before, and the descriptors stay the caller's.
 * @param wait as filled, or zeroed
 */
void poll_loop_deinit(struct poll_loop *wait);

/**
 * Waits for a descriptor as well.
 *
 * @param wait    what is waited for
 * @param fd      the descriptor
 * @param events  as for poll(2)
 * @return        its index in `descriptors`, which stays the same; an fd of -1 put there is not
 * waited for
 */
size_t poll_loop_add(struct poll_loop *wait, int fd, short events);

/**
 * Lets the next look come after so many seconds.
 * @param wait what is waited for
 * @param seconds 0 or more
 */
void poll_loop_postpone(struct poll_loop *wait, double seconds);

/**
 * Lets the next look come at once, or where one just was, a tenth of a second after that. @param
 * wait what is waited for
 */
void poll_loop_hasten(struct poll_loop *wait);

/**
 * Waits. Late looks are left out, not made up for. With SIGTSTP and SIGWINCH caught it also returns
 * for these.
 *
 * @param wait  what is waited for
 * @return      true: the next look is due; false: a descriptor is ready or a signal came
 */
bool poll_loop_wait(struct poll_loop *wait);

#endif
