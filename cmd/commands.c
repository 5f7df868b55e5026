/* SPDX-License-Identifier: MIT */
#include "commands.h"

#include <string.h>

#include "cgroup/cgroup.h"
#include "diff/diff.h"
#include "dump/dump.h"
#include "grep/grep.h"
#include "headroom/headroom.h"
#include "heap/heap.h"
#include "leaks/leaks.h"
#include "map/map.h"
#include "pressure/pressure.h"
#include "ps/ps.h"
#include "refs/refs.h"
#include "snap/snap.h"
#include "stale/stale.h"
#include "strings/strings.h"
#include "trace/trace.h"
#include "watch/watch.h"
#include "who/who.h"
#include "why/why.h"

const struct command commands[] = {
	{ "why", "investigate a process, and report why its memory grows or weighs", why_run,
	  &why_spec, 0, "Explain" },
	{ "ps", "list processes by memory, to find a target", ps_run, &ps_spec, -1, "Find" },
	{ "who", "show which processes use a file or shared memory", who_run, &who_spec, 0,
	  "Find" },
	{ "cgroup", "report what fills a memory cgroup, and what grows in it", cgroup_run,
	  &cgroup_spec, 0, "Find" },
	{ "map", "list the memory regions of a process, and what each is for", map_run, &map_spec,
	  0, "Look" },
	{ "dump", "print or save the bytes of memory regions", dump_run, &dump_spec, 0, "Look" },
	{ "heap", "show what is inside malloc: arenas, chunks, and fragmentation", heap_run,
	  &heap_spec, 0, "Look" },
	{ "refs", "show what points to an address, and why a chunk is still reachable", refs_run,
	  &refs_spec, 0, "Look" },
	{ "leaks", "find chunks of malloc that nothing points to", leaks_run, &leaks_spec, 0,
	  "Look" },
	{ "strings", "print the text in memory, with the address of each string", strings_run,
	  &strings_spec, 0, "Search" },
	{ "grep", "search memory for a pattern", grep_run, &grep_spec, 1, "Search" },
	{ "watch", "report which regions grow, how fast, and when a limit is reached", watch_run,
	  &watch_spec, 0, "Follow" },
	{ "snap", "write a sample of all regions to a file", snap_run, &snap_spec, 0, "Follow" },
	{ "diff", "report how regions changed between two moments", diff_run, &diff_spec, 1,
	  "Follow" },
	{ "headroom", "report the limits of a process, and when it reaches them", headroom_run,
	  &headroom_spec, 0, "Follow" },
	{ "trace", "show which code maps the memory that is still there", trace_run, &trace_spec, 0,
	  "Follow" },
	{ "stale", "report memory that the process has but does not touch", stale_run, &stale_spec,
	  0, "Follow" },
	{ "pressure", "report what waits for memory, and which processes were OOM-killed",
	  pressure_run, &pressure_spec, 0, "Follow" },
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
