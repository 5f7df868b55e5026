/* SPDX-License-Identifier: MIT */
#include "cgroup/parts.h"

#include <string.h>

#include "base/delta.h"
#include "base/minmax.h"
#include "view/table.h"

enum { PART, SIZE, SHARE, RATE, NOTE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	{ .title = "PART" },
	{ .title = "SIZE", .right = true },
	{ .title = "SHARE", .right = true },
	{ .title = "RATE", .right = true },
	{ .title = "" },
};

const char *cgroup_parts_name(enum pm_cgroup_part part, const struct pm_cgroup_split *split)
{
	static const char *const names[PM_CGROUP_PARTS] = {
		[PM_CGROUP_ANON] = "processes (anonymous)",
		[PM_CGROUP_SHMEM] = "tmpfs and shared memory",
		[PM_CGROUP_FILE_INACTIVE] = "file cache, inactive",
		[PM_CGROUP_FILE_ACTIVE] = "file cache, active",
		[PM_CGROUP_FILE_PINNED] = "file cache, pinned",
		[PM_CGROUP_SWAP_CACHE] = "swap cache",
		[PM_CGROUP_SLAB_RECLAIMABLE] = "kernel: slab, reclaimable",
		[PM_CGROUP_SLAB_UNRECLAIMABLE] = "kernel: slab, not reclaimable",
		[PM_CGROUP_PAGE_TABLES] = "kernel: page tables",
		[PM_CGROUP_STACKS] = "kernel: stacks of threads",
		[PM_CGROUP_PERCPU] = "kernel: per-CPU data",
		[PM_CGROUP_VMALLOC] = "kernel: vmalloc",
		[PM_CGROUP_ZSWAP] = "zswap",
		[PM_CGROUP_SOCKETS] = "sockets",
		[PM_CGROUP_HUGETLB] = "hugetlb",
		[PM_CGROUP_KERNEL_OTHER] = "kernel: other",
	};

	if (part == PM_CGROUP_KERNEL_OTHER && !split->kernel_split)
		return "kernel";
	return names[part];
}

void cgroup_parts_put_size(const struct cgroup_report *report, struct text *text, uint64_t size)
{
	if (size == 0)
		text_char(text, '0');
	else
		text_size_as(text, size, report->options->output.bytes);
}

/** The rows of the table of a level: the parts that are not empty, and the rest. */
struct parts_view {
	const struct cgroup_report *report;
	const struct pm_cgroup_level *level;
	const struct cgroup_level_rates *rates;
	enum pm_cgroup_part order[PM_CGROUP_PARTS];
	size_t count;
	bool with_rates;
};

/** Adds a remark about a part. */
static void put_note(const struct parts_view *view, enum pm_cgroup_part part, struct text *text)
{
	static const char *const notes[PM_CGROUP_PARTS] = {
		[PM_CGROUP_SHMEM] = "not reclaimable without swap",
		[PM_CGROUP_FILE_INACTIVE] = "reclaimable",
		[PM_CGROUP_FILE_ACTIVE] = "reclaimable",
		[PM_CGROUP_FILE_PINNED] = "locked, or in ramfs",
		[PM_CGROUP_SWAP_CACHE] = "at most",
	};

	if (view->with_rates)
		text_string(text, pm_verdict_name(view->rates->trends[part].verdict));
	else if (notes[part])
		text_string(text, notes[part]);
}

static void put_share(const struct parts_view *view, uint64_t size, struct text *text)
{
	uint64_t whole = view->level->current;

	if (whole == UINT64_MAX)
		whole = pm_cgroup_parts_sum(&view->level->split);
	if (whole > 0)
		text_format(text, "%.1f%%", (double)size * 100 / (double)whole);
}

/** Adds a cell of the row of what the statistics do not explain. */
static void rest_cell(const struct parts_view *view, size_t column, struct text *text)
{
	const struct pm_cgroup_split *split = &view->level->split;
	uint64_t size = pm_max(split->rest, split->excess);
	bool lag = size <= cgroup_tolerance(view->report, view->level);

	switch (column) {
	case PART:
		text_string(text, split->excess > 0 ? "counted twice or late" : "rest");
		break;
	case SIZE:
		text_string(text, split->excess > 0 ? "-" : "");
		cgroup_parts_put_size(view->report, text, size);
		break;
	case SHARE:
		put_share(view, size, text);
		break;

	case NOTE:
		if (lag)
			text_string(text, "inexact statistics");
		else if (split->excess > 0)
			text_string(text, "more than the usage");
		else
			text_string(text, "not in the statistics");
		break;
	default:
		break;
	}
}

static void part_cell(void *context, size_t row, size_t column, struct text *text)
{
	const struct parts_view *view = context;
	const struct pm_cgroup_split *split = &view->level->split;

	if (!view->with_rates && column >= RATE)
		column++;
	if (row == view->count) {
		rest_cell(view, column, text);
		return;
	}

	enum pm_cgroup_part part = view->order[row];
	double rate;

	switch (column) {
	case PART:
		text_string(text, cgroup_parts_name(part, split));
		break;
	case SIZE:
		cgroup_parts_put_size(view->report, text, split->parts[part]);
		break;
	case SHARE:
		put_share(view, split->parts[part], text);
		break;

	case RATE:
		rate = pm_trend_growth_rate(&view->rates->trends[part]);
		delta_put_rate(text, rate > 0 ? rate : view->rates->trends[part].rate);
		break;
	default:
		put_note(view, part, text);
	}
}

void cgroup_parts_print(const struct cgroup_report *report, size_t index, struct out *out)
{
	const struct pm_cgroup_level *level = &report->levels.items[index];
	struct parts_view view = { .report = report,
		                   .level = level,
		                   .rates = &report->rates.items[index],
		                   .with_rates = report->rates.known };
	struct table_column shown[COLUMNS];
	size_t widths[TABLE_COLUMNS_MAX], count = COLUMNS;

	for (int part = 0; part < PM_CGROUP_PARTS; part++)
		if (level->split.parts[part] > 0)
			view.order[view.count++] = (enum pm_cgroup_part)part;

	memcpy(shown, columns, sizeof columns);
	if (!view.with_rates) {
		shown[RATE] = shown[NOTE];
		count--;
	}

	struct table table = { .columns = shown,
		               .column_count = count,
		               .rows = view.count + (level->current != UINT64_MAX),
		               .titles = true,
		               .open_end = true,
		               .context = &view,
		               .cell = part_cell };
	table_measure(&table, widths);
	table_print(&table, widths, out);
}
