/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The child process that reads the files of the target: it unwinds stacks and finds names. Private.
 */
#ifndef PM_STACK_CHILD_H
#define PM_STACK_CHILD_H

#include <sys/types.h>

#include <procmem/error.h>

#include "stack/protocol.h"

/**
 * Starts the child. It ends when the other end of the socket is closed.
 * @param area   the shared memory
 * @param socket receives the socket of the parent; the caller closes it
 * @param pid    receives the PID; the caller waits for its end
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_stack_child_start(struct pm_stack_area *area, int *socket, pid_t *pid,
                         struct pm_error *error);

#endif
