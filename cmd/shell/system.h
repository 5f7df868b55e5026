/* SPDX-License-Identifier: MIT */
/** @file FILL system.c */
#ifndef CMD_SHELL_SYSTEM_H
#define CMD_SHELL_SYSTEM_H

#include "shell/shell.h"

/**
 * Waits for the end of a command of sh.
 * @param pid its PID
 * @return its exit status as that of a command
 */
enum status shell_system_await(pid_t pid);

/**
 * `!`.
 * @param shell the session
 * @param command what sh is to run
 * @return exit status
 */
enum status shell_system_run(const struct shell *shell, char *command);

/**
 * Starts a command of sh.
 * @param command it
 * @param input its standard input, or a SHELL_INPUT_
 * @return its PID, -1: it was reported
 */
pid_t shell_system_start(char *command, int input);

#endif
