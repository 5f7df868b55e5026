/* SPDX-License-Identifier: MIT */
/** @file The target of a session, and the builtin commands that change or describe it. */
#ifndef CMD_SHELL_TARGET_H
#define CMD_SHELL_TARGET_H

#include "shell/session.h"

/**
 * Makes a process or file the target of a session, and prints a line about this target. Failures
 * are reported.
 *
 * @param shell  the session
 * @param word   the TARGET
 * @param out    receives one line about the target; NULL to print nothing
 * @return       exit status
 */
enum status shell_target_attach(struct shell *shell, const char *word, struct out *out);

/**
 * Releases the target. A stopped process continues.
 * @param shell  the session
 */
void shell_target_detach(struct shell *shell);

/**
 * Checks whether the target has exited or called exec. After an exit the session has no target.
 * After an exec the target is the process with its new program.
 *
 * @param shell   the session
 * @param notice  receives a sentence for the user; receives nothing if the target has neither
 *                exited nor called exec
 */
void shell_target_notice(struct shell *shell, struct text *notice);

/** Runs `attach`. @see shell_builtin.run */
enum status shell_target_attach_run(struct shell *shell, struct out *out, int argc, char **argv);

/** Runs `detach`. @see shell_builtin.run */
enum status shell_target_detach_run(struct shell *shell, struct out *out, int argc, char **argv);

/** Runs `stop`. @see shell_builtin.run */
enum status shell_target_stop_run(struct shell *shell, struct out *out, int argc, char **argv);

/** Runs `cont`. @see shell_builtin.run */
enum status shell_target_cont_run(struct shell *shell, struct out *out, int argc, char **argv);

/** Runs `info`. @see shell_builtin.run */
enum status shell_target_info_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
