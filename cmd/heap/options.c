/* SPDX-License-Identifier: MIT */
#include "heap/options.h"

#include <stddef.h>
#include <string.h>

#include <procmem/census.h>
#include <procmem/number.h>

#include "base/delta.h"
#include "target/malloc_graph.h"

enum {
	OPTION_STOP = CLI_LONG_ONLY,
	OPTION_BY,
	OPTION_LIST,
	OPTION_GROWTH,
	OPTION_SIZE,
	OPTION_TYPE,
	OPTION_TEXT,
	OPTION_STATE,
	OPTION_RETAINED,
	OPTION_TREE,
	OPTION_MAX_STOP,
};

/* Shortest argument of --growth, in seconds: most programs do nothing in less time. */
static const double growth_min = 0.1;

static const struct cli_option show_options[] = {
	{ 'a', "all", NULL, "show all arenas and classes, not only the largest" },
	{ OPTION_BY, "by", "LIST",
	  "count chunks by size, type, text, arena, state or\n"
	  "thread, or by several of these (default: size,type)" },
	{ OPTION_LIST, "list", NULL, "list the chunks, by address" },
	{ OPTION_RETAINED, "retained", NULL,
	  "stop the process while its memory is copied, and show\n"
	  "which variables, stacks and other roots hold chunks" },
	{ OPTION_TREE, "tree", "ROOT",
	  "with --retained: show through which chunks one root\n"
	  "holds others. 'nothing' as ROOT: the lost chunks.\n"
	  "With --by type, chunks of all sizes are in one row" },
	{ OPTION_GROWTH, "growth", "DURATION",
	  "read the heap three times in this time, and show\n"
	  "which chunks were allocated and not freed" },
	{ 0 },
};

static const struct cli_option filter_options[] = {
	{ OPTION_SIZE, "size", "SIZE|MIN-MAX",
	  "chunks of this size, with malloc's header, as the\n"
	  "table shows it (96, 1K-64K, 1M-)" },
	{ OPTION_TYPE, "type", "REGEX", "chunks whose type matches" },
	{ OPTION_TEXT, "text", "REGEX", "chunks whose text in the first 64 bytes matches" },
	{ OPTION_STATE, "state", "LIST",
	  "chunks that are in_use (default), cached, free or\n"
	  "top, or all" },
	{ 0 },
};

static const struct cli_option walk_options[] = {
	{ OPTION_STOP, "stop", NULL,
	  "stop the process while its heap is read; the figures\nare then exact" },
	{ OPTION_MAX_STOP, "max-stop", "DURATION",
	  "with --stop or --retained: do not stop the process for\n"
	  "longer than about this (default: 1s; 0: any time)" },
	{ 0 },
};

/**
 * Parses words separated by commas.
 *
 * @param list   the words
 * @param names  the valid words; NULL at the end
 * @param bits   receives a bit for each word: 1 << its index in `names`
 * @param error  PM_ERROR_USAGE
 * @return       0 or -1
 */
static int parse_words(const char *list, const char *const *names, unsigned *bits,
                       struct pm_error *error)
{
	struct pm_error unknown;

	for (;;) {
		size_t length = strcspn(list, ","), i = 0;

		while (names[i] && (strncmp(names[i], list, length) != 0 || names[i][length]))
			i++;
		if (!names[i] || length == 0)
			break;

		*bits |= 1u << i;
		if (!list[length])
			return 0;
		list += length + 1;
	}

	pm_error_set(&unknown, PM_ERROR_USAGE, 0, "'%.*s' is unknown: use %s",
	             (int)strcspn(list, ","), list, names[0]);
	for (size_t i = 1; names[i]; i++) {
		char before[sizeof unknown.text];
		memcpy(before, unknown.text, sizeof before);
		pm_error_set(&unknown, PM_ERROR_USAGE, 0, "%s%s%s", before,
		             names[i + 1] ? ", " : " or ", names[i]);
	}
	if (error)
		*error = unknown;
	return -1;
}

/** Returns whether words separated by commas, all of which are valid, have a word twice. */
static bool has_twice(const char *list, const char *const *names)
{
	unsigned bits = 0;

	for (;;) {
		unsigned one = 0;
		size_t length = strcspn(list, ",");
		for (size_t i = 0; names[i]; i++)
			if (strncmp(names[i], list, length) == 0 && !names[i][length])
				one = 1u << i;
		if (bits & one)
			return true;
		bits |= one;
		if (!list[length])
			return false;
		list += length + 1;
	}
}

static int parse_by(struct heap_options *options, const char *value, struct pm_error *error)
{
	/* In the order of the bits of enum pm_census_key. "thread" counts by arena. */
	static const char *const names[] = { "size",  "type",   "text", "arena",
		                             "state", "thread", NULL };
	const unsigned thread = 1u << 5;

	if (parse_words(value, names, &options->by, error) < 0)
		return -1;
	if (has_twice(value, names))
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' has a word twice", value);

	if (options->by & thread) {
		options->by = (options->by & ~thread) | PM_CENSUS_ARENA;
		options->by_thread = true;
	}
	return 0;
}

static int parse_state(struct heap_options *options, const char *value, struct pm_error *error)
{
	static const char *const names[] = {
		[PM_CHUNK_IN_USE] = "in_use", [PM_CHUNK_CACHED] = "cached",
		[PM_CHUNK_FREE] = "free",     [PM_CHUNK_TOP] = "top",
		[PM_CHUNK_TOP + 1] = "all",   NULL
	};
	const unsigned every = (1u << (PM_CHUNK_TOP + 1)) - 1;

	if (parse_words(value, names, &options->filter.states, error) < 0)
		return -1;

	if (options->filter.states > every)
		options->filter.states = every;
	return 0;
}

/** Parses one end of a range of sizes. */
static int parse_end(const char *word, size_t length, uint64_t *size, struct pm_error *error)
{
	char copy[32];

	if (length >= sizeof copy)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is not a size", word);

	memcpy(copy, word, length);
	copy[length] = '\0';
	return pm_parse_size(copy, size, error);
}

/** Parses SIZE, MIN-MAX, MIN- or -MAX. */
static int parse_size(struct heap_options *options, const char *value, struct pm_error *error)
{
	const char *dash = strchr(value, '-');
	struct pm_chunk_filter_options *filter = &options->filter;

	if (!dash) {
		if (pm_parse_size(value, &filter->size_min, error) < 0)
			return -1;
		filter->size_max = filter->size_min;
		return 0;
	}

	size_t length = (size_t)(dash - value);
	if (length == 0 && !dash[1])
		return pm_error_set(error, PM_ERROR_USAGE, 0, "'%s' is not a range of sizes",
		                    value);
	if (length > 0 && parse_end(value, length, &filter->size_min, error) < 0)
		return -1;
	if (dash[1] && parse_end(dash + 1, strlen(dash + 1), &filter->size_max, error) < 0)
		return -1;
	if (dash[1] && filter->size_max < filter->size_min)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s': the maximum is less than the minimum", value);

	return 0;
}

static int parse_growth(struct heap_options *options, const char *value, struct pm_error *error)
{
	if (delta_parse_duration(value, &options->growth, error) < 0)
		return -1;
	if (options->growth < growth_min)
		return pm_error_set(error, PM_ERROR_USAGE, 0, "must be at least 0.1s");

	return 0;
}

static int parse_option(void *into, int id, const char *value, struct pm_error *error)
{
	struct heap_options *options = into;

	switch (id) {
	case OPTION_BY:
		return parse_by(options, value, error);
	case OPTION_GROWTH:
		return parse_growth(options, value, error);
	case OPTION_SIZE:
		return parse_size(options, value, error);
	case OPTION_STATE:
		return parse_state(options, value, error);
	case OPTION_MAX_STOP:
		return malloc_graph_parse_stop(value, &options->stop_max_ns, error);

	case OPTION_TYPE:
		options->filter.type = value;
		return 0;
	case OPTION_TEXT:
		options->filter.text = value;
		return 0;
	case OPTION_LIST:
		options->chunks = true;
		return 0;

	case OPTION_RETAINED:
		options->retained = true;
		return 0;
	case OPTION_TREE:
		options->tree = value;
		return 0;
	case OPTION_STOP:
		options->stop = true;
		return 0;
	default:
		options->list.all = true;
		return 0;
	}
}

const struct cli_group heap_options_groups[] = {
	{ "What to show:", show_options, parse_option, 0 },
	{ "Which chunks:", filter_options, parse_option, 0 },
	{ "How to read:", walk_options, parse_option, 0 },
	{ "How:", options_of_lists, options_parse_list, offsetof(struct heap_options, list) },
	{ "Output:", options_of_output, options_parse_output,
	  offsetof(struct heap_options, output) },
	{ 0 },
};

const char *const heap_options_exclusive[] = {
	"json csv",
	"all top",
	"list by: --list prints each chunk, and --by counts chunks; use one of them",
	"list sort: chunks are listed by address; --csv helps to sort them",
	"list reverse: chunks are listed by address; --csv helps to sort them",
	"list columns: --csv helps to select columns",
	"growth list: use --list afterwards, with the --size and --text of a class",
	"growth by: growth is counted by size and type; the output of --json can be summed up",
	"growth stop: the process has to run to allocate chunks; leave out --stop",
	"growth columns: --json has all fields",
	"growth csv: use --json",
	"retained growth: use them one after the other",
	"retained list: --tree shows the chunks of one root, and 'procmem refs' what holds a chunk",
	"retained stop: --retained stops the process anyway; leave out --stop",
	"tree sort: each row is below the row that holds its chunks; --csv helps to sort them",
	"tree reverse: each row is below the row that holds its chunks; --csv helps to sort them",
	NULL,
};

bool heap_options_select(const struct heap_options *options)
{
	const struct pm_chunk_filter_options *filter = &options->filter;

	return filter->states || filter->size_min || filter->size_max || filter->type ||
	       filter->text;
}
