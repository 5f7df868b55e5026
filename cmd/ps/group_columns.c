/* SPDX-License-Identifier: MIT */
#include "ps/group_columns.h"

#include <inttypes.h>
#include <string.h>

#include "view/json.h"

/* Digits of the ID of a container that the table shows, as many as the runtimes show. */
enum { SHORT_ID = 12 };

/** The sizes of a group. */
enum size { SIZE_MEMORY, SIZE_USS, SIZE_SHARED, SIZE_PSS };

/** The numbers of processes of a group. */
enum number { NUMBER_PROCESSES, NUMBER_NEW, NUMBER_ENDED, NUMBER_UNREAD };

static const struct ps_group *group_of(const void *item)
{
	return item;
}

static bool number_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_group *group = item;

	switch ((enum number)column->index) {
	case NUMBER_PROCESSES:
		*value = group->processes;
		break;
	case NUMBER_NEW:
		*value = group->started;
		break;
	case NUMBER_ENDED:
		*value = group->ended;
		break;
	case NUMBER_UNREAD:
		*value = group->unread;
		break;
	}
	return true;
}

/** Gets a sum of sizes in smaps_rollup, of those processes that could be read. */
static bool size_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct ps_group *group = item;
	uint64_t shared = 0;

	*value = 0;
	/* The kernel rounds each size down to KiB. */
	if (group->pss > group->private_size)
		shared = group->pss - group->private_size;

	switch ((enum size)column->index) {
	case SIZE_MEMORY:
		*value = group->private_size + shared + group->hugetlb;
		break;
	case SIZE_USS:
		*value = group->private_size + group->hugetlb;
		break;
	case SIZE_SHARED:
		*value = shared;
		break;
	case SIZE_PSS:
		*value = group->pss;
		break;
	}
	/* If only processes without memory could be read, nothing is known. */
	return group->unread == 0 || *value > 0;
}

static bool is_incomplete(const void *item)
{
	return group_of(item)->unread > 0;
}

static void size_text(const struct list_column *column, const void *item, struct text *text)
{
	uint64_t value;

	if (size_of(column, item, &value))
		text_decimal(text, value);
}

/** Adds a size for the table. If processes could not be read, the sum is at least that size. */
static void size_show(const struct list_column *column, const void *item, bool brief,
                      struct text *text)
{
	const struct ps_group *group = item;
	uint64_t value;

	(void)brief;
	if (!size_of(column, item, &value)) {
		text_char(text, '?');
		return;
	}
	if (group->unread > 0)
		text_char(text, '>');
	text_size_as(text, value, group->bytes);
}

static bool rss_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = group_of(item)->rss;
	return true;
}

static bool swap_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = group_of(item)->swap;
	return true;
}

/** Returns the change of RSS of a group, in bytes per second, with processes that have ended. */
static int64_t rate_in(const struct ps_group *group)
{
	return ps_columns_rate(group->rss_before, group->rss, group->seconds);
}

static bool rate_of(const struct list_column *column, const void *item, uint64_t *value)
{
	(void)column;
	*value = ps_columns_rate_key(rate_in(item));
	return true;
}

static void rate_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_format(text, "%" PRId64, rate_in(item));
}

static void rate_show(const struct list_column *column, const void *item, bool brief,
                      struct text *text)
{
	(void)column, (void)brief;
	ps_columns_put_rate(rate_in(item), group_of(item)->bytes, text);
}

static json_t *rate_value(const struct list_column *column, const void *item)
{
	(void)column;
	return json_integer(rate_in(item));
}

static void largest_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_process_row *largest = group_of(item)->largest;

	(void)column;
	if (largest)
		text_format(text, "%s (%d)", largest->comm, (int)largest->pid);
}

static json_t *largest_value(const struct list_column *column, const void *item)
{
	const struct pm_process_row *largest = group_of(item)->largest;
	json_t *object;

	(void)column;
	if (!largest)
		return NULL;

	object = json_object();
	json_object_set_new(object, "pid", json_integer(largest->pid));
	json_object_set_new(object, "name", json_text(largest->comm));
	json_object_set_new(object, "rss", json_number(largest->rss));
	return object;
}

static void runtime_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_container *container = group_of(item)->container;

	(void)column;
	if (container && container->runtime != PM_RUNTIME_UNKNOWN)
		text_string(text, pm_container_runtime_name(container->runtime));
}

static void pod_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct pm_container *container = group_of(item)->container;

	(void)column;
	if (container)
		text_string(text, container->pod);
}

static void name_text(const struct list_column *column, const void *item, struct text *text)
{
	(void)column;
	text_string(text, group_of(item)->name);
}

/**
 * Adds the path of a cgroup for the table. If there is little room, adds its last component,
 * because the first ones are the same for most groups.
 */
static void cgroup_show(const struct list_column *column, const void *item, bool brief,
                        struct text *text)
{
	const char *path = group_of(item)->name;
	const char *last = strrchr(path, '/');

	(void)column;
	if (brief && last && last > path)
		text_format(text, "…%s", last);
	else
		text_string(text, path);
}

/** Adds the ID of a container for the table, shortened as the runtimes do. */
static void container_show(const struct list_column *column, const void *item, bool brief,
                           struct text *text)
{
	const struct ps_group *group = item;
	const struct pm_container *container = group->container;

	(void)column, (void)brief;
	if (container && container->runtime != PM_RUNTIME_LXC)
		text_bytes(text, group->name, strnlen(group->name, SHORT_ID));
	else
		text_string(text, group->name);
}

static json_t *size_value(const struct list_column *column, const void *item)
{
	uint64_t value;

	return size_of(column, item, &value) ? json_number(value) : NULL;
}

/* A column for a sum of sizes in smaps_rollup. */
#define ROLLUP_SIZE(NAME, JSON, TITLE, INDEX, HELP) \
	{ .name = (NAME),                           \
	  .json = (JSON),                           \
	  .title = (TITLE),                         \
	  .type = LIST_SIZE,                        \
	  .needs = PS_NEEDS_ROLLUP,                 \
	  .number = size_of,                        \
	  .at_least = is_incomplete,                \
	  .text = size_text,                        \
	  .show = size_show,                        \
	  .value = size_value,                      \
	  .index = (INDEX),                         \
	  .help = (HELP) }

/* A column for a number of processes. */
#define NUMBER(NAME, JSON, TITLE, NEEDS, INDEX, HELP) \
	{ .name = (NAME),                             \
	  .json = (JSON),                             \
	  .title = (TITLE),                           \
	  .type = LIST_COUNT,                         \
	  .needs = (NEEDS),                           \
	  .number = number_of,                        \
	  .index = (INDEX),                           \
	  .help = (HELP) }

static const struct list_column columns[] = {
	NUMBER("processes", "process_count", "PROCESSES", 0, NUMBER_PROCESSES,
	       "number of processes"),
	ROLLUP_SIZE("memory", "memory_bytes", "MEMORY", SIZE_MEMORY,
	            "sum of 'uss' and 'shared': memory that only the group shares counts once "
	            "(slow)"),
	ROLLUP_SIZE("uss", NULL, "USS", SIZE_USS, "memory that one process has alone (slow)"),
	ROLLUP_SIZE("shared", "shared_bytes", "SHARED", SIZE_SHARED,
	            "shared memory, each page divided by the number of processes that share it "
	            "(slow)"),
	ROLLUP_SIZE("pss", NULL, "PSS", SIZE_PSS,
	            "'memory' without private huge pages of hugetlbfs (slow)"),
	{ .name = "rss",
	  .title = "RSS",
	  .type = LIST_SIZE,
	  .alone = true,
	  .number = rss_of,
	  .help = "sum of RSS, which counts shared memory for each process" },
	{ .name = "swap",
	  .title = "SWAP",
	  .type = LIST_SIZE,
	  .number = swap_of,
	  .help = "swapped-out size" },
	{ .name = "rate",
	  .title = "RATE",
	  .type = LIST_SIZE,
	  .alone = true,
	  .needs = PS_NEEDS_FOR,
	  .number = rate_of,
	  .text = rate_text,
	  .show = rate_show,
	  .value = rate_value,
	  .help = "change of 'rss' per second, with processes that started or ended (--for)" },
	NUMBER("new", "new_count", "NEW", PS_NEEDS_FOR, NUMBER_NEW,
	       "processes that started during --for"),
	NUMBER("ended", "ended_count", "ENDED", PS_NEEDS_FOR, NUMBER_ENDED,
	       "processes that ended during --for"),
	NUMBER("unread", "unread_count", "UNREAD", PS_NEEDS_ROLLUP, NUMBER_UNREAD,
	       "processes that could not be read, and whose 'memory' is missing"),
	{ .name = "runtime",
	  .title = "RUNTIME",
	  .type = LIST_TEXT,
	  .safe = true,
	  .text = runtime_text,
	  .help = "program that created the container" },
	{ .name = "pod",
	  .title = "POD",
	  .type = LIST_TEXT,
	  .safe = true,
	  .text = pod_text,
	  .help = "UID of the pod of Kubernetes that the container is in" },
	{ .name = "largest",
	  .json = "largest_process",
	  .title = "LARGEST",
	  .type = LIST_TEXT,
	  .text = largest_text,
	  .value = largest_value,
	  .help = "name and PID of the process with the most RSS" },
	{ .name = "program",
	  .title = "PROGRAM",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_BY << PS_BY_PROGRAM,
	  .text = name_text,
	  .help = "command name (--by program)" },
	{ .name = "cgroup",
	  .title = "CGROUP",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_BY << PS_BY_CGROUP,
	  .text = name_text,
	  .show = cgroup_show,
	  .help = "cgroup that accounts the memory (--by cgroup)" },
	{ .name = "user",
	  .title = "USER",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_BY << PS_BY_USER,
	  .text = name_text,
	  .help = "effective user (--by user)" },
	{ .name = "container",
	  .title = "CONTAINER",
	  .type = LIST_TEXT,
	  .needs = PS_NEEDS_BY << PS_BY_CONTAINER,
	  .text = name_text,
	  .show = container_show,
	  .help = "ID of the container, or (none) (--by container)" },
};

/* The description of a list. SIZES are the default columns of numbers, LAST those of names. */
#define GROUP_SPEC(NAME, SIZES, JSON, LAST, SORT)                            \
	{ .singular = "group",                                               \
	  .plural = "groups",                                                \
	  .columns = columns,                                                \
	  .column_count = sizeof columns / sizeof columns[0],                \
	  .table_columns = "processes," SIZES LAST,                          \
	  .csv_columns = "processes," SIZES LAST,                            \
	  .json_columns = NAME ",processes,memory,uss,shared,rss,swap," JSON \
		               "unread,runtime,pod,largest",                 \
	  .json_identity = (NAME),                                           \
	  .sort = (SORT),                                                    \
	  .left_out_column = "memory",                                       \
	  .droppable = "swap,uss",                                           \
	  .droppable_last = "rss" }

/* The descriptions of a list without and with --for, and in each case without and with a column
 * for processes that could not be read. */
#define GROUP_SPECS(NAME, LAST)                                                                 \
	{                                                                                       \
		{ GROUP_SPEC(NAME, "memory,uss,rss,swap,", "", LAST, "memory"),                 \
		  GROUP_SPEC(NAME, "unread,memory,uss,rss,swap,", "", LAST, "memory") },        \
		{                                                                               \
			GROUP_SPEC(NAME, "memory,rss,rate,new,ended,", "rate,new,ended,", LAST, \
			           "rate"),                                                     \
				GROUP_SPEC(NAME, "unread,memory,rss,rate,new,ended,",           \
			                   "rate,new,ended,", LAST, "rate")                     \
		}                                                                               \
	}

static const struct list_spec specs[][2][2] = {
	[PS_BY_PROGRAM] = GROUP_SPECS("program", "program"),
	[PS_BY_CGROUP] = GROUP_SPECS("cgroup", "largest,cgroup"),
	[PS_BY_USER] = GROUP_SPECS("user", "largest,user"),
	[PS_BY_CONTAINER] = GROUP_SPECS("container", "container,largest"),
};

const struct list_spec *ps_group_columns_spec(enum ps_by by, bool with_for, bool with_unread)
{
	return &specs[by][with_for][with_unread];
}
