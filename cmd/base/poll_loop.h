/* SPDX-License-Identifier: MIT */
/**
 * @file Waits for the time of the next sample, a descriptor (keys, events of the kernel), or a
 * signal, whichever comes first.
 */
#ifndef CMD_BASE_POLL_LOOP_H
#define CMD_BASE_POLL_LOOP_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** The state of the loop. */
struct poll_loop {
	double interval;            /**< seconds between two samples */
	double due;                 /**< time of the next sample, by CLOCK_MONOTONIC */
	struct pollfd *descriptors; /**< descriptors to wait for; poll_loop_wait() stores in
	                               `revents` which of them are ready; owned */
	size_t count;               /**< number of descriptors */
	double last_due; /**< time when poll_loop_wait() last returned true, by CLOCK_MONOTONIC */
	const volatile sig_atomic_t *interrupted; /**< flag of interrupt_hold(); not 0 if the user
	                                             has ended the command */
};

/**
 * Starts the loop, and catches the signals of interrupt_hold(). The first sample is due after one
 * interval.
 *
 * @param wait      filled; release it with poll_loop_deinit()
 * @param interval  seconds between two samples
 */
void poll_loop_init(struct poll_loop *wait, double interval);

/**
 * Releases the loop and restores the actions of signals. The descriptors remain open.
 * @param wait  the loop, or zeroed
 */
void poll_loop_deinit(struct poll_loop *wait);

/**
 * Adds a descriptor to wait for.
 *
 * @param wait    the loop
 * @param fd      the descriptor; owned by the caller
 * @param events  events to wait for, as in struct pollfd of poll(2)
 * @return        index of the descriptor in `descriptors`, which never changes. To stop waiting for
 *                the descriptor, set `fd` of this item to -1
 */
size_t poll_loop_add(struct poll_loop *wait, int fd, short events);

/**
 * Sets the time of the next sample.
 *
 * @param wait     the loop
 * @param seconds  time from now until the next sample, at least 0
 */
void poll_loop_postpone(struct poll_loop *wait, double seconds);

/**
 * Makes the next sample due now, but not earlier than a tenth of a second after the last one.
 * @param wait  the loop
 */
void poll_loop_hasten(struct poll_loop *wait);

/**
 * Waits until the next sample is due, a descriptor is ready or a signal arrives. Samples that could
 * not be taken in time are skipped. SIGTSTP and SIGWINCH also end the wait if the program catches
 * these signals.
 *
 * @param wait  the loop
 * @return      true if the next sample is due, even if a descriptor is ready; false if the sample
 *              is not due yet, or if the user has ended the command
 */
bool poll_loop_wait(struct poll_loop *wait);

/**
 * Waits until the next sample is due, also if a descriptor is ready before.
 * @param wait  the loop
 * @return      false if the user has ended the command
 */
bool poll_loop_await(struct poll_loop *wait);

#endif
