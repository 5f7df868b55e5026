/* SPDX-License-Identifier: MIT */
/** @file FILL target.c */
#ifndef CMD_SHELL_TARGET_H
#define CMD_SHELL_TARGET_H

#include "shell/shell.h"

/**
 * Looks at a target from now on, and says which.
 * @param shell the session
 * @param word TARGET
 * @param out where to
 * @return exit status
 */
enum status shell_target_attach(struct shell *shell, const char *word, struct out *out);

/** `attach`, `detach`, `stop`, `cont` and `info`. @see shell_builtin.run */
enum status shell_target_attach_run(struct shell *shell, struct out *out, int argc, char **argv);

/** @see shell_target_attach_run */
enum status shell_target_cont_run(struct shell *shell, struct out *out, int argc, char **argv);

/**
 * Looks at nothing any more; lets a stopped target run on.
 * @param shell the session
 */
void shell_target_detach(struct shell *shell);

/** @see shell_target_attach_run */
enum status shell_target_detach_run(struct shell *shell, struct out *out, int argc, char **argv);

/** @see shell_target_attach_run */
enum status shell_target_info_run(struct shell *shell, struct out *out, int argc, char **argv);

/**
 * Notices what became of the target, and says it: where it exited nothing is looked at any more,
 * where it called exec what it is now.
 *
 * @param shell   the session
 * @param notice  gets what there is to tell, a sentence; empty for nothing
 */
void shell_target_notice(struct shell *shell, struct text *notice);

/** @see shell_target_attach_run */
enum status shell_target_stop_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
