/* SPDX-License-Identifier: MIT */
/** @file A command that is started to be traced. Private. */
#ifndef PM_TRACE_COMMAND_H
#define PM_TRACE_COMMAND_H

#include <sys/types.h>

#include <procmem/error.h>

/** A child process that waits before its exec, or runs the command. None if zeroed. */
struct pm_trace_command {
	pid_t pid;  /**< its PID; 0 if there is none, or after it was reaped */
	int socket; /**< to the child; -1 after the exec */
};

/**
 * Starts a child process that waits.
 *
 * @param command    filled
 * @param arguments  the command and its arguments, terminated by NULL
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
int pm_trace_command_fork(struct pm_trace_command *command, char *const *arguments,
                          struct pm_error *error);

/**
 * Permits another process to trace the child: Yama permits only ancestors.
 * @param command  a child that waits
 * @param tracer   PID of the other process
 * @param error    PM_ERROR_GONE
 * @return         0, also if the kernel has no Yama; -1 if the child has ended
 */
int pm_trace_command_permit(const struct pm_trace_command *command, pid_t tracer,
                            struct pm_error *error);

/**
 * Lets the child call exec, and waits for it.
 *
 * @param command  a child that waits
 * @param name     the command, for messages
 * @param error    PM_ERROR_NOT_FOUND, PM_ERROR_ACCESS, PM_ERROR_IO
 * @return         0 if the command runs, or the child was killed; -1 if the exec has failed
 */
int pm_trace_command_exec(struct pm_trace_command *command, const char *name,
                          struct pm_error *error);

/**
 * Ends a child that waits, and reaps it. No effect if there is none.
 * @param command  empty afterwards
 */
void pm_trace_command_cancel(struct pm_trace_command *command);

/**
 * Reaps the command if it has exited.
 * @param command  empty afterwards if it has exited
 */
void pm_trace_command_reap(struct pm_trace_command *command);

#endif
