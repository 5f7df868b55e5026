/* SPDX-License-Identifier: MIT */
/** @file Runs the statements of lines and files. */
#ifndef CMD_SHELL_RUN_H
#define CMD_SHELL_RUN_H

#include "shell/session.h"

/**
 * Runs the lines of a file. Errors are reported.
 *
 * @param shell  the session
 * @param path   path of the file, "-" for standard input
 * @return       false as for shell_run_text()
 */
bool shell_run_file(struct shell *shell, const char *path);

/**
 * Runs all statements of a text. Errors are reported.
 *
 * @param shell  the session; its status becomes that of the last statement
 * @param text   the statements
 * @return       false if no further statements of the session or of the file that contains the text
 *               may run: after `quit`, or after an error in a script without -k
 */
bool shell_run_text(struct shell *shell, const char *text);

#endif
