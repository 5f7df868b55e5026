/* SPDX-License-Identifier: MIT */
#include "shell/candidates.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/maps.h>
#include <procmem/process_list.h>

#include "base/alloc.h"
#include "commands.h"
#include "diff/diff.h"
#include "grep/grep.h"
#include "map/map.h"
#include "ps/columns.h"
#include "ps/group_columns.h"
#include "ps/ps.h"
#include "shell/builtins.h"
#include "strings/strings.h"
#include "target/group.h"
#include "target/region_columns.h"
#include "watch/watch.h"

/* Maximum number of hits, and of regions, that are offered. */
enum { NUMBERS_MAX = 100 };

void shell_candidates_add(struct candidates *candidates, const char *word)
{
	for (const char *at = word; *at; at++) {
		if (!isgraph((unsigned char)*at) || strchr("'\"\\|;<>&", *at))
			return;
	}

	if (*word == '\0' || strncmp(word, candidates->prefix, strlen(candidates->prefix)) != 0)
		return;

	candidates->items = alloc_array(candidates->items, candidates->count + 1,
	                                sizeof *candidates->items);
	candidates->items[candidates->count++] = alloc_string(word);
}

void shell_candidates_add_commands(struct candidates *candidates, bool builtins)
{
	for (const struct command *command = commands; command->name; command++)
		shell_candidates_add(candidates, command->name);

	for (const struct shell_builtin *builtin = shell_builtins; builtins && builtin->name;
	     builtin++)
		shell_candidates_add(candidates, builtin->name);
}

void shell_candidates_add_options(struct candidates *candidates, const struct cli_spec *spec)
{
	char word[80];

	for (const struct cli_group *group = spec->groups; group->options; group++) {
		for (const struct cli_option *option = group->options; option->name; option++) {
			if ((size_t)snprintf(word, sizeof word, "--%s", option->name) < sizeof word)
				shell_candidates_add(candidates, word);
		}
	}
	shell_candidates_add(candidates, "--help");
}

void shell_candidates_add_numbers(struct candidates *candidates, const struct results *results)
{
	char word[32];

	for (size_t i = 1; i <= results_hit_count(results) && i <= NUMBERS_MAX; i++) {
		snprintf(word, sizeof word, "#%zu", i);
		shell_candidates_add(candidates, word);
	}

	for (size_t i = 1; i <= results_region_count(results) && i <= NUMBERS_MAX; i++) {
		snprintf(word, sizeof word, "#r%zu", i);
		shell_candidates_add(candidates, word);
	}
}

void shell_candidates_add_kinds(struct candidates *candidates)
{
	for (int kind = PM_KIND_UNKNOWN + 1; kind < PM_KIND_COUNT; kind++)
		shell_candidates_add(candidates, pm_kind_name((enum pm_kind)kind));
}

void shell_candidates_add_mappings(struct candidates *candidates, const struct target *target,
                                   bool files)
{
	struct pm_regions regions;
	const char *last = "";

	if (!target->process)
		return;

	pm_regions_init(&regions);
	/* On failure the list is empty, but must still be released. */
	pm_maps_read(target->process, PM_MAPS, &regions, NULL);

	for (size_t i = 0; i < regions.count; i++) {
		const char *mapping = regions.items[i].mapping;
		const char *slash = strrchr(mapping, '/');

		if (strcmp(mapping, last) != 0 && (mapping[0] == '[') == !files)
			shell_candidates_add(candidates, files && slash ? slash + 1 : mapping);
		last = mapping;
	}

	pm_regions_deinit(&regions);
}

void shell_candidates_add_processes(struct candidates *candidates)
{
	struct pm_process_list processes;
	char word[32];
	bool numbers = *candidates->prefix >= '0' && *candidates->prefix <= '9';

	if (pm_process_list_read(&processes, NULL) < 0)
		return;

	for (size_t i = 0; i < processes.count; i++) {
		const struct pm_process_row *process = &processes.items[i];

		if (process->kernel_thread || process->pid == getpid())
			continue;

		snprintf(word, sizeof word, "%d", (int)process->pid);
		shell_candidates_add(candidates, numbers ? word : process->comm);
	}

	pm_process_list_deinit(&processes);
}

/**
 * Adds the names of columns. If the argument is a LIST that starts with '+', a '+' precedes each
 * name.
 */
static void add_columns(struct candidates *candidates, const struct list_spec *spec, bool list)
{
	char word[80];
	const char *plus = list && *candidates->prefix == '+' ? "+" : "";

	for (size_t i = 0; i < spec->column_count; i++) {
		if ((size_t)snprintf(word, sizeof word, "%s%s", plus, spec->columns[i].name) <
		    sizeof word)
			shell_candidates_add(candidates, word);
	}

	if (list)
		shell_candidates_add(candidates, "help");
}

/** Adds the columns of a command. @return false if the command has no columns */
static bool add_columns_of(struct candidates *candidates, const struct command *command,
                           const char *by, bool list)
{
	enum group_by group;

	if (command->run == ps_run) {
		enum ps_by what;
		const struct list_spec *spec = ps_columns_spec(false, false);

		if (by && ps_groups_parse(by, &what, NULL) == 0)
			spec = ps_group_columns_spec(what, false, false);
		add_columns(candidates, spec, list);
	} else if (command->run != map_run) {
		return false;
	} else if (by && group_by_parse(by, &group, NULL) == 0) {
		struct groups *groups = group_create(group);

		add_columns(candidates, group_columns_spec(groups), list);
		group_destroy(groups);
	} else {
		add_columns(candidates, &region_columns_spec, list);
	}

	return true;
}

/** The values of some options, separated by spaces. The first entry that matches is used. */
static const struct {
	/* Function of the command; NULL matches all commands. */
	enum status (*command)(struct out *out, int argc, char **argv);
	const char *option;
	const char *words;
} fixed[] = {
	{ NULL, "color", "auto always never" },
	{ NULL, "perms", "r rw rx rwx x r--p rw-p r-xp ---p" },
	{ map_run, "by", "kind mapping perms arena thread object owner" },
	{ ps_run, "by", "program cgroup user container" },
	{ diff_run, "by", "kind mapping owner" },
	{ grep_run, "by", "kind" },
	{ watch_run, "sort", "growth rate rss delta" },
	{ watch_run, "do", "exit exec: snap: dump:" },
	{ strings_run, "encoding", "all u s S l b L B" },
	{ strings_run, "radix", "x d o n" },
};

/** Adds the words of a list separated by spaces. */
static void add_words(struct candidates *candidates, const char *words)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		char word[32];
		size_t length = strcspn(at, " ");

		snprintf(word, sizeof word, "%.*s", (int)length, at);
		shell_candidates_add(candidates, word);
		at += length;
	}
}

static void add_fixed(struct candidates *candidates, const struct command *command,
                      const struct cli_option *option)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		bool of_command = !fixed[i].command || fixed[i].command == command->run;

		if (of_command && strcmp(fixed[i].option, option->name) == 0) {
			add_words(candidates, fixed[i].words);
			return;
		}
	}
}

bool shell_candidates_add_argument(struct candidates *candidates, const struct target *target,
                                   const struct command *command, const struct cli_option *option,
                                   const char *by)
{
	bool is_list = strcmp(option->name, "columns") == 0;
	bool is_columns = is_list || strcmp(option->name, "sort") == 0;

	if (strcmp(option->name, "kind") == 0)
		shell_candidates_add_kinds(candidates);
	else if (strcmp(option->name, "mapping") == 0)
		shell_candidates_add_mappings(candidates, target, true);
	else if (!is_columns || !add_columns_of(candidates, command, by, is_list))
		add_fixed(candidates, command, option);

	return strcmp(option->argument, "FILE") != 0;
}
