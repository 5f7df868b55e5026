/* SPDX-License-Identifier: MIT */
/** @file FILL run.c */
#ifndef CMD_SHELL_RUN_H
#define CMD_SHELL_RUN_H

#include "shell/shell.h"

/**
 * Runs the lines of a file.
 * @param shell the session
 * @param path its name, "-" for standard input
 * @return false as shell_run_text()
 */
bool shell_run_file(struct shell *shell, const char *path);

/**
 * Runs all statements of a text. Errors are reported.
 *
 * @param shell  the session; its status is that of the last one
 * @param text   the statements
 * @return       false where the session, or the file that the text is from, is to end: by `quit`,
 * or an error without -k in a batch
 */
bool shell_run_text(struct shell *shell, const char *text);

#endif
