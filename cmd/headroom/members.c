/* SPDX-License-Identifier: MIT */
#include "headroom/members.h"

#include <string.h>

#include "base/minmax.h"
#include "base/utf8.h"
#include "target/json_parts.h"

/**
 * Maximum number of processes that the text output names. JSON output has all processes that were
 * read.
 */
enum { NAMED_MAX = 6 };

static void put_size(const struct headroom_report *report, struct text *line, uint64_t size)
{
	text_char(line, ' ');
	text_size_as(line, size, report->options->output.bytes);
}

/**
 * Adds the number and the memory of the processes that are not named, and the number of processes
 * that could not be read.
 */
static void put_rest(const struct headroom_report *report, struct text *line)
{
	const struct pm_members *members = &report->members;
	uint64_t rest = 0;
	size_t named = pm_min_size(members->count, NAMED_MAX), count = members->count - named;

	for (size_t i = named; i < members->count; i++)
		rest += members->items[i].rss + members->items[i].swap;

	if (count > 0) {
		text_format(line, ", %zu more", count);
		put_size(report, line, rest);
	}

	if (members->others > 0)
		text_format(line, ", %zu could not be read", members->others);
	if (members->incomplete)
		text_string(line, ", not all child cgroups could be read");
}

/**
 * Adds the page cache of the cgroup: cached files, and files in tmpfs and shared memory, which the
 * kernel cannot reclaim without swap.
 */
static void put_cache(const struct headroom_report *report, struct text *line)
{
	const struct pm_members *members = &report->members;
	uint64_t shmem = pm_min(members->shmem, members->cache);

	text_string(line, members->count > 0 ? "; cached files" : ": cached files");
	put_size(report, line, members->cache - shmem);
	if (members->reclaimable > 0) {
		text_string(line, " (inactive:");
		put_size(report, line, members->reclaimable);
		text_char(line, ')');
	}

	if (shmem > 0) {
		text_string(line, "; tmpfs and shared memory");
		put_size(report, line, shmem);
	}
}

void headroom_members_print(const struct headroom_report *report, struct out *out)
{
	const struct pm_members *members = &report->members;
	struct text line = { 0 };

	if (!members->group)
		return;

	text_string(&line, "in ");
	utf8_escape(&line, members->group, strlen(members->group));
	for (size_t i = 0; i < members->count && i < NAMED_MAX; i++) {
		const struct pm_member *member = &members->items[i];
		text_string(&line, i == 0 ? ": " : ", ");
		utf8_escape(&line, member->comm, strlen(member->comm));
		if (member->pid != report->info->pid)
			text_format(&line, " (%d)", (int)member->pid);
		put_size(report, &line, member->rss + member->swap);
	}

	put_rest(report, &line);
	put_cache(report, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

void headroom_members_put(const struct headroom_report *report, struct json *json)
{
	const struct pm_members *members = &report->members;
	if (!members->group)
		return;

	json_open(json, "group", '{');
	json_put(json, "path", json_text(members->group));
	json_put(json, "cache", json_number(members->cache));
	json_put(json, "shmem", json_number(members->shmem));
	json_put(json, "inactive", json_number(members->reclaimable));
	json_open(json, "processes", '[');

	for (size_t i = 0; i < members->count; i++) {
		json_open(json, NULL, '{');
		json_parts_process(json, members->items[i].pid, members->items[i].comm, NULL);
		json_put(json, "rss", json_number(members->items[i].rss));
		json_put(json, "swap", json_number(members->items[i].swap));
		json_shut(json, '}');
	}

	json_shut(json, ']');
	json_put(json, "others", json_number(members->others));
	json_put(json, "incomplete", json_boolean(members->incomplete));
	json_shut(json, '}');
}
