/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <string.h>

#include "diff/diff.h"
#include "dump/dump.h"
#include "grep/grep.h"
#include "headroom/headroom.h"
#include "map/map.h"
#include "ps/ps.h"
#include "snap/snap.h"
#include "strings/strings.h"
#include "watch/watch.h"

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
	{ 0 },
};

const struct command *commands_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}
