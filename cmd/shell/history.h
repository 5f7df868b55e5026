/* SPDX-License-Identifier: MIT */
/**
 * @file The history of typed lines. It is stored in $XDG_STATE_HOME/procmem/history, which only the
 * owner can read, because users search for secrets.
 */
#ifndef CMD_SHELL_HISTORY_H
#define CMD_SHELL_HISTORY_H

#include "shell/session.h"

/** Reads the lines of earlier sessions. If they cannot be read, the history is empty. */
void shell_history_start(void);

/**
 * Adds a line to the history and to the file. A line that is empty, starts with a space or is equal
 * to the previous one is not added.
 *
 * @param line  the line; copied
 */
void shell_history_add(const char *line);

/** Truncates the file to the newest 1000 lines, and releases the history. */
void shell_history_end(void);

/** Runs `history`. @see shell_builtin.run */
enum status shell_history_run(struct shell *shell, struct out *out, int argc, char **argv);

#endif
