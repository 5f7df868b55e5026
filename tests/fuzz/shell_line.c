/* SPDX-License-Identifier: MIT */
#include "shell/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input.h"

/** Adds a quoted word. */
static void quote(struct text *line, const char *word)
{
	text_char(line, '\'');
	for (; *word; word++)
		text_string(line, *word == '\'' ? "'\\''" : (const char[]){ *word, '\0' });
	text_string(line, "' ");
}

/** Words that are quoted again must be parsed to the same words. */
static void check_words(const struct shell_statement *statement)
{
	struct shell_statement again;
	struct text line = { 0 };
	for (size_t i = 0; i < statement->count; i++)
		quote(&line, statement->words[i]);

	const char *at = text_terminate(&line);
	fuzz_check(shell_line_next(&at, &again, NULL) == 1);
	fuzz_check(again.count == statement->count && !again.words[again.count]);

	for (size_t i = 0; i < again.count; i++)
		fuzz_check(strcmp(again.words[i], statement->words[i]) == 0 && again.quoted[i]);

	shell_line_statement_deinit(&again);
	text_deinit(&line);
}

static void check_line(const char *line)
{
	const char *at = line, *before = line;
	for (;;) {
		struct shell_statement statement;
		struct pm_error error = { 0 };
		int status = shell_line_next(&at, &statement, &error);

		fuzz_check(at >= before && at <= line + strlen(line));
		before = at;
		if (status < 0)
			fuzz_check_error(&error);
		if (status <= 0)
			return;

		fuzz_check((statement.count == 0) == (statement.system != NULL));
		fuzz_check((statement.output == SHELL_OUTPUT_HERE) ==
		           (statement.output_to == NULL));
		if (statement.count > 0)
			check_words(&statement);
		shell_line_statement_deinit(&statement);
	}
}

/** Every prefix of a line can be completed. */
static void check_prefixes(const char *line)
{
	size_t length = strlen(line);
	for (size_t i = 0; i <= length && i < 200; i++) {
		struct shell_statement statement;
		char *prefix = strndup(line, i);
		shell_line_read_partial(prefix, &statement);
		shell_line_statement_deinit(&statement);
		free(prefix);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	check_line(text);
	check_prefixes(text);
	free(text);
	return 0;
}
