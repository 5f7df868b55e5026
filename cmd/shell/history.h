/* SPDX-License-Identifier: MIT */
/**
 * @file The lines of former sessions: $XDG_STATE_HOME/procmem/history, which nobody else may read,
 * since people search for secrets.
 */
#ifndef CMD_SHELL_HISTORY_H
#define CMD_SHELL_HISTORY_H

/**
 * Reads the lines of former sessions. Without a place for them, or where it cannot be read, there
 * are none.
 */
void shell_history_start(void);

/**
 * Keeps a line, in memory and in the file at once; not one that is empty, begins with a blank, or
 * is the same as the last.
 *
 * @param line  it
 */
void shell_history_add(const char *line);

/** Shortens the file to the newest lines, and releases what is kept. */
void shell_history_end(void);

#endif
