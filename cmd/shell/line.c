/* SPDX-License-Identifier: MIT */
#include "shell/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/** A text being parsed. */
struct reading {
	const char *at;
	bool partial; /* the text ends at the cursor: an incomplete statement is not an error */
	struct text word;
	struct pm_error *error;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/** Checks whether a character ends a statement. */
static bool is_end(char c)
{
	return c == '\0' || c == '\n' || c == ';';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/**
 * Checks whether a text starts with a comment. A comment starts with '#' and a space or the end of
 * the line. Where a command is expected, any '#' starts a comment, except in the number of a result
 * (#3, #r2).
 *
 * @param first  whether a command is expected
 */
static bool is_comment(const char *at, bool first)
{
	if (at[0] != '#')
		return false;
	if (at[1] == '\0' || at[1] == '\n' || is_space(at[1]))
		return true;
	return first && !is_digit(at[1]) && !(at[1] == 'r' && is_digit(at[2]));
}

/** Skips spaces and a comment. @param first whether a command is expected */
static void skip_spaces(struct reading *reading, bool first)
{
	while (is_space(*reading->at))
		reading->at++;
	if (is_comment(reading->at, first))
		reading->at += strcspn(reading->at, "\n");
}

static char *copy(const char *bytes, size_t length)
{
	char *string = alloc_array(NULL, length + 1, 1);
	memcpy(string, bytes, length);
	string[length] = '\0';
	return string;
}

/**
 * Adds quoted text to the word; `at` is after the opening quote.
 * @return 0; -1 if the closing quote is missing
 */
static int read_quoted(struct reading *reading, char quote)
{
	const char *at = reading->at;

	for (; *at != quote && *at != '\0'; at++) {
		if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		text_char(&reading->word, *at);
	}

	reading->at = at + (*at != '\0');
	if (*at == '\0' && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "the closing quote (%c) is missing", quote);

	return 0;
}

/** Sets the error for a character that has a meaning in other shells, but not here. @return -1 */
static int refuse(const struct reading *reading, const char *why)
{
	return pm_error_set(
		reading->error, PM_ERROR_USAGE, 0,
		"'%c' is not supported: %s; if it belongs to an argument, quote the argument",
		*reading->at, why);
}

/** Parses a word, of which `at` is the first character. @return 0 or -1 */
static int read_word(struct reading *reading)
{
	text_clear(&reading->word);
	while (!is_space(*reading->at) && !is_end(*reading->at) && *reading->at != '|' &&
	       *reading->at != '>') {
		char c = *reading->at;

		if (c == '<' && !reading->partial)
			return refuse(reading, "commands do not read standard input");
		if (c == '&' && !reading->partial)
			return refuse(reading, "commands do not run in the background");

		reading->at++;
		if (c == '\'' || c == '"') {
			if (read_quoted(reading, c) < 0)
				return -1;
			continue;
		}

		if (c == '\\' && *reading->at != '\0')
			c = *reading->at++;
		text_char(&reading->word, c);
	}

	return 0;
}

/** Adds the parsed word to the statement. */
static void add_word(struct reading *reading, struct shell_statement *statement, bool quoted)
{
	statement->words = alloc_array(statement->words, statement->count + 2,
	                               sizeof *statement->words);
	statement->quoted = alloc_array(statement->quoted, statement->count + 1,
	                                sizeof *statement->quoted);
	statement->quoted[statement->count] = quoted;
	statement->words[statement->count++] = copy(text_terminate(&reading->word),
	                                            reading->word.length);
	statement->words[statement->count] = NULL;
}

/**
 * Finds the end of a command of sh: the first ';', newline or end of the text that is not within
 * quotes.
 */
static const char *find_command_end(const char *end)
{
	while (!is_end(*end)) {
		char quote = *end;

		if (quote == '\\' && end[1] != '\0')
			end++;
		else if (quote == '\'' || quote == '"')
			/* A missing closing quote is not an error here, because sh reports it. */
			while (end[1] != '\0' && *++end != quote) {
				if (quote == '"' && *end == '\\' && end[1] != '\0')
					end++;
			}
		end++;
	}

	return end;
}

/** Parses the command of sh after '|'. */
static int read_pipe(struct reading *reading, struct shell_statement *statement)
{
	const char *start = reading->at + 1;
	const char *end = find_command_end(start);

	reading->at = end;
	start += strspn(start, " \t");
	if ((start >= end || *start == '|') && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "expected a command after '|', such as '| less'");

	statement->output = SHELL_OUTPUT_PIPE;
	statement->output_to = copy(start, (size_t)(end - start));

	return 0;
}

/** Checks whether the word directly before '>' is the number of a descriptor, as in "2>". */
static bool names_descriptor(const struct reading *reading, const struct shell_statement *statement)
{
	if (statement->count == 0 || is_space(reading->at[-1]))
		return false;

	const char *word = statement->words[statement->count - 1];

	return is_digit(word[0]) && word[1] == '\0';
}

/** Parses '>' and the file after it. */
static int read_file(struct reading *reading, struct shell_statement *statement)
{
	if (names_descriptor(reading, statement) && !reading->partial)
		return pm_error_set(
			reading->error, PM_ERROR_USAGE, 0,
			"'%c>' is not supported: only standard output can be redirected; if the "
			"digit is an argument, put a space before '>'",
			*statement->words[statement->count - 1]);

	bool appends = reading->at[1] == '>';

	statement->output = appends ? SHELL_OUTPUT_APPEND : SHELL_OUTPUT_FILE;
	reading->at += 1 + appends;
	while (is_space(*reading->at))
		reading->at++;

	if (read_word(reading) < 0)
		return -1;
	if (reading->word.length == 0 && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "expected the name of a file after '>'");

	statement->output_to = copy(text_terminate(&reading->word), reading->word.length);
	skip_spaces(reading, false);
	if (!is_end(*reading->at) && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "expected ';' or the end of the line after '> FILE'");

	return 0;
}

/** Parses the words of a statement and its output. @return 0 or -1 */
static int read_statement(struct reading *reading, struct shell_statement *statement)
{
	bool after_space = true;

	for (;;) {
		const char *before = reading->at;

		skip_spaces(reading, statement->count == 0);
		after_space = after_space || reading->at > before;
		if (is_end(*reading->at))
			break;

		if (*reading->at == '|' && statement->count == 0 && !reading->partial)
			return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
			                    "expected a command before '|'; to run a pipeline in "
			                    "sh, begin the line with '!'");
		if (*reading->at == '|')
			return read_pipe(reading, statement);
		if (*reading->at == '>')
			return read_file(reading, statement);

		bool quoted = *reading->at == '\'' || *reading->at == '"' || *reading->at == '\\';

		if (read_word(reading) < 0)
			return -1;

		add_word(reading, statement, quoted);
		after_space = false;
	}

	if (reading->partial && after_space) {
		text_clear(&reading->word);
		add_word(reading, statement, false);
	}

	return 0;
}

static int read_next(struct reading *reading, struct shell_statement *statement)
{
	skip_spaces(reading, true);
	if (*reading->at != '!')
		return read_statement(reading, statement);

	size_t length = strcspn(++reading->at, "\n");
	if (strspn(reading->at, " \t\r") >= length && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "expected a command for sh after '!', such as '!ls'");

	statement->system = copy(reading->at, length);
	reading->at += length;

	return 0;
}

int shell_line_next(const char **at, struct shell_statement *statement, struct pm_error *error)
{
	struct reading reading = { .at = *at, .error = error };
	struct shell_statement made = { 0 };
	int status = 0;

	for (;;) {
		reading.at += strspn(reading.at, " \t\r\n;");
		if (*reading.at == '\0')
			break;

		status = read_next(&reading, &made);
		/* Skip a statement without words and commands, such as a comment, and parse the
		 * next one. */
		if (status < 0 || made.count > 0 || made.system || made.output != SHELL_OUTPUT_HERE)
			break;
	}

	*at = reading.at;
	text_deinit(&reading.word);
	if (status == 0 && made.count == 0 && made.output != SHELL_OUTPUT_HERE)
		status = pm_error_set(error, PM_ERROR_USAGE, 0, "expected a command before '>'");
	if (status < 0 || (made.count == 0 && !made.system)) {
		shell_line_statement_deinit(&made);
		return status;
	}

	*statement = made;
	return 1;
}

void shell_line_read_partial(const char *line, struct shell_statement *statement)
{
	struct reading reading = { .at = line, .partial = true };

	for (;;) {
		struct shell_statement made = { 0 };

		read_next(&reading, &made);
		if (*reading.at == '\0') {
			*statement = made;
			break;
		}

		/* Skip the character that ended the statement, even if it is an error. */
		shell_line_statement_deinit(&made);
		reading.at++;
	}

	text_deinit(&reading.word);
}

void shell_line_statement_deinit(struct shell_statement *statement)
{
	for (size_t i = 0; i < statement->count; i++)
		free(statement->words[i]);

	free(statement->words);
	free(statement->quoted);
	free(statement->output_to);
	free(statement->system);
	*statement = (struct shell_statement){ 0 };
}
