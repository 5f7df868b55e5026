/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parses typed lines into statements and their words.
 *
 * Words are quoted as in sh(1), but nothing is expanded. '...' is literal. In "..." a backslash
 * quotes " and \ only; elsewhere it quotes any character. `;` and newlines end a statement. `|` is
 * followed by a command of sh, `>` and `>>` by a file. `!` at the start of a statement makes the
 * rest of the line a command of sh, including any `;`. `#` followed by a space, or `#` where a
 * command is expected, starts a comment.
 */
#ifndef CMD_SHELL_LINE_H
#define CMD_SHELL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/error.h>

/** Where the output of a statement goes. */
enum shell_output {
	SHELL_OUTPUT_HERE,   /**< to the output of the session */
	SHELL_OUTPUT_FILE,   /**< to a file, which is replaced */
	SHELL_OUTPUT_APPEND, /**< to the end of a file */
	SHELL_OUTPUT_PIPE,   /**< to a command of sh */
};

/** A statement. Release it with shell_line_statement_deinit(). */
struct shell_statement {
	char **words; /**< the words, followed by NULL; the array is NULL if there are no words;
	                 owned */
	/**
	 * For each word, whether its first character was quoted. A quoted "#3" is not the number of
	 * a result. Owned.
	 */
	bool *quoted;
	size_t count;             /**< number of words */
	enum shell_output output; /**< where its output goes */
	char *output_to; /**< the file or the command of sh; NULL for SHELL_OUTPUT_HERE; owned */
	char *system;    /**< the command of sh after `!`; NULL for other statements; owned */
};

/**
 * Parses the next statement.
 *
 * @param at         the text; advanced to the end of the statement
 * @param statement  filled if there is a statement
 * @param error      PM_ERROR_USAGE; the rest of the text is to be ignored then
 * @return           1 for a statement, 0 at the end, -1 on failure
 */
int shell_line_next(const char **at, struct shell_statement *statement, struct pm_error *error);

/**
 * Parses an incomplete line for completion. The result is its last statement, complete or not. The
 * last word is the one being typed, "" if it has not been started.
 *
 * @param line       the text up to the cursor
 * @param statement  filled
 */
void shell_line_read_partial(const char *line, struct shell_statement *statement);

/**
 * Releases a statement.
 * @param statement  the statement; empty afterwards
 */
void shell_line_statement_deinit(struct shell_statement *statement);

#endif
