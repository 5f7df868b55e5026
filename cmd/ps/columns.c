/* SPDX-License-Identifier: MIT */
#include "ps/columns.h"

#include <stddef.h>

#include "view/json.h"

static const struct pm_process_row *process_of(const void *item)
{
	return ((const struct ps_row *)item)->process;
}

/** Gets a size of a process; column->index is the offset of the size in struct pm_process_row. */
static bool size_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const char *process = (const char *)process_of(item);
	memcpy(value, process + column->index, sizeof *value);
	return !process_of(item)->kernel_thread;
}

static bool pid_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = (uint64_t)process_of(item)->pid;
	return true;
}

static bool uid_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = process_of(item)->uid;
	return true;
}

static bool threads_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = process_of(item)->threads;
	return true;
}

static bool pss_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	(void)column;
	*value = row->pss;
	return row->pss_known;
}

static bool limit_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	(void)column;
	*value = row->limit;
	return row->limited;
}

/** Returns the resident size as a share of the limit, in tenths of a percent. */
static bool share_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;

	(void)column;
	if (!row->limited || row->limit == 0 || row->process->kernel_thread)
		return false;

	*value = (uint64_t)((unsigned __int128)row->process->rss * 1000 / row->limit);
	return true;
}

static void user_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct ps_row *row = item;

	(void)column;
	if (row->user)
		text_string(text, row->user);
	else
		text_decimal(text, row->process->uid);
}

static void state_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_char(text, process_of(item)->state);
}

static void name_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, process_of(item)->comm);
}

/** Adds the command line. If a process has none, adds its name in brackets, as ps(1) does. */
static void command_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_process_row *process = process_of(item);

	(void)column;
	if (*process->command)
		text_string(text, process->command);
	else
		text_format(text, "[%s]", process->comm);
}

/** Makes the value of the command line for JSON, which has no brackets instead of it. */
static json_t *command_value(const struct list_column *column, const void *item)
{
	const struct pm_process_row *process = process_of(item);

	(void)column;
	return *process->command ? json_text(process->command) : NULL;
}

/* A column for a size that kernel threads do not have. The columns of resident sizes have no sum,
 * because shared pages would be counted once for each process. PSS has a sum. */
#define PROCESS_SIZE(NAME, TITLE, FIELD, ALONE, HELP)      \
	{ .name = (NAME),                                  \
	  .title = (TITLE),                                \
	  .type = LIST_SIZE,                               \
	  .alone = (ALONE),                                \
	  .optional = true,                                \
	  .index = offsetof(struct pm_process_row, FIELD), \
	  .number = size_of,                               \
	  .help = (HELP) }

static const struct list_column columns[] = {
	{ .name = "pid",
	  .title = "PID",
	  .type = LIST_NUMBER,
	  .number = pid_of,
	  .help = "process ID" },
	{ .name = "user",
	  .title = "USER",
	  .type = LIST_TEXT,
	  .text = user_text,
	  .needs = PS_NEEDS_USER,
	  .help = "effective user" },
	{ .name = "uid",
	  .title = "UID",
	  .type = LIST_NUMBER,
	  .number = uid_of,
	  .help = "ID of the effective user" },
	{ .name = "state",
	  .title = "STATE",
	  .type = LIST_TEXT,
	  .text = state_text,
	  .help = "R running, S sleeping, D uninterruptible, T stopped, Z zombie" },
	{ .name = "threads",
	  .title = "THREADS",
	  .type = LIST_COUNT,
	  .number = threads_of,
	  .help = "number of threads" },
	PROCESS_SIZE("size", "SIZE", size, true, "size of the address space"),
	PROCESS_SIZE("rss", "RSS", rss, true, "resident size; shared pages count in full"),
	{ .name = "pss",
	  .title = "PSS",
	  .type = LIST_SIZE,
	  .needs = PS_NEEDS_PSS,
	  .number = pss_of,
	  .help = "resident size, each page divided by the number of processes that share it "
	          "(slow)" },
	PROCESS_SIZE("swap", "SWAP", swap, false, "swapped-out size"),
	PROCESS_SIZE("peak", "PEAK", peak, true, "largest resident size so far (VmHWM)"),
	{ .name = "limit",
	  .json = "max",
	  .title = "LIMIT",
	  .type = LIST_SIZE,
	  .alone = true,
	  .optional = true,
	  .needs = PS_NEEDS_LIMIT,
	  .number = limit_of,
	  .help = "memory limit of the nearest cgroup with a limit" },
	{ .name = "limit%",
	  .json = "max_percent",
	  .title = "LIMIT%",
	  .type = LIST_PERCENT,
	  .optional = true,
	  .needs = PS_NEEDS_LIMIT,
	  .number = share_of,
	  .help = "resident size as a share of the memory limit" },
	{ .name = "name",
	  .title = "NAME",
	  .type = LIST_TEXT,
	  .text = name_text,
	  .help = "command name" },
	{ .name = "command",
	  .title = "COMMAND",
	  .type = LIST_TEXT,
	  .text = command_text,
	  .value = command_value,
	  .help = "command line" },
};

const struct list_spec ps_columns_spec = {
	.singular = "process",
	.plural = "processes",
	.columns = columns,
	.column_count = sizeof columns / sizeof columns[0],
	.table_columns = "pid,user,threads,rss,swap,peak,limit%,command",
	.csv_columns = "pid,user,threads,rss,swap,peak,limit%,command",
	.json_columns = "pid,user,uid,state,threads,size,rss,swap,peak,limit,limit%,name,command",
	.json_identity = "pid",
	.sort = "rss",
	.left_out_column = "rss",
	.droppable = "swap,limit%,peak",
	.droppable_last = "threads,user",
};
