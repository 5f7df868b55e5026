/* SPDX-License-Identifier: MIT */
/** @file Commands of sh: those after `!`, and those after `|`. */
#ifndef CMD_SHELL_SYSTEM_H
#define CMD_SHELL_SYSTEM_H

#include <sys/types.h>

#include "shell/session.h"

/** The standard input of a command of sh, if it is not given as a descriptor. */
enum {
	SHELL_INPUT_SHARED = -1,  /**< the standard input of the session */
	SHELL_INPUT_NOTHING = -2, /**< /dev/null */
};

/**
 * Starts a command of sh.
 *
 * @param command  the command
 * @param input    descriptor of its standard input, or a SHELL_INPUT_ constant
 * @return         its PID; -1 if a failure was reported
 */
pid_t shell_system_start(char *command, int input);

/**
 * Waits until a command of sh exits.
 *
 * @param pid  its PID
 * @return     exit status of the command; STATUS_ERROR if this status is 2 or more, or if a signal
 *             killed the command
 */
enum status shell_system_await(pid_t pid);

/**
 * Runs the command after `!`.
 *
 * @param shell    the session
 * @param command  the command of sh
 * @return         its exit status, as from shell_system_await()
 */
enum status shell_system_run(const struct shell *shell, char *command);

#endif
