/* SPDX-License-Identifier: MIT */
#include "shell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/readline.h>

#include <procmem/maps.h>
#include <procmem/process_list.h>

#include "alloc.h"

/* Numbers of results that are offered: who wants a later one types it. */
enum { NUMBERS_MOST = 100 };

/** The session: readline's hooks are called without any context. */
static struct shell *session;

/** What fits, while it is being collected. */
struct matches {
	const char *begin; /* what is typed of the word */
	char **items;      /* as rl_completion_matches() gives them to a generator: one after the other */
	size_t count;
	size_t next;
};

static struct matches matches;

/** Adds a word if it begins as what is typed; words that would have to be quoted are left out. */
static void offer(const char *word)
{
	for (const char *at = word; *at; at++)
		if (!isgraph((unsigned char)*at) || strchr("'\"\\|;<>&", *at))
			return;
	if (*word == '\0' || strncmp(word, matches.begin, strlen(matches.begin)) != 0)
		return;
	matches.items = alloc_array(matches.items, matches.count + 1, sizeof *matches.items);
	matches.items[matches.count++] = alloc_string(word);
}

static void offer_commands(bool builtins)
{
	for (const struct command *command = commands; command->name; command++)
		if (command->run != shell_run)
			offer(command->name);
	for (const struct shell_builtin *builtin = shell_builtins; builtins && builtin->name; builtin++)
		offer(builtin->name);
}

static void offer_options(const struct cli_spec *spec)
{
	char word[80];
	for (const struct cli_group *group = spec->groups; group->options; group++)
		for (const struct cli_option *option = group->options; option->name; option++)
			if ((size_t)snprintf(word, sizeof word, "--%s", option->name) < sizeof word)
				offer(word);
	offer("--help");
}

/** Offers the numbers of results. */
static void offer_numbers(void)
{
	char word[32];
	for (size_t i = 1; i <= results_hit_count(session->results) && i <= NUMBERS_MOST; i++) {
		snprintf(word, sizeof word, "#%zu", i);
		offer(word);
	}
	for (size_t i = 1; i <= results_region_count(session->results) && i <= NUMBERS_MOST; i++) {
		snprintf(word, sizeof word, "#r%zu", i);
		offer(word);
	}
}

static void offer_kinds(void)
{
	for (int kind = PM_KIND_UNKNOWN + 1; kind < PM_KIND_COUNT; kind++)
		offer(pm_kind_name((enum pm_kind)kind));
}

/** Offers the names of mappings: those in brackets, which are a REGION, or those of files. */
static void offer_mappings(bool files)
{
	struct pm_regions regions;
	const char *last = "";
	if (!session->target.process)
		return;
	pm_regions_init(&regions);
	if (pm_maps_read(session->target.process, PM_MAPS, &regions, NULL) < 0)
		return;
	for (size_t i = 0; i < regions.count; i++) {
		const char *mapping = regions.items[i].mapping;
		const char *slash = strrchr(mapping, '/');
		if (strcmp(mapping, last) != 0 && (mapping[0] == '[') == !files)
			offer(files && slash ? slash + 1 : mapping);
		last = mapping;
	}
	pm_regions_deinit(&regions);
}

/** Offers processes: by name, and by PID once a digit is typed. */
static void offer_processes(void)
{
	struct pm_process_list processes;
	char word[32];
	if (pm_process_list_read(&processes, NULL) < 0)
		return;
	for (size_t i = 0; i < processes.count; i++) {
		const struct pm_process_row *process = &processes.items[i];
		if (process->kernel_thread || process->pid == getpid())
			continue;
		snprintf(word, sizeof word, "%d", (int)process->pid);
		offer(*matches.begin >= '0' && *matches.begin <= '9' ? word : process->comm);
	}
	pm_process_list_deinit(&processes);
}

/** The option that a word names, if it needs the next word as its argument. @return NULL for none */
static const struct cli_option *awaits_argument(const struct cli_spec *spec, const char *word)
{
	size_t length = strlen(word);
	for (const struct cli_group *group = spec->groups; group->options; group++) {
		for (const struct cli_option *option = group->options; option->name; option++) {
			bool is_letter = word[0] == '-' && length == 2 && word[1] == option->id;
			bool is_name = length > 2 && strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0;
			if ((is_letter || is_name) && option->argument && option->argument[0] != '[')
				return option;
		}
	}
	return NULL;
}

/** Offers what an option takes. @return whether that is known; else files may be meant */
static bool offer_argument(const struct cli_option *option)
{
	if (strcmp(option->name, "kind") == 0) {
		offer_kinds();
		return true;
	}
	if (strcmp(option->name, "mapping") == 0) {
		offer_mappings(true);
		return true;
	}
	return strcmp(option->argument, "FILE") != 0;
}

/** Offers the words of a command. @return false: names of files belong here */
static bool offer_words(const struct command *command, const struct shell_statement *line)
{
	const char *before = line->words[line->count - 2], *word = line->words[line->count - 1];
	const struct cli_option *option = line->count > 2 ? awaits_argument(command->spec, before) : NULL;
	/* "--kind=he" is one word to us, and "he" is what readline completes. */
	if (!option && strncmp(word, "--", 2) == 0 && strchr(word, '=')) {
		char *name = strndup(word, strcspn(word, "="));
		option = name ? awaits_argument(command->spec, name) : NULL;
		free(name);
	}
	if (option)
		return offer_argument(option);
	if (*word == '-') {
		offer_options(command->spec);
		return true;
	}
	bool wants_name = strcmp(command->spec->operands, "[NAME]") == 0;
	if (wants_name)
		offer_processes();
	if (command->target < 0)
		return wants_name;
	if (!session->word && line->count == 2)
		offer_processes();
	if (session->word) {
		offer_kinds();
		offer("all");
		offer_mappings(false);
		if (*matches.begin == '#')
			offer_numbers();
	}
	/* Two moments may be files. */
	return strcmp(command->name, "diff") != 0;
}

/** Offers the words of a command of the session. @return false: names of files belong here */
static bool offer_builtin_words(const struct shell_builtin *builtin, const struct shell_statement *line)
{
	const struct command *command;
	if (builtin->run == shell_attach_run) {
		offer_processes();
		return false;
	}
	if (builtin->run == shell_set_run && line->count > 2 && (command = command_find(line->words[1]))) {
		offer_options(command->spec);
		return true;
	}
	if (builtin->run == shell_set_run || strcmp(builtin->name, "help") == 0)
		offer_commands(builtin->run != shell_set_run);
	if (builtin->run == shell_examine_run)
		offer_numbers();
	return strcmp(builtin->name, "source") != 0;
}

/** Collects what fits the last word of a line. @return false: names of files belong there */
static bool collect(const struct shell_statement *line)
{
	if (line->system || line->output != SHELL_OUTPUT_HERE || line->count == 0)
		return false;
	if (line->count == 1) {
		offer_commands(true);
		return true;
	}
	const struct shell_builtin *builtin = shell_builtin_find(line->words[0]);
	const struct command *command = command_find(line->words[0]);
	return builtin ? offer_builtin_words(builtin, line) : command ? offer_words(command, line) : true;
}

/** Hands readline the collected words one by one; it frees them. */
static char *generate(const char *text, int state)
{
	(void)text;
	if (state == 0)
		matches.next = 0;
	return matches.next < matches.count ? matches.items[matches.next++] : NULL;
}

static char **complete(const char *text, int start, int end)
{
	struct shell_statement line;
	char *begin = strndup(rl_line_buffer, (size_t)end);
	(void)start;
	if (!begin)
		return NULL;
	matches = (struct matches){ .begin = text };
	shell_line_read_begin(begin, &line);
	/* Names of files are what readline itself completes when nothing else is found. */
	rl_attempted_completion_over = collect(&line);
	shell_statement_deinit(&line);
	free(begin);
	char **found = rl_completion_matches(text, generate);
	free(matches.items);
	matches = (struct matches){ 0 };
	return found;
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
