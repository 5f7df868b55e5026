/* SPDX-License-Identifier: MIT */
#include "ps/columns.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "view/json.h"

/* Maximum number of levels by which the table indents names. Names below them are at the same
 * column, after their level. */
enum { INDENTED_MAX = 16 };

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

/** Gets the PID of the parent, which processes whose parent is not visible do not have. */
static bool ppid_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = (uint64_t)process_of(item)->ppid;
	return process_of(item)->ppid > 0;
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

static bool rss_swap_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = process_of(item)->rss + process_of(item)->swap;
	return !process_of(item)->kernel_thread;
}

static bool pss_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	(void)column;
	*value = row->rollup.pss;
	return row->rollup_known;
}

static bool uss_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	(void)column;
	*value = pm_process_rollup_uss(&row->rollup);
	return row->rollup_known;
}

static bool limit_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	(void)column;
	if (!row->cgroup || !row->cgroup->limited)
		return false;

	*value = row->cgroup->limit;
	return true;
}

/** Returns the resident size as a share of the limit, in tenths of a percent. */
static bool share_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	uint64_t limit;

	if (!limit_of(column, item, &limit) || limit == 0 || row->process->kernel_thread)
		return false;

	*value = (uint64_t)((unsigned __int128)row->process->rss * 1000 / limit);
	return true;
}

static bool depth_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct ps_row *)item)->depth;
	return true;
}

static bool tree_rss_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ((const struct ps_row *)item)->tree_rss;
	return true;
}

static bool tree_pss_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;
	(void)column;
	*value = row->tree_pss;
	return row->tree_pss_known;
}

int64_t ps_columns_rate(uint64_t before, uint64_t now, double seconds)
{
	/* Far above the rate of any machine, and far below the limits of the type. */
	const double rate_max = 1e18;
	double rate = ((double)now - (double)before) / seconds;

	if (rate > rate_max)
		return (int64_t)rate_max;
	if (rate < -rate_max)
		return (int64_t)-rate_max;
	return (int64_t)(rate + (rate < 0 ? -0.5 : 0.5));
}

int64_t ps_columns_add_rates(int64_t one, int64_t other)
{
	int64_t sum;

	if (__builtin_add_overflow(one, other, &sum))
		return one < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

uint64_t ps_columns_rate_key(int64_t rate)
{
	return (uint64_t)rate + (UINT64_C(1) << 63);
}

void ps_columns_put_rate(int64_t rate, bool bytes, struct text *text)
{
	if (bytes)
		text_format(text, "%+" PRId64, rate);
	else
		delta_put_rate_in(text, (double)rate, DELTA_PER_SECOND);
}

static bool rate_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;

	(void)column;
	*value = ps_columns_rate_key(row->rate);
	return row->rate_known;
}

/** Adds the rate as a number of bytes per second. */
static void rate_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct ps_row *row = item;

	(void)column;
	if (row->rate_known)
		text_format(text, "%" PRId64, row->rate);
}

static void rate_show(const struct list_column *column, const void *item, bool brief,
                      struct text *text)
{
	const struct ps_row *row = item;

	(void)column, (void)brief;
	if (row->rate_known)
		ps_columns_put_rate(row->rate, row->bytes, text);
	else
		text_string(text, row->is_new ? "new" : "?");
}

static json_t *rate_value(const struct list_column *column, const void *item)
{
	const struct ps_row *row = item;

	(void)column;
	return row->rate_known ? json_integer(row->rate) : NULL;
}

static bool tree_rate_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_row *row = item;

	(void)column;
	*value = ps_columns_rate_key(row->tree_rate);
	return row->tree_rate_known;
}

static void tree_rate_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct ps_row *row = item;

	(void)column;
	if (row->tree_rate_known)
		text_format(text, "%" PRId64, row->tree_rate);
}

static void tree_rate_show(const struct list_column *column, const void *item, bool brief,
                           struct text *text)
{
	const struct ps_row *row = item;

	(void)column, (void)brief;
	if (row->tree_rate_known)
		ps_columns_put_rate(row->tree_rate, row->bytes, text);
	else
		text_string(text, row->is_new ? "new" : "?");
}

static json_t *tree_rate_value(const struct list_column *column, const void *item)
{
	const struct ps_row *row = item;

	(void)column;
	return row->tree_rate_known ? json_integer(row->tree_rate) : NULL;
}

static void new_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	if (((const struct ps_row *)item)->is_new)
		text_string(text, "new");
}

static json_t *new_value(const struct list_column *column, const void *item)
{
	(void)column;
	return ((const struct ps_row *)item)->is_new ? json_true() : NULL;
}

static bool start_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = process_of(item)->start_ticks;
	return true;
}

/** Adds the start time in UTC. */
static void start_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	delta_put_time(text, ((const struct ps_row *)item)->started_ns);
}

/** Adds the start time as a date and local time. */
static void start_show(const struct list_column *column, const void *item, bool brief,
                       struct text *text)
{
	const struct ps_row *row = item;
	const time_t seconds = (time_t)(row->started_ns / 1000000000);
	struct tm local;
	char formatted[64];

	(void)column;
	if (localtime_r(&seconds, &local) &&
	    strftime(formatted, sizeof formatted, brief ? "%m-%d %H:%M" : "%Y-%m-%d %H:%M:%S",
	             &local) > 0)
		text_string(text, formatted);
}

static json_t *start_value(const struct list_column *column, const void *item)
{
	(void)column;
	return json_time(((const struct ps_row *)item)->started_ns);
}

static void cgroup_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct ps_row *row = item;

	(void)column;
	if (row->cgroup)
		text_string(text, ps_cgroups_name(row->cgroup));
}

static void container_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct ps_row *row = item;

	(void)column;
	if (row->cgroup && row->cgroup->in_container)
		text_string(text, row->cgroup->container.id);
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

/** Indents a name by the level of the process in the tree. */
static void indent(const struct ps_row *row, bool brief, struct text *text)
{
	const size_t width = brief ? 1 : 2;

	text_fill(text, ' ', width * pm_min_size(row->depth, INDENTED_MAX));
	if (row->depth > INDENTED_MAX)
		text_format(text, "(level %zu) ", row->depth);
}

static void name_show(const struct list_column *column, const void *item, bool brief,
                      struct text *text)
{
	indent(item, brief, text);
	name_text(column, item, text);
}

/**
 * Adds the command line for the table. If there is little room, leaves out the directory of the
 * program, so that the arguments are visible: "python3 worker.py" instead of "/usr/local/lib/...".
 */
static void command_show(const struct list_column *column, const void *item, bool brief,
                         struct text *text)
{
	const char *command = process_of(item)->command;
	const size_t program = strcspn(command, " ");
	const char *slash = memrchr(command, '/', program);

	indent(item, brief, text);
	if (brief && *command == '/' && slash + 1 < command + program)
		text_string(text, slash + 1);
	else
		command_text(column, item, text);
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
	{ .name = "ppid",
	  .title = "PPID",
	  .type = LIST_NUMBER,
	  .number = ppid_of,
	  .help = "PID of the parent" },
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
	{ .name = "start",
	  .json = "started",
	  .title = "START",
	  .type = LIST_NUMBER,
	  .number = start_of,
	  .text = start_text,
	  .show = start_show,
	  .value = start_value,
	  .help = "when the process was started" },
	PROCESS_SIZE("size", "SIZE", size, true, "size of the address space"),
	PROCESS_SIZE("rss", "RSS", rss, true, "resident size; shared pages count in full"),
	{ .name = "pss",
	  .title = "PSS",
	  .type = LIST_SIZE,
	  .needs = PS_NEEDS_ROLLUP,
	  .number = pss_of,
	  .help = "resident size, each page divided by the number of processes that share it "
	          "(slow)" },
	{ .name = "uss",
	  .title = "USS",
	  .type = LIST_SIZE,
	  .needs = PS_NEEDS_ROLLUP,
	  .number = uss_of,
	  .help = "resident size that no other process shares (slow)" },
	PROCESS_SIZE("swap", "SWAP", swap, false, "swapped-out size"),
	{ .name = "rss_swap",
	  .title = "RSS+SWAP",
	  .type = LIST_SIZE,
	  .alone = true,
	  .optional = true,
	  .number = rss_swap_of,
	  .help = "sum of resident and swapped-out size" },
	{ .name = "rate",
	  .title = "RATE",
	  .type = LIST_SIZE,
	  .alone = true,
	  .needs = PS_NEEDS_FOR,
	  .number = rate_of,
	  .text = rate_text,
	  .show = rate_show,
	  .value = rate_value,
	  .help = "change of RSS per second (--for)" },
	{ .name = "new",
	  .title = "NEW",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_FOR,
	  .safe = true,
	  .text = new_text,
	  .value = new_value,
	  .help = "whether the process was started during --for" },
	{ .name = "tree_rss",
	  .title = "TREE-RSS",
	  .type = LIST_SIZE,
	  .alone = true,
	  .needs = PS_NEEDS_TREE,
	  .number = tree_rss_of,
	  .help = "sum of RSS of the process and the processes below it; shared pages count for "
	          "each of them (--tree)" },
	{ .name = "tree_pss",
	  .title = "TREE-PSS",
	  .type = LIST_SIZE,
	  .alone = true,
	  .needs = PS_NEEDS_TREE | PS_NEEDS_ROLLUP,
	  .number = tree_pss_of,
	  .help = "the same sum of PSS, which counts shared pages once (--tree, slow)" },
	{ .name = "tree_rate",
	  .title = "TREE-RATE",
	  .type = LIST_SIZE,
	  .alone = true,
	  .needs = PS_NEEDS_FOR | PS_NEEDS_TREE,
	  .number = tree_rate_of,
	  .text = tree_rate_text,
	  .show = tree_rate_show,
	  .value = tree_rate_value,
	  .help = "the same sum of the rates (--tree with --for)" },
	{ .name = "depth",
	  .title = "DEPTH",
	  .type = LIST_NUMBER,
	  .needs = PS_NEEDS_TREE,
	  .number = depth_of,
	  .help = "level in the tree, from 0 (--tree)" },
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
	{ .name = "cgroup",
	  .title = "CGROUP",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_CGROUP,
	  .text = cgroup_text,
	  .help = "cgroup that accounts the memory" },
	{ .name = "container",
	  .title = "CONTAINER",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_CGROUP,
	  .text = container_text,
	  .help = "ID of the container, from the cgroup" },
	{ .name = "name",
	  .title = "NAME",
	  .type = LIST_TEXT,
	  .text = name_text,
	  .show = name_show,
	  .help = "command name" },
	{ .name = "command",
	  .title = "COMMAND",
	  .type = LIST_TEXT,
	  .text = command_text,
	  .show = command_show,
	  .value = command_value,
	  .help = "command line" },
};

/* The description of a list. SIZES are the default columns before the command line, and EXTRA
 * additional ones of JSON. */
#define PS_SPEC(SIZES, EXTRA, SORT)                                                            \
	{ .singular = "process",                                                               \
	  .plural = "processes",                                                               \
	  .columns = columns,                                                                  \
	  .column_count = sizeof columns / sizeof columns[0],                                  \
	  .table_columns = "pid,user," SIZES ",command",                                       \
	  .csv_columns = "pid,user," SIZES ",command",                                         \
	  .json_columns = "pid,ppid,user,uid,state,threads,start,size,rss,swap,rss_swap,peak," \
		          "limit,limit%,cgroup,container," EXTRA "name,command",               \
	  .json_identity = "pid",                                                              \
	  .sort = (SORT),                                                                      \
	  .left_out_column = "rss",                                                            \
	  .droppable = "swap,limit%,peak",                                                     \
	  .droppable_last = "threads,user" }

/* By whether --tree, and whether --for is given. */
static const struct list_spec specs[2][2] = {
	{ PS_SPEC("threads,rss,swap,peak,limit%", "", "rss"),
	  PS_SPEC("rss,rate,swap,limit%", "rate,new,", "rate") },
	{ PS_SPEC("rss,tree_rss,swap,limit%", "depth,tree_rss,", "tree_rss"),
	  PS_SPEC("rss,rate,tree_rss,tree_rate,swap,limit%", "depth,tree_rss,tree_rate,rate,new,",
	          "tree_rate") },
};

const struct list_spec *ps_columns_spec(bool tree, bool with_for)
{
	return &specs[tree][with_for];
}
