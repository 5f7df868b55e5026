/* SPDX-License-Identifier: MIT */
#include "cgroup/top.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "cgroup/json.h"
#include "view/table.h"

enum { USAGE, LIMIT, ANON, SHMEM, FILE_CACHE, KERNEL, GROUP, COLUMNS };

/** Number of cgroups that are listed without --top. */
enum { TOP_ROWS = 20 };

static const struct table_column columns[COLUMNS] = {
	{ .title = "USAGE", .right = true },
	{ .title = "LIMIT", .right = true },
	{ .title = "ANON", .right = true },
	{ .title = "SHMEM", .right = true },
	{ .title = "FILE", .right = true },
	{ .title = "KERNEL", .right = true },
	{ .title = "CGROUP" },
};

/** The cgroups that are shown. */
struct top {
	const struct cgroup_options *options;
	struct pm_cgroup_list list;
	struct pm_cgroup_level *levels; /* copies; their strings belong to `read` */
	struct pm_cgroup_levels *read;  /* owned */
	size_t count;
};

static void cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct top *top = context;
	const struct pm_cgroup_level *level = &top->levels[row];
	const uint64_t *parts = level->split.parts;
	uint64_t size = 0;

	switch (column) {
	case USAGE:
		size = level->current;
		break;
	case LIMIT:
		size = level->max;
		break;
	case ANON:
		size = parts[PM_CGROUP_ANON];
		break;
	case SHMEM:
		size = parts[PM_CGROUP_SHMEM];
		break;

	case FILE_CACHE:
		size = parts[PM_CGROUP_FILE_INACTIVE] + parts[PM_CGROUP_FILE_ACTIVE] +
		       parts[PM_CGROUP_FILE_PINNED];
		break;
	case KERNEL:
		size = pm_cgroup_parts_kernel(&level->split);
		break;
	default:
		utf8_escape(text, level->path, strlen(level->path));
		return;
	}

	if (size == UINT64_MAX)
		text_char(text, '-');
	else
		text_size_as(text, size, top->options->output.bytes);
}

/** Reads the cgroups with the highest usage. A cgroup that was removed since is left out. */
static void read_top(struct top *top)
{
	size_t max = top->options->top > 0 ? (size_t)top->options->top : TOP_ROWS;
	size_t wanted = pm_min_size(top->list.count, max);

	top->levels = alloc_array(NULL, wanted + 1, sizeof *top->levels);
	top->read = alloc_array(NULL, wanted + 1, sizeof *top->read);
	for (size_t i = 0; i < wanted; i++) {
		struct pm_cgroup_levels levels;
		if (pm_cgroup_levels_read_folder(top->list.items[i].folder, &levels, NULL) < 0)
			continue;
		top->read[top->count] = levels;
		top->levels[top->count++] = levels.items[0];
	}
}

static void print_text(struct top *top, struct out *out)
{
	size_t widths[TABLE_COLUMNS_MAX];
	struct table table = { .columns = columns,
		               .column_count = COLUMNS,
		               .rows = top->count,
		               .titles = true,
		               .open_end = true,
		               .context = top,
		               .cell = cell };

	out_wrapped_format(out, 2,
	                   "%zu memory cgroup%s, the highest usage first; the usage of a cgroup "
	                   "contains that of the cgroups below it\n",
	                   top->list.count, text_plural(top->list.count));
	table_measure(&table, widths);
	table_print(&table, widths, out);
	if (top->list.count > top->count)
		out_wrapped_format(out, 2, "\xe2\x80\xa6 %zu more (--top)\n",
		                   top->list.count - top->count);
	if (top->list.unreadable > 0)
		out_wrapped_format(out, 2, "%zu cgroup%s could not be read\n", top->list.unreadable,
		                   text_plural(top->list.unreadable));
	if (top->list.incomplete)
		out_string(out, "there are more cgroups than were read\n");
}

static void print_json(const struct top *top, struct out *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	json_put(&json, "time", json_now());
	json_open(&json, "cgroups", '[');
	for (size_t i = 0; i < top->count; i++) {
		json_open(&json, NULL, '{');
		cgroup_json_put_level(&json, &top->levels[i]);
		json_shut(&json, '}');
	}
	json_shut(&json, ']');
	json_put(&json, "cgroups_total", json_number(top->list.count));
	json_put(&json, "cgroups_unread", json_number(top->list.unreadable));
	json_put(&json, "cgroups_incomplete", json_boolean(top->list.incomplete));
	json_shut(&json, '}');
	out_string(out, "\n");
}

int cgroup_top_print(const struct cgroup_options *options, struct out *out, struct pm_error *error)
{
	struct top top = { .options = options };
	struct pm_process *process;
	if (pm_process_open(NULL, getpid(), &process, error) < 0)
		return -1;

	int result = pm_cgroup_levels_list(process, NULL, interrupt_catch(), &top.list, error);
	pm_process_close(process);
	if (result < 0)
		return -1;
	if (!top.list.root)
		return pm_error_set(
			error, PM_ERROR_UNSUPPORTED, 0,
			"no memory cgroup is visible: none is mounted, or the kernel has "
			"no memory controller");

	read_top(&top);
	if (options->output.json)
		print_json(&top, out);
	else if (!options->output.quiet)
		print_text(&top, out);

	for (size_t i = 0; i < top.count; i++)
		pm_cgroup_levels_deinit(&top.read[i]);
	free(top.read);
	free(top.levels);
	pm_cgroup_levels_list_deinit(&top.list);
	return 0;
}
