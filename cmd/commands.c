/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <string.h>

#include <procmem/word.h>

const struct command commands[] = {
	{ "map", "the memory regions of a process, largest first, and what each is for", map_run },
	{ "dump", "the bytes of memory regions", dump_run },
	{ "ps", "processes by memory, to find the one to look at", ps_run },
	{ "watch", "which regions grow, how fast, and until when", watch_run },
	{ "snap", "one sample of all regions to a file", snap_run },
	{ "diff", "what became of the regions between two moments", diff_run },
	{ "headroom", "how much a process may still grow, and when that is used up", headroom_run },
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
