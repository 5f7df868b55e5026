/* SPDX-License-Identifier: MIT */
/*
 * Parses command lines with getopt_long(3). The options of all groups share one table of slots.
 * Each slot has a number, which getopt_long() returns or stores in optopt.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <procmem/typo.h>

#include "base/minmax.h"
#include "cli/help.h"

/* Number of the first slot. getopt_long() returns the number of a slot for a long option. The
 * numbers are larger than all characters, because getopt_long() returns a character for a short
 * option. */
enum { FIRST_SLOT = 1000 };

/* Number of operands that cli_find_operand() can find. Two would be enough, because TARGET is
 * the first or the second operand. */
enum { OPERANDS_PLACED = 4 };

/** An option of a command. */
struct slot {
	const struct cli_group *group; /* group of the option, NULL for --help and --version */
	const struct cli_option *option;
	bool seen;
};

/** A command line that is being parsed. */
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
	/* The leading colon makes getopt_long() return different values for a missing argument
	 * and an unknown option. */
	*parser = (struct parser){ .spec = spec, .letters = ":" };
	for (const struct cli_group *group = spec->groups; group->options; group++)
		add_options(parser, group, group->options);
	add_options(parser, NULL, cli_help_options);

	/* Reset the global state of getopt_long(), because one process can run several commands.
	 * In glibc, setting optind to 0 does this. */
	optind = 0;
	opterr = 0;
}

/**
 * Finds the slot for a value that getopt_long() returned or stored in optopt.
 * @return the slot, or NULL if there is none
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

/** Checks whether a list contains a word. Spaces separate its words, and a colon can end it. */
static bool lists_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; *at != '\0' && *at != ':';) {
		size_t next = strcspn(at, " :");

		if (next == length && strncmp(at, word, length) == 0)
			return true;
		at += next + (at[next] == ' ');
	}
	return false;
}

/**
 * Returns an option other than `slot` that was already given and whose name is in `list`, or NULL
 * if there is none.
 */
static const struct slot *find_seen(const struct parser *parser, const char *list,
                                    const struct slot *slot)
{
	for (size_t i = 0; i < parser->count; i++) {
		const struct slot *other = &parser->slots[i];

		if (other != slot && other->seen && lists_word(list, other->option->name))
			return other;
	}
	return NULL;
}

/**
 * Marks an option as given, and reports an error if it excludes an option that was given before.
 * @return 0 or -1
 */
static int check_exclusive(struct parser *parser, struct slot *slot)
{
	slot->seen = true;
	for (const char *const *list = parser->spec->exclusive; list && *list; list++) {
		if (!lists_word(*list, slot->option->name))
			continue;

		const struct slot *other = find_seen(parser, *list, slot);
		if (other) {
			const char *advice = strchr(*list, ':');
			report_error("--%s and --%s cannot be combined%s", other->option->name,
			             slot->option->name, advice ? advice : "");
			return -1;
		}
	}

	return 0;
}

/**
 * Finds the value in a word that joins the name of an option and a value: "kind" in "bykind" and
 * "by-kind", which the user wrote instead of "--by kind". A value is accepted if it is a word of at
 * least three letters in the help text of the option.
 *
 * @param name   long name of the option: "by"
 * @param help   text that contains the valid values
 * @param typed  the word, without its leading dashes
 * @return       the value within `typed`, or NULL if `typed` does not have this form
 */
static const char *glued_value(const char *name, const char *help, const char *typed)
{
	size_t length = strlen(name);

	if (strncmp(typed, name, length) != 0)
		return NULL;

	const char *value = typed + length + (typed[length] == '-');
	size_t size = strlen(value);

	/* Ignore words of one or two letters: short words of help texts are words such as "by" and
	 * "or", not values. */
	for (const char *at = help; size > 2 && (at = strstr(at, value)); at++) {
		if ((at == help || strchr(" ,\n", at[-1])) && strchr(" ,\n", at[size]))
			return value;
	}
	return NULL;
}

/**
 * Reports a word that joins an option and its value, as "--bykind". @return false if the word is
 * not of that form
 */
static bool report_glued(const struct parser *parser, const char *typed)
{
	for (size_t i = 0; i < parser->count; i++) {
		const struct cli_option *option = parser->slots[i].option;
		const char *value = NULL;

		if (option->argument)
			value = glued_value(option->name, option->help, typed);
		if (value) {
			report_error("unknown option --%s; did you mean --%s %s?", typed,
			             option->name, value);
			return true;
		}
	}
	return false;
}

/**
 * Reports an option that another tool has, with what to do instead.
 * @return false if there is no such option
 */
static bool report_counterpart(const struct cli_spec *spec, const char *typed)
{
	const char *dashes = strlen(typed) == 1 ? "-" : "--";

	for (const struct cli_counterpart *other = spec->counterparts; other && other->words;
	     other++)
		if (lists_word(other->words, typed)) {
			report_error("%s has no %s%s: %s", spec->command, dashes, typed,
			             other->advice);
			return true;
		}
	return false;
}

static void report_unknown_long(const struct parser *parser, const char *word)
{
	const char *command = parser->spec->command;
	const char *names[CLI_OPTIONS_MAX];
	size_t matches = 0;
	char typed[64];
	size_t length = pm_min_size(strcspn(word + 2, "="), sizeof typed - 1);

	memcpy(typed, word + 2, length);
	typed[length] = '\0';
	if (report_glued(parser, typed) || report_counterpart(parser->spec, typed))
		return;

	for (size_t i = 0; i < parser->count; i++) {
		names[i] = parser->slots[i].option->name;
		matches += strncmp(names[i], typed, length) == 0;
	}

	const char *nearest = pm_typo_nearest(typed, names, parser->count);

	if (matches > 1)
		report_error("--%s is ambiguous: several options start with it (see 'procmem %s "
		             "--help')",
		             typed, command);
	else if (nearest)
		report_error("unknown option --%s; did you mean --%s?", typed, nearest);
	else
		report_error("unknown option --%s (see 'procmem %s --help')", typed, command);
}

/** Reports the unknown or ambiguous option at which getopt_long() failed. */
static void report_unknown(struct parser *parser, char **argv)
{
	const struct slot *slot = optopt ? find_slot(parser, optopt) : NULL;
	const char letter[] = { (char)optopt, '\0' };

	if (slot)
		report_error("--%s takes no argument", slot->option->name);
	else if (optopt == 0)
		report_unknown_long(parser, argv[optind - 1]);
	else if (report_counterpart(parser->spec, letter))
		return;
	else if (optopt >= '0' && optopt <= '9')
		report_error("-%c is neither an option nor a PID: PIDs are positive numbers",
		             optopt);
	else
		report_error("unknown option -%c (see 'procmem %s --help')", optopt,
		             parser->spec->command);
}

/**
 * Checks whether the user wrote the option `spec->absent`, alone or joined with a value.
 * getopt_long() would accept it as the abbreviation of another option.
 */
static bool is_absent(const struct cli_spec *spec, const char *word)
{
	const char *name = spec->absent[0];
	if (!name || strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, strlen(name)) != 0)
		return false;

	size_t length = strlen(name);

	return word[2 + length] == '\0' || word[2 + length] == '=' ||
	       glued_value(name, spec->absent[1], word + 2);
}

/**
 * Checks that an option can be combined with the earlier ones, and passes it to the parser of its
 * group. Reports errors.
 * @return 0 or -1
 */
static int parse_option(struct parser *parser, struct slot *slot, void *into)
{
	struct pm_error error;

	if (check_exclusive(parser, slot) < 0)
		return -1;
	if (slot->group->parse((char *)into + slot->group->offset, slot->option->id, optarg,
	                       &error) == 0)
		return 0;

	pm_error_prefix(&error, "--%s: ", slot->option->name);
	report_failure(&error);
	return -1;
}

/** Reports the first operand that is missing. */
static void report_missing(const struct cli_spec *spec, const struct cli_result *result)
{
	const char *word = spec->operands;

	for (int i = 0; i < result->count; i++)
		word += strcspn(word, " ") + (strchr(word, ' ') != NULL);

	if (result->in_session && strncmp(word, "TARGET", strlen("TARGET")) == 0)
		report_error("%s: nothing is attached; use 'attach PID' or 'attach NAME' first",
		             spec->command);
	else
		report_error("%s needs %s %.*s (see 'procmem %s --help')", spec->command,
		             *word == 'A' ? "an" : "a", (int)strcspn(word, " ."), word,
		             spec->command);
}

bool cli_check_operands(const struct cli_spec *spec, const struct cli_result *result)
{
	if (result->count < spec->operands_min) {
		report_missing(spec, result);
		return false;
	}

	if (spec->operands_max >= 0 && result->count > spec->operands_max) {
		report_error("unexpected operand '%s'; usage: %s %s",
		             result->operands[spec->operands_max], spec->command, spec->operands);
		return false;
	}

	return true;
}

/** Prints the help or the version. */
static enum status run_common(const struct cli_spec *spec, const struct cli_option *option,
                              struct out *out)
{
	if (option->id == 'h')
		cli_help_print(spec, out);
	else
		out_string(out, "procmem " PROCMEM_VERSION "\n");
	return STATUS_OK;
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

		/* If the option has no argument or is unknown, the previous word is the option
		 * itself, not its argument. */
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
			result->status = run_common(spec, slot->option, out);
			return false;
		}
		if (parse_option(&parser, slot, into) < 0)
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
	int places[OPERANDS_PLACED];
	int code;

	start(&parser, spec);
	/* The leading dash makes getopt_long() keep the order of the words and return 1 for
	 * operands. */
	snprintf(letters, sizeof letters, "-%s", parser.letters);
	*count = 0;

	while ((code = getopt_long(argc, argv, letters, parser.long_options, NULL)) != -1) {
		const struct slot *slot = code == 1 ? NULL : find_slot(&parser, code);

		if (code == 1 && *count < OPERANDS_PLACED)
			places[*count] = optind - 1;
		*count += code == 1;

		if (slot && spec->instead_of_first &&
		    lists_word(spec->instead_of_first, slot->option->name))
			which = 0;
	}

	/* Count the words after `--`. For the first of them, the place of the `--` is stored. */
	for (int i = optind; i < argc; i++, ++*count) {
		bool follows_dashes = i == optind && strcmp(argv[i - 1], "--") == 0;

		if (*count < OPERANDS_PLACED)
			places[*count] = i - follows_dashes;
	}

	if (which > *count || which >= OPERANDS_PLACED)
		return -1;
	return which < *count ? places[which] : argc;
}
