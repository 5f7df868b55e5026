/* SPDX-License-Identifier: MIT */
/*
 * Determines from the text before the cursor which kind of word is expected there: a command, an
 * option, its value, or an operand. candidates.c adds the words of each kind.
 */
#include "shell/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "commands.h"
#include "diff/diff.h"
#include "shell/builtins.h"
#include "shell/candidates.h"
#include "shell/defaults.h"
#include "shell/line.h"
#include "shell/target.h"
#include "shell/x_command.h"

/** The session. The hooks of readline have no context argument. */
static struct shell *session;

/** The words that match, and the next one to return to readline. */
static struct candidates found;
static size_t next;

/** Checks whether a word is an option, by its letter or its long name. */
static bool names_option(const char *word, const struct cli_option *option)
{
	if (strncmp(word, "--", 2) == 0)
		return strcmp(word + 2, option->name) == 0;
	return word[0] == '-' && word[1] == option->id && word[2] == '\0';
}

/**
 * Finds the option that a word names, if the next word is the argument of this option.
 * @return the option; NULL if there is none
 */
static const struct cli_option *awaits_argument(const struct cli_spec *spec, const char *word)
{
	for (const struct cli_group *group = spec->groups; group->options; group++) {
		for (const struct cli_option *option = group->options; option->name; option++) {
			if (names_option(word, option) && option->argument)
				return option->argument[0] == '[' ? NULL : option;
		}
	}
	return NULL;
}

/**
 * Finds the option whose argument is being typed: the option that is the previous word or, in
 * "--kind=he", the option in the same word.
 * @return the option; NULL if there is none
 */
static const struct cli_option *option_of_argument(const struct cli_spec *spec,
                                                   const struct shell_statement *line)
{
	const char *word = line->words[line->count - 1];
	size_t length = strcspn(word, "=");

	if (strncmp(word, "--", 2) != 0 || word[length] != '=')
		return line->count > 2 ? awaits_argument(spec, line->words[line->count - 2]) : NULL;

	for (const struct cli_group *group = spec->groups; group->options; group++) {
		for (const struct cli_option *option = group->options; option->name; option++) {
			if (option->argument && strlen(option->name) == length - 2 &&
			    strncmp(option->name, word + 2, length - 2) == 0)
				return option;
		}
	}

	return NULL;
}

/**
 * Finds the value of `--by` before the word that is being typed.
 * @return the value; NULL if there is none
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
 * Offers options and their values.
 *
 * @param files  set to true if names of files are candidates
 * @return       true if the word is an option or the value of an option
 */
static bool offer_option(const struct command *command, const struct shell_statement *line,
                         bool *files)
{
	const struct cli_option *option = option_of_argument(command->spec, line);

	if (option)
		*files = !shell_candidates_add_argument(&found, &session->target, command, option,
		                                        find_by(line));
	else if (line->words[line->count - 1][0] == '-')
		shell_candidates_add_options(&found, command->spec);
	else
		return false;

	return true;
}

static void offer_regions(void)
{
	shell_candidates_add_kinds(&found);
	shell_candidates_add(&found, "all");
	shell_candidates_add_mappings(&found, &session->target, false);
	if (*found.prefix == '#')
		shell_candidates_add_numbers(&found, session->results);
}

/** Offers the words of a command. @return false if names of files are candidates, too */
static bool offer_words(const struct command *command, const struct shell_statement *line)
{
	bool files = false;
	bool takes_regions = strstr(command->spec->operands, "REGION") != NULL;
	int operands, last = (int)line->count - 1;

	if (offer_option(command, line, &files))
		return !files;

	/* The operands BEFORE and AFTER are processes or files. */
	if (command->run == diff_run) {
		shell_candidates_add_processes(&found);
		return false;
	}

	/* The first operand that has candidates is TARGET or, for ps, NAME. The PATTERN of grep,
	 * which precedes TARGET, has none. */
	int which = command->target < 0 ? 0 : command->target;
	int place = cli_find_operand(command->spec, last, line->words, which, &operands);
	bool is_target = place == last && !(takes_regions && session->word);

	if (is_target)
		shell_candidates_add_processes(&found);
	else if (takes_regions && place >= 0)
		offer_regions();

	return !(is_target && takes_regions);
}

/** Offers the words of a builtin command. @return false if names of files are candidates, too */
static bool offer_builtin_words(const struct shell_builtin *builtin,
                                const struct shell_statement *line)
{
	bool files = false;

	if (builtin->run == shell_target_attach_run) {
		shell_candidates_add_processes(&found);
		return false;
	}
	if (builtin->run == shell_defaults_set_run && line->count > 2) {
		const struct command *command = commands_find(line->words[1]);

		return !command || !offer_option(command, line, &files) || !files;
	}

	if (builtin->run == shell_defaults_set_run || strcmp(builtin->name, "help") == 0)
		shell_candidates_add_commands(&found, builtin->run != shell_defaults_set_run);
	if (builtin->run == shell_x_command_run)
		shell_candidates_add_numbers(&found, session->results);

	return strcmp(builtin->name, "source") != 0;
}

/** Collects the words for the end of a line. @return false if names of files are candidates, too */
static bool collect(const struct shell_statement *line)
{
	if (line->system || line->output != SHELL_OUTPUT_HERE || line->count == 0)
		return false;
	if (line->count == 1) {
		shell_candidates_add_commands(&found, true);
		return true;
	}

	const struct shell_builtin *builtin = shell_builtins_find(line->words[0]);
	const struct command *command = commands_find(line->words[0]);

	if (builtin)
		return offer_builtin_words(builtin, line);
	return !command || offer_words(command, line);
}

/** Returns the collected words to readline, one by one. readline releases them. */
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
	char *typed = strndup(rl_line_buffer, (size_t)end);

	(void)start;
	if (!typed)
		return NULL;

	found = (struct candidates){ .prefix = text };
	shell_line_read_partial(typed, &line);

	/* Without this flag, readline completes names of files when no word matches. */
	rl_attempted_completion_over = collect(&line);
	shell_line_statement_deinit(&line);
	free(typed);

	/* No space is added after a value such as "exec:", which is incomplete. */
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
