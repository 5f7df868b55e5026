/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <string.h>

#include <procmem/word.h>

const struct command commands[] = {
	{ "map", "the memory regions of a process, largest first, and what each is for", map_run,
	  &map_spec, 0 },
	{ "dump", "the bytes of memory regions", dump_run, &dump_spec, 0 },
	{ "strings", "the text in memory, with its addresses", strings_run, &strings_spec, 0 },
	{ "grep", "where a pattern is in memory", grep_run, &grep_spec, 1 },
	{ "ps", "processes by memory, to find the one to look at", ps_run, &ps_spec, -1 },
	{ "watch", "which regions grow, how fast, and until when", watch_run, &watch_spec, 0 },
	{ "snap", "one sample of all regions to a file", snap_run, &snap_spec, 0 },
	{ "diff", "what became of the regions between two moments", diff_run, &diff_spec, 1 },
	{ "headroom", "how much a process may still grow, and when that is used up", headroom_run,
	  &headroom_spec, 0 },
	{ "shell", "all of it at a prompt, on one target, with numbered results", shell_run,
	  &shell_spec, -1 },
	{ 0 },
};

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}

const char *command_nearest(const char *name)
{
	const char *names[sizeof commands / sizeof *commands];
	size_t count = 0;
	for (const struct command *command = commands; command->name; command++)
		names[count++] = command->name;
	return pm_nearest_word(name, names, count);
}
