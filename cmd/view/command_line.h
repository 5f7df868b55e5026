/* SPDX-License-Identifier: MIT */
/** @file Command lines of processes, shortened to a number of terminal columns. */
#ifndef CMD_VIEW_COMMAND_LINE_H
#define CMD_VIEW_COMMAND_LINE_H

#include <stddef.h>

#include "base/text.h"

/** Minimum number of columns that command_line_put() needs. */
enum { COMMAND_LINE_MIN = 8 };

/**
 * Adds a command line, escaped. If the command line is too long, the middle is replaced by `…`. The
 * program and the script of an interpreter are kept: `java … -jar shop.jar --port 80`.
 *
 * @param line     receives the text
 * @param command  arguments with a space between them, as pm_process_read_command() returns them
 * @param columns  maximum number of terminal columns, at least COMMAND_LINE_MIN
 */
void command_line_put(struct text *line, const char *command, size_t columns);

#endif
