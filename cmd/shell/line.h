/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What a typed line means: statements, their words, and where their output goes.
 *
 * Words are made as in sh(1), but nothing is expanded: '...' is taken as it is, in "..." a
 * backslash stands before " and \ only, elsewhere before anything. `;` and newlines end a
 * statement, `|` begins a command of sh, `>` and `>>` a file, `!` at the begin of a statement makes
 * the rest of the line a command of sh, `;` and all. `#` and a blank, or `#` in place of a command,
 * begin a comment.
 */
#ifndef CMD_SHELL_LINE_H
#define CMD_SHELL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

/** Where the output of a statement goes. */
enum shell_output {
	SHELL_OUTPUT_HERE,   /**< where that of the session goes */
	SHELL_OUTPUT_FILE,   /**< to a file, which it replaces */
	SHELL_OUTPUT_APPEND, /**< to the end of a file */
	SHELL_OUTPUT_PIPE,   /**< to a command of sh */
};

/** A statement. Release with shell_line_statement_deinit(). */
struct shell_statement {
	char **words; /**< the words, with a NULL behind them; NULL where there is none */
	bool *quoted; /**< for each: its first character was quoted, so it names no result */
	size_t count; /**< how many */
	enum shell_output output; /**< where its output goes */
	char *output_to;          /**< the file or command, NULL for SHELL_OUTPUT_HERE */
	char *system;             /**< all of it is this command of sh; NULL: it is not */
};

/**
 * Reads the next statement.
 *
 * @param at         where to read; moved behind the statement
 * @param statement  filled where there is one
 * @param error      PM_ERROR_USAGE: a quote that does not end, a sign that has no meaning here; the
 * rest of the line is of no use then
 * @return           1: a statement; 0: there is none left; -1: an error
 */
int shell_line_next(const char **at, struct shell_statement *statement, struct pm_error *error);

/**
 * Reads the begin of a line for completion: its last statement, however it ends. The last word is
 * the one that is being typed, "" for one that has not begun.
 *
 * @param line       the text up to the cursor
 * @param statement  filled
 */
void shell_line_read_begin(const char *line, struct shell_statement *statement);

/**
 * Releases a statement; it is empty afterwards.
 * @param statement the statement
 */
void shell_line_statement_deinit(struct shell_statement *statement);

#endif
