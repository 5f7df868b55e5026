/* SPDX-License-Identifier: MIT */
#include "shell/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/** A line being read. */
struct reading {
	const char *at;
	bool partial; /* the line ends where the cursor is: whatever is open there is no error */
	struct text word;
	struct pm_error *error;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/** Whether a statement ends before this character. */
static bool is_end(char c)
{
	return c == '\0' || c == '\n' || c == ';';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/**
 * Whether a '#' that begins a word begins a comment: one with a blank behind it, or in place of a
 * command.
 *
 * @param first  word of a statement
 */
static bool is_comment(const char *at, bool first)
{
	if (at[0] != '#')
		return false;
	if (at[1] == '\0' || at[1] == '\n' || is_blank(at[1]))
		return true;
	return first && !is_digit(at[1]) && !(at[1] == 'r' && is_digit(at[2]));
}

/** @param first a statement may begin there */
static void skip_blanks(struct reading *reading, bool first)
{
	while (is_blank(*reading->at))
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
 * Adds what stands between quotes; `at` is behind the first of them.
 * @return 0, -1: the second is missing
 */
static int read_quoted(struct reading *reading, char quote)
{
	const char *at = reading->at;
	for (; *at != quote && *at != '\0'; at++) {
		if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		text_char(&reading->word, *at);
	}

	reading->at = *at == '\0' ? at : at + 1;
	if (*at == '\0' && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "there is no %s that ends the quoted text",
		                    quote == '"' ? "\"" : "'");

	return 0;
}

/** Says why a sign that shells know has no meaning here. */
static int refuse(const struct reading *reading, const char *why)
{
	return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
	                    "'%c' has no meaning here: %s; quote it to search for it", *reading->at,
	                    why);
}

/**
 * Reads a word; `at` is at its first character.
 * @return 0 or -1
 */
static int read_word(struct reading *reading)
{
	text_clear(&reading->word);
	while (!is_blank(*reading->at) && !is_end(*reading->at) && *reading->at != '|' &&
	       *reading->at != '>') {
		char c = *reading->at;
		if (c == '<' && !reading->partial)
			return refuse(reading, "commands read nothing but their target");
		if (c == '&' && !reading->partial)
			return refuse(reading, "commands run one after the other");

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

/** Adds the word that was read to the statement. */
static void add_word(struct reading *reading, struct shell_statement *statement, bool quoted)
{
	statement->words = alloc_array(statement->words, statement->count + 2,
	                               sizeof *statement->words);
	statement->quoted = alloc_array(statement->quoted, statement->count + 1,
	                                sizeof *statement->quoted);
	statement->quoted[statement->count] = quoted;
	statement->words[statement->count++] = copy(reading->word.bytes ? reading->word.bytes : "",
	                                            reading->word.length);
	statement->words[statement->count] = NULL;
}

/** Reads the command behind '|': up to the end of the statement, its quotes left to sh. */
static int read_pipe(struct reading *reading, struct shell_statement *statement)
{
	const char *begin = ++reading->at, *end = begin;

	while (!is_end(*end)) {
		char quote = *end;
		if (quote == '\\' && end[1] != '\0')
			end++;
		else if (quote == '\'' || quote == '"')
			/* One that does not end is for sh to complain about. */
			while (end[1] != '\0' && *++end != quote)
				if (quote == '"' && *end == '\\' && end[1] != '\0')
					end++;
		end++;
	}

	reading->at = end;
	begin += strspn(begin, " \t");
	if ((begin >= end || *begin == '|') && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "which command? '|' is followed by one: | less");

	statement->output = SHELL_OUTPUT_PIPE;
	statement->output_to = begin < end ? copy(begin, (size_t)(end - begin)) : copy("", 0);

	return 0;
}

/** Whether the word before '>' stands for a descriptor: "2>". */
static bool names_descriptor(const struct reading *reading, const struct shell_statement *statement)
{
	if (statement->count == 0 || is_blank(reading->at[-1]))
		return false;
	const char *word = statement->words[statement->count - 1];
	return is_digit(word[0]) && word[1] == '\0';
}

/** Reads '>' and the file behind it. */
static int read_file(struct reading *reading, struct shell_statement *statement)
{
	if (names_descriptor(reading, statement) && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "only the output can go to a file, errors cannot; a blank "
		                    "before '>' makes the "
		                    "digit a word");

	statement->output = reading->at[1] == '>' ? SHELL_OUTPUT_APPEND : SHELL_OUTPUT_FILE;
	reading->at += statement->output == SHELL_OUTPUT_APPEND ? 2 : 1;
	while (is_blank(*reading->at))
		reading->at++;

	if (read_word(reading) < 0)
		return -1;
	if (reading->word.length == 0 && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "which file? '>' is followed by its name");

	statement->output_to = copy(reading->word.bytes ? reading->word.bytes : "",
	                            reading->word.length);
	skip_blanks(reading, false);
	if (!is_end(*reading->at) && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "the file behind '>' ends a statement; only ';' may follow");

	return 0;
}

/**
 * Reads words up to what ends them.
 * @return 0 or -1
 */
static int read_statement(struct reading *reading, struct shell_statement *statement)
{
	bool behind_blank = true;
	for (;;) {
		const char *before = reading->at;

		skip_blanks(reading, statement->count == 0);
		behind_blank = behind_blank || reading->at > before;
		if (is_end(*reading->at))
			break;

		if (*reading->at == '|')
			return statement->count > 0 || reading->partial
			               ? read_pipe(reading, statement)
			               : pm_error_set(reading->error, PM_ERROR_USAGE, 0,
			                              "'|' stands behind a command of procmem; '!' "
			                              "runs one of sh");

		if (*reading->at == '>')
			return read_file(reading, statement);

		bool quoted = *reading->at == '\'' || *reading->at == '"' || *reading->at == '\\';
		if (read_word(reading) < 0)
			return -1;

		add_word(reading, statement, quoted);
		behind_blank = false;
	}

	if (reading->partial && behind_blank) {
		text_clear(&reading->word);
		add_word(reading, statement, false);
	}

	return 0;
}

static int read_next(struct reading *reading, struct shell_statement *statement)
{
	skip_blanks(reading, true);
	if (*reading->at != '!')
		return read_statement(reading, statement);

	size_t length = strcspn(++reading->at, "\n");
	if (strspn(reading->at, " \t\r") >= length && !reading->partial)
		return pm_error_set(reading->error, PM_ERROR_USAGE, 0,
		                    "which command? '!' is followed by one of sh: !ls");

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
		/* A comment is none. */
		if (status < 0 || made.count > 0 || made.system || made.output != SHELL_OUTPUT_HERE)
			break;
	}

	*at = reading.at;
	text_deinit(&reading.word);
	if (status == 0 && made.count == 0 && made.output != SHELL_OUTPUT_HERE)
		status = pm_error_set(error, PM_ERROR_USAGE, 0,
		                      "which command? '>' stands behind one");
	if (status < 0 || (made.count == 0 && !made.system)) {
		shell_line_statement_deinit(&made);
		return status;
	}

	*statement = made;
	return 1;
}

void shell_line_read_begin(const char *line, struct shell_statement *statement)
{
	struct reading reading = { .at = line, .partial = true };
	for (;;) {
		struct shell_statement made = { 0 };
		read_next(&reading, &made);
		if (*reading.at == '\0') {
			*statement = made;
			break;
		}
		shell_line_statement_deinit(&made);
		/* What stopped it, be it the end of a statement or something wrong. */
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
