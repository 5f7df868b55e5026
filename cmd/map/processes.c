/* SPDX-License-Identifier: MIT */
#include "map/processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "view/list_print.h"

/** The sums of the regions of a process. */
enum sum { SUM_SIZE, SUM_RSS, SUM_PSS, SUM_USS, SUM_SWAP, SUM_COUNT };

struct map_process {
	pid_t pid;
	char comm[PM_COMM_SIZE];
	char *command; /* owned */
	uint64_t regions;
	uint64_t sums[SUM_COUNT]; /* in bytes */
};

static bool pid_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = (uint64_t)((const struct map_process *)item)->pid;
	return true;
}

static bool regions_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct map_process *)item)->regions;
	return true;
}

static bool sum_of(const struct list_column *column, const void *item, uint64_t *value)
{
	*value = ((const struct map_process *)item)->sums[column->index];
	return true;
}

static void name_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, ((const struct map_process *)item)->comm);
}

static void command_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, ((const struct map_process *)item)->command);
}

/* RSS has no total, because shared pages would be counted once for each process. */
#define SUM(NAME, TITLE, INDEX, ALONE, HELP) \
	{ .name = (NAME),                    \
	  .title = (TITLE),                  \
	  .type = LIST_SIZE,                 \
	  .index = (INDEX),                  \
	  .alone = (ALONE),                  \
	  .number = sum_of,                  \
	  .needs = REGION_NEEDS_SMAPS,       \
	  .help = (HELP) }

static const struct list_column columns[] = {
	{ .name = "pid",
	  .title = "PID",
	  .type = LIST_NUMBER,
	  .number = pid_of,
	  .help = "process ID" },
	SUM("pss", "PSS", SUM_PSS, false,
	    "resident memory, each page divided by the number of processes that share it"),
	SUM("uss", "USS", SUM_USS, false, "resident memory that no other process shares"),
	SUM("rss", "RSS", SUM_RSS, true, "resident memory; shared pages count in each process"),
	SUM("swap", "SWAP", SUM_SWAP, true, "swapped memory; shared pages count in each process"),
	SUM("size", "SIZE", SUM_SIZE, true, "length of the regions"),
	{ .name = "count",
	  .title = "COUNT",
	  .type = LIST_COUNT,
	  .number = regions_of,
	  .help = "number of regions" },
	{ .name = "name",
	  .title = "NAME",
	  .type = LIST_TEXT,
	  .text = name_text,
	  .help = "command name" },
	{ .name = "command",
	  .title = "COMMAND",
	  .type = LIST_TEXT,
	  .text = command_text,
	  .help = "command line" },
};

const struct list_spec map_processes_spec = {
	.singular = "process",
	.plural = "processes",
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.table_columns = "pid,pss,uss,rss,swap,name,command",
	.csv_columns = "pid,pss,uss,rss,swap,size,count,name,command",
	.json_columns = "pid,pss,uss,rss,swap,size,count,name,command",
	.json_identity = "pid",
	.sort = "pss",
	.left_out_column = "pss",
	.droppable = "swap,uss",
	.count_column = false,
};

static uint64_t uss_of(const struct pm_region *region)
{
	return region->bytes[PM_SIZE_PRIVATE_CLEAN] + region->bytes[PM_SIZE_PRIVATE_DIRTY];
}

void map_processes_add(struct map_processes *processes, const struct loaded *loaded,
                       const struct list *regions)
{
	if (processes->count == processes->capacity) {
		processes->capacity = processes->capacity * 2 + 16;
		processes->items = alloc_array(processes->items, processes->capacity,
		                               sizeof *processes->items);
	}

	struct map_process process = { .pid = loaded->info.pid, .regions = regions->count };
	memcpy(process.comm, loaded->info.comm, sizeof process.comm);
	process.command = alloc_string(loaded->command);
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = regions->items[i];
		process.sums[SUM_SIZE] += pm_region_size(region);
		process.sums[SUM_RSS] += region->bytes[PM_SIZE_RSS];
		process.sums[SUM_PSS] += region->bytes[PM_SIZE_PSS];
		process.sums[SUM_USS] += uss_of(region);
		process.sums[SUM_SWAP] += region->bytes[PM_SIZE_SWAP];
	}

	processes->items[processes->count++] = process;
}

/** Prints what all processes use together. */
static void print_sums(const struct map_processes *processes, const struct target_list *targets,
                       bool bytes, struct out *out)
{
	uint64_t sums[SUM_COUNT] = { 0 };
	for (size_t i = 0; i < processes->count; i++)
		for (int k = 0; k < SUM_COUNT; k++)
			sums[k] += processes->items[i].sums[k];

	const size_t missing = target_list_missing(targets), all = processes->count + missing;
	struct text line = { 0 };
	text_decimal(&line, processes->count);
	if (missing > 0)
		text_format(&line, " of %zu", all);
	text_format(&line, " process%s", all == 1 ? "" : "es");
	if (targets->group) {
		text_string(&line, " of cgroup ");
		utf8_escape(&line, targets->group, strlen(targets->group));
	}
	text_string(&line, ": PSS ");
	text_size_as(&line, sums[SUM_PSS], bytes);
	text_string(&line, " (shared pages once), of which ");
	text_size_as(&line, sums[SUM_USS], bytes);
	text_string(&line, " is not shared");
	if (sums[SUM_SWAP] > 0) {
		text_string(&line, "; swap ");
		text_size_as(&line, sums[SUM_SWAP], bytes);
	}

	text_char(&line, '\n');
	out_wrapped(out, &line, 2);
	text_deinit(&line);
}

int map_processes_print(const struct map_processes *processes, const struct target_list *targets,
                        const struct list_options *options, bool bytes, struct out *out,
                        struct pm_error *error)
{
	struct list list;
	if (list_init(&list, &map_processes_spec, options, bytes, error) < 0)
		return -1;

	for (size_t i = 0; i < processes->count; i++)
		list_add(&list, &processes->items[i]);
	list_sort(&list);

	if (!options->csv && !options->no_header) {
		print_sums(processes, targets, bytes, out);
		list.lines_above = 1;
	}
	list_print(&list, out);
	list_deinit(&list);

	return 0;
}

void map_processes_deinit(struct map_processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		free(processes->items[i].command);
	free(processes->items);
	*processes = (struct map_processes){ 0 };
}
