/* SPDX-License-Identifier: MIT */
/** @file Giving up the privileges of the child process. Private. */
#ifndef PM_STACK_CHILD_SANDBOX_H
#define PM_STACK_CHILD_SANDBOX_H

#include <stdbool.h>
#include <time.h>

/** The only descriptor that the child keeps: its socket. */
enum { PM_STACK_CHILD_SOCKET = 0 };

/**
 * Gives up what the calling process does not need: descriptors except the socket, capabilities,
 * most system calls, memory without limit, core dumps. Signals are blocked.
 * @param socket  becomes PM_STACK_CHILD_SOCKET
 * @return        false if the kernel refused something
 */
bool pm_stack_child_sandbox(int socket);

/**
 * Creates a timer that kills the calling process. It is not running.
 * @param timer  receives the timer
 * @return       whether it was created
 */
bool pm_stack_child_timer(timer_t *timer);

/**
 * Starts or stops a timer.
 * @param timer    the timer
 * @param seconds  the time until it kills the process; 0: it is stopped
 */
void pm_stack_child_timer_set(timer_t timer, unsigned seconds);

#endif
