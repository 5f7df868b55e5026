/* SPDX-License-Identifier: MIT */
#include "shell/complete.h"

#include "diff/diff.h"
#include "shell/builtins.h"
#include "shell/candidates.h"
#include "shell/defaults.h"
#include "shell/target.h"
#include "shell/x_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

/** The session: readline's hooks are called without any context. */
static struct shell *session;

/** What fits, while readline takes one after the other. */
static struct candidates found;

static size_t next;

/** Whether a word is an option, by its letter or its name. */
static bool names_option(const char *word, const struct cli_option *option)
{
	if (strncmp(word, "--", 2) == 0)
		return strcmp(word + 2, option->name) == 0;
	return word[0] == '-' && word[1] == option->id && word[2] == '\0';
}

/**
 * The option that a word names, if it needs the next word as its argument.
 * @return NULL for none
 */
static const struct cli_option *awaits_argument(const struct cli_spec *spec, const char *word)
{
	for (const struct cli_group *group = spec->groups; group->options; group++)
		for (const struct cli_option *option = group->options; option->name; option++)
			if (names_option(word, option) && option->argument)
				return option->argument[0] == '[' ? NULL : option;
	return NULL;
}

/**
 * The option whose argument is being typed: that of the word before, or of "--kind=he", which is
 * one word to us.
 * @return NULL for none
 */
static const struct cli_option *option_of_argument(const struct cli_spec *spec,
                                                   const struct shell_statement *line)
{
	const char *word = line->words[line->count - 1];
	size_t length = strcspn(word, "=");
	if (strncmp(word, "--", 2) != 0 || word[length] != '=')
		return line->count > 2 ? awaits_argument(spec, line->words[line->count - 2]) : NULL;

	for (const struct cli_group *group = spec->groups; group->options; group++)
		for (const struct cli_option *option = group->options; option->name; option++)
			if (option->argument && strlen(option->name) == length - 2 &&
			    strncmp(option->name, word + 2, length - 2) == 0)
				return option;

	return NULL;
}

/**
 * What `--by` says before the word that is being typed.
 * @return NULL for nothing
 */
static const char *find_by(const struct shell_statement *line)
{
	const char *by = NULL;
	for (size_t i = 1; i + 1 < line->count; i++) {
		if (strcmp(line->words[i], "--by") == 0)
			by = line->words[i + 1];
		else if (strncmp(line->words[i], "--by=", strlen("--by=")) == 0)
			by = line->words[i] + strlen("--by=");
	}
	return by;
}

/**
 * Offers options and what they take.
 * @return whether the word is one of these; `files` is set where names of files belong there
 */
static bool offer_option(const struct command *command, const struct shell_statement *line,
                         bool *files)
{
	const struct cli_option *option = option_of_argument(command->spec, line);
	if (option)
		*files = !candidates_add_argument(&found, &session->target, command, option,
		                                  find_by(line));
	else if (line->words[line->count - 1][0] == '-')
		candidates_add_options(&found, command->spec);
	else
		return false;

	return true;
}

static void offer_regions(void)
{
	candidates_add_kinds(&found);
	candidates_add(&found, "all");
	candidates_add_mappings(&found, &session->target, false);
	if (*found.begin == '#')
		candidates_add_numbers(&found, session->results);
}

/**
 * Offers the words of a command.
 * @return false: names of files belong here, too
 */
static bool offer_words(const struct command *command, const struct shell_statement *line)
{
	bool files = false, takes_regions = strstr(command->spec->operands, "REGION") != NULL;
	int operands, last = (int)line->count - 1;

	if (offer_option(command, line, &files))
		return !files;
	/* Two moments, each a process or a file. */
	if (command->run == diff_run) {
		candidates_add_processes(&found);
		return false;
	}

	/* TARGET, or the NAME of ps. The operand of grep before it is a pattern. */
	int place = cli_find_operand(command->spec, last, line->words,
	                             command->target < 0 ? 0 : command->target, &operands);
	bool is_target = place == last && !(takes_regions && session->word);

	if (is_target)
		candidates_add_processes(&found);
	else if (takes_regions && place >= 0)
		offer_regions();

	return !(is_target && takes_regions);
}

/**
 * Offers the words of a command of the session.
 * @return false: names of files belong here, too
 */
static bool offer_builtin_words(const struct shell_builtin *builtin,
                                const struct shell_statement *line)
{
	const struct command *command;
	bool files = false;

	if (builtin->run == shell_target_attach_run) {
		candidates_add_processes(&found);
		return false;
	}
	if (builtin->run == shell_defaults_set_run && line->count > 2) {
		command = commands_find(line->words[1]);
		return !command || !offer_option(command, line, &files) || !files;
	}

	if (builtin->run == shell_defaults_set_run || strcmp(builtin->name, "help") == 0)
		candidates_add_commands(&found, builtin->run != shell_defaults_set_run);
	if (builtin->run == shell_x_command_run)
		candidates_add_numbers(&found, session->results);

	return strcmp(builtin->name, "source") != 0;
}

/**
 * Collects what fits the last word of a line.
 * @return false: names of files belong there, too
 */
static bool collect(const struct shell_statement *line)
{
	if (line->system || line->output != SHELL_OUTPUT_HERE || line->count == 0)
		return false;
	if (line->count == 1) {
		candidates_add_commands(&found, true);
		return true;
	}

	const struct shell_builtin *builtin = shell_builtins_find(line->words[0]);
	const struct command *command = commands_find(line->words[0]);
	return builtin   ? offer_builtin_words(builtin, line)
	       : command ? offer_words(command, line)
	                 : true;
}

/** Hands readline the collected words one by one; it frees them. */
static char *generate(const char *text, int state)
{
	(void)text;
	if (state == 0)
		next = 0;
	return next < found.count ? found.items[next++] : NULL;
}

static char **complete(const char *text, int start, int end)
{
	struct shell_statement line;
	char *begin = strndup(rl_line_buffer, (size_t)end);

	(void)start;
	if (!begin)
		return NULL;

	found = (struct candidates){ .begin = text };
	shell_line_read_begin(begin, &line);

	/* Names of files are what readline itself completes when nothing else is found. */
	rl_attempted_completion_over = collect(&line);
	shell_line_statement_deinit(&line);
	free(begin);

	/* "exec:" goes on. */
	if (found.count == 1 && found.items[0][strlen(found.items[0]) - 1] == ':')
		rl_completion_append_character = '\0';

	char **matches = rl_completion_matches(text, generate);
	free(found.items);
	found = (struct candidates){ 0 };

	return matches;
}

void shell_complete_start(struct shell *shell)
{
	session = shell;
	rl_attempted_completion_function = complete;
	rl_completer_word_break_characters = " \t\n\"'|;<>=,";
	rl_basic_word_break_characters = rl_completer_word_break_characters;
	rl_completer_quote_characters = "\"'";
	rl_filename_quote_characters = " \t\n\"'\\|;<>&#";
}
