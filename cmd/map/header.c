/* SPDX-License-Identifier: MIT */
#include "map/header.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "view/command_line.h"

/* Minimum width of the command line, in columns, even on a narrow terminal. */
enum { COMMAND_MIN = 20 };

/** Adds a duration in its two largest units. */
static void put_duration(struct text *text, uint64_t milliseconds)
{
	uint64_t seconds = milliseconds / 1000, minutes = seconds / 60;
	uint64_t hours = minutes / 60, days = hours / 24;

	if (days > 0)
		text_format(text, "%" PRIu64 "d %" PRIu64 "h", days, hours % 24);
	else if (hours > 0)
		text_format(text, "%" PRIu64 "h %" PRIu64 "m", hours, minutes % 60);
	else if (minutes > 0)
		text_format(text, "%" PRIu64 "m %" PRIu64 "s", minutes, seconds % 60);
	else
		text_format(text, "%" PRIu64 "s", seconds);
}

/**
 * Adds the part of the line after the command line: threads, age, memory and limit of the process.
 */
static void put_facts(struct text *text, const struct loaded *loaded, bool bytes)
{
	const struct pm_process_info *info = &loaded->info;
	text_format(text, "   %" PRIu32 " thread%s", info->threads, info->threads == 1 ? "" : "s");
	if (info->uptime_ms > 0) {
		text_string(text, "   up ");
		put_duration(text, info->uptime_ms);
	}

	text_string(text, "   RSS ");
	text_size_as(text, info->vm_rss, bytes);
	if (info->vm_swap > 0) {
		text_string(text, "   swap ");
		text_size_as(text, info->vm_swap, bytes);
	}

	if (loaded->limit.limited) {
		text_string(text, " of ");
		text_size_as(text, loaded->limit.max, bytes);
		text_string(text, " limit (cgroup ");
		utf8_escape(text, loaded->limit.group, strlen(loaded->limit.group));
		text_char(text, ')');
	}
}

/** Adds what a sample of a recording contains about the process. */
static void put_recorded(struct text *line, const struct loaded *loaded)
{
	uint64_t rss = 0;
	for (size_t i = 0; i < loaded->regions.count; i++)
		rss += loaded->regions.items[i].bytes[PM_SIZE_RSS];
	sampled_describe(&loaded->recorded, line);
	text_string(line, "   RSS ");
	text_size(line, rss);
}

static void put_saved(struct text *line, const struct loaded *loaded)
{
	if (loaded->recorded.word) {
		put_recorded(line, loaded);
		return;
	}

	utf8_escape(line, loaded->target->path, strlen(loaded->target->path));
	const char *what = "saved maps";
	if (loaded->core)
		what = "core file";
	else if (loaded->source == PM_SMAPS)
		what = "saved smaps";

	text_format(line, "   %s, %zu region%s", what, loaded->regions.count,
	            text_plural(loaded->regions.count));
	if (loaded->core && loaded->command[0] != '\0') {
		text_string(line, "  ");
		utf8_escape(line, loaded->command, strlen(loaded->command));
	}
}

static void put_process(struct text *line, const struct loaded *loaded, bool bytes, size_t width)
{
	struct text facts = { 0 };

	utf8_escape(line, loaded->info.comm, strlen(loaded->info.comm));
	text_format(line, " (%d)", (int)loaded->info.pid);
	put_facts(&facts, loaded, bytes);

	size_t used = utf8_columns(line->bytes, line->length) + 2 +
	              utf8_columns(facts.bytes, facts.length);
	size_t room = COMMAND_MIN;
	if (width == SIZE_MAX)
		room = SIZE_MAX;
	else if (width >= used + COMMAND_MIN)
		room = width - used;

	if (loaded->command[0] != '\0') {
		text_string(line, "  ");
		command_line_put(line, loaded->command, room);
	}
	text_bytes(line, facts.bytes, facts.length);
	text_deinit(&facts);
}

size_t map_header_print(const struct loaded *loaded, bool bytes, struct out *out)
{
	struct text line = { 0 };
	if (loaded->target->process)
		put_process(&line, loaded, bytes, out->width);
	else
		put_saved(&line, loaded);

	text_char(&line, '\n');
	size_t lines = out_wrapped(out, &line, 2);
	text_deinit(&line);
	return lines;
}
