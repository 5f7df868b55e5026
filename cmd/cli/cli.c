/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <procmem/typo.h>

#include "cli/help.h"

/* Values that getopt_long() returns for options: above every character, so that letters and long
 * names share them. */
enum { FIRST_SLOT = 1000 };

/* How many operands cli_find_operand() finds: TARGET is the second at the most. */
enum { CLI_OPERANDS_PLACED = 4 };

/** Where an option stands. */
struct slot {
	const struct cli_group *group; /**< NULL for those that all commands have */
	const struct cli_option *option;
	bool seen;
};

/** A command line being parsed. */
struct parser {
	const struct cli_spec *spec;
	struct slot slots[CLI_OPTIONS_MAX];
	size_t count;
	struct option long_options[CLI_OPTIONS_MAX + 1];
	char letters[2 + 3 * CLI_OPTIONS_MAX];
};

static int argument_mode(const struct cli_option *option)
{
	if (!option->argument)
		return no_argument;
	return option->argument[0] == '[' ? optional_argument : required_argument;
}

static void add_options(struct parser *parser, const struct cli_group *group,
                        const struct cli_option *options)
{
	char *letter = parser->letters + strlen(parser->letters);
	for (const struct cli_option *option = options;
	     option->name && parser->count < CLI_OPTIONS_MAX; option++) {
		int mode = argument_mode(option);
		parser->slots[parser->count] = (struct slot){ group, option, false };
		parser->long_options[parser->count] = (struct option){
			option->name, mode, NULL, FIRST_SLOT + (int)parser->count
		};
		parser->count++;
		if (option->id >= CLI_LONG_ONLY)
			continue;
		*letter++ = (char)option->id;
		for (int colon = 0; colon < mode; colon++)
			*letter++ = ':';
	}

	*letter = '\0';
}

static void start(struct parser *parser, const struct cli_spec *spec)
{
	/* The leading colon makes getopt_long() tell a missing argument from an unknown option. */
	*parser = (struct parser){ .spec = spec, .letters = ":" };
	for (const struct cli_group *group = spec->groups; group->options; group++)
		add_options(parser, group, group->options);

	add_options(parser, NULL, cli_common_options);
	/* getopt_long() keeps its place in these globals; 0 makes glibc start anew, for several
	 * commands in one process. */
	optind = 0;
	opterr = 0;
}

/**
 * The slot of what getopt_long() returned or put into optopt.
 * @return NULL for none
 */
static struct slot *find_slot(struct parser *parser, int code)
{
	for (size_t i = 0; i < parser->count; i++) {
		struct slot *slot = &parser->slots[i];
		if (slot->option->id == code || code == FIRST_SLOT + (int)i)
			return slot;
	}
	return NULL;
}

/** Whether a list of words separated by blanks contains a word. */
static bool lists_word(const char *list, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = list; *at != '\0';) {
		size_t next = strcspn(at, " ");
		if (next == length && strncmp(at, word, length) == 0)
			return true;
		at += next + (at[next] == ' ');
	}
	return false;
}

/** Refuses an option beside one that excludes it. */
static int check_exclusive(struct parser *parser, struct slot *slot)
{
	slot->seen = true;
	for (const char *const *list = parser->spec->exclusive; list && *list; list++) {
		if (!lists_word(*list, slot->option->name))
			continue;
		for (size_t i = 0; i < parser->count; i++) {
			struct slot *other = &parser->slots[i];
			if (other != slot && other->seen &&
			    lists_word(*list, other->option->name)) {
				report_error("--%s and --%s exclude each other",
				             other->option->name, slot->option->name);
				return -1;
			}
		}
	}

	return 0;
}

/**
 * The value in a word that is an option and its value in one: "kind" of "bykind" and "by-kind".
 * What an option takes is known by its help.
 *
 * @param name    the option
 * @param help    text with the words that it takes
 * @param typed   the word, without the dashes before it
 * @return        a place in the word, NULL where there is no such value
 */
static const char *glued_value(const char *name, const char *help, const char *typed)
{
	size_t length = strlen(name);
	if (strncmp(typed, name, length) != 0)
		return NULL;

	const char *value = typed + length + (typed[length] == '-');
	size_t size = strlen(value);
	/* Shorter ones are those between the words: "by", "or". */
	for (const char *at = help; size > 2 && (at = strstr(at, value)); at++)
		if ((at == help || strchr(" ,\n", at[-1])) && strchr(" ,\n", at[size]))
			return value;

	return NULL;
}

static void report_unknown_long(const struct parser *parser, const char *word)
{
	const char *name = word + 2;
	char typed[64];
	size_t length = strcspn(name, "=");
	if (length >= sizeof typed)
		length = sizeof typed - 1;
	memcpy(typed, name, length);
	typed[length] = '\0';

	const char *names[CLI_OPTIONS_MAX];
	size_t fits = 0;
	for (size_t i = 0; i < parser->count; i++) {
		const struct cli_option *option = parser->slots[i].option;
		const char *value = option->argument
		                            ? glued_value(option->name, option->help, typed)
		                            : NULL;
		if (value) {
			report_error("unknown option --%s; did you mean --%s %s?", typed,
			             option->name, value);
			return;
		}
		names[i] = option->name;
		fits += strncmp(names[i], typed, length) == 0;
	}
	const char *nearest = pm_typo_nearest(typed, names, parser->count);
	const char *command = parser->spec->command;
	if (fits > 1)
		report_error("--%s is short for several options (procmem %s --help lists them)",
		             typed, command);
	else if (nearest)
		report_error("unknown option --%s; did you mean --%s?", typed, nearest);
	else
		report_error("unknown option --%s (procmem %s --help lists the options)", typed,
		             command);
}

/** Says what is wrong with the word at which getopt_long() stopped. */
static void report_unknown(struct parser *parser, char **argv)
{
	const struct slot *slot = optopt ? find_slot(parser, optopt) : NULL;
	if (slot)
		report_error("--%s takes no argument", slot->option->name);
	else if (optopt == 0)
		report_unknown_long(parser, argv[optind - 1]);
	else if (optopt >= '0' && optopt <= '9')
		report_error("-%c is neither an option nor a PID: PIDs are numbers from 1 on",
		             optopt);
	else
		report_error("unknown option -%c (procmem %s --help lists the options)", optopt,
		             parser->spec->command);
}

/**
 * Whether a word is an option that people look for in vain, and that is no short form of another.
 */
static bool is_absent(const struct cli_spec *spec, const char *word)
{
	size_t length = spec->absent[0] ? strlen(spec->absent[0]) : 0;
	if (length == 0 || strncmp(word, "--", 2) != 0 ||
	    strncmp(word + 2, spec->absent[0], length) != 0)
		return false;
	return word[2 + length] == '\0' || word[2 + length] == '=' ||
	       glued_value(spec->absent[0], spec->absent[1], word + 2);
}

/**
 * Hands one option to its group.
 * @return 0, -1: it was wrong
 */
static int take(struct parser *parser, struct slot *slot, void *into)
{
	struct pm_error error;
	if (check_exclusive(parser, slot) < 0)
		return -1;
	if (slot->group->take((char *)into + slot->group->offset, slot->option->id, optarg,
	                      &error) == 0)
		return 0;

	pm_error_prefix(&error, "--%s: ", slot->option->name);
	report_failure(&error);
	return -1;
}

/** Says which of the words a command needs is the first that was not given. */
static void report_missing(const struct cli_spec *spec, const struct cli_result *result)
{
	const char *word = spec->operands;
	for (int i = 0; i < result->count; i++)
		word += strcspn(word, " ") + (strchr(word, ' ') != NULL);

	if (result->in_session && strncmp(word, "TARGET", strlen("TARGET")) == 0)
		report_error("%s: nothing is attached; attach PID or NAME chooses a target",
		             spec->command);
	else
		report_error("%s needs %s %.*s (procmem %s --help tells more)", spec->command,
		             *word == 'A' ? "an" : "a", (int)strcspn(word, " ."), word,
		             spec->command);
}

bool cli_check_operands(const struct cli_spec *spec, const struct cli_result *result)
{
	if (result->count < spec->operands_min)
		report_missing(spec, result);
	else if (spec->operands_max >= 0 && result->count > spec->operands_max)
		report_error("'%s' is too much: %s takes %s", result->operands[spec->operands_max],
		             spec->command, spec->operands);
	else
		return true;
	return false;
}

bool cli_parse(const struct cli_spec *spec, struct out *out, int argc, char **argv, void *into,
               struct cli_result *result)
{
	struct parser parser;
	int code;

	start(&parser, spec);
	result->status = STATUS_ERROR;
	result->in_session = out->results != NULL;

	while ((code = getopt_long(argc, argv, parser.letters, parser.long_options, NULL)) != -1) {
		struct slot *slot = find_slot(&parser, code == ':' ? optopt : code);
		/* The word before is the option itself where it takes no argument, or one that it
		 * does not take. */
		if ((!slot || !slot->option->argument) && is_absent(spec, argv[optind - 1])) {
			report_error("%s has no --%s: %s", spec->command, spec->absent[0],
			             spec->absent[1]);
			return false;
		}

		if (!slot) {
			report_unknown(&parser, argv);
			return false;
		}
		if (code == ':') {
			report_error("--%s needs an argument: %s", slot->option->name,
			             slot->option->argument);
			return false;
		}

		if (!slot->group) {
			if (slot->option->id == 'h')
				cli_help_print(spec, out);
			else
				out_string(out, "procmem " PROCMEM_VERSION "\n");
			result->status = STATUS_OK;
			return false;
		}

		if (take(&parser, slot, into) < 0)
			return false;
	}

	result->operands = argv + optind;
	result->count = argc - optind;

	return true;
}

int cli_find_operand(const struct cli_spec *spec, int argc, char **argv, int which, int *count)
{
	struct parser parser;
	char letters[sizeof parser.letters + 1];
	int places[CLI_OPERANDS_PLACED], code;

	start(&parser, spec);
	/* The dash makes getopt_long() leave the words in their order, and return 1 for operands.
	 */
	snprintf(letters, sizeof letters, "-%s", parser.letters);
	*count = 0;

	while ((code = getopt_long(argc, argv, letters, parser.long_options, NULL)) != -1) {
		const struct slot *slot = code == 1 ? NULL : find_slot(&parser, code);
		if (code == 1 && *count < CLI_OPERANDS_PLACED)
			places[*count] = optind - 1;
		*count += code == 1;
		if (slot && spec->instead_of_first &&
		    lists_word(spec->instead_of_first, slot->option->name))
			which = 0;
	}

	for (int i = optind; i < argc; i++, ++*count)
		if (*count < CLI_OPERANDS_PLACED)
			/* Before "--", if that is what stands before the first of the rest. */
			places[*count] = i == optind ? optind - (strcmp(argv[i - 1], "--") == 0)
			                             : i;

	return which > *count || which >= CLI_OPERANDS_PLACED ? -1
	       : which < *count                               ? places[which]
	                                                      : argc;
}
