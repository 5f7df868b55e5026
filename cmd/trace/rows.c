/* SPDX-License-Identifier: MIT */
#include "trace/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "target/frames.h"
#include "view/json.h"
#include "view/results.h"

/** The numbers of a row, by list_column.index. */
enum number { RESIDENT, MAPPED, CALLS, REGIONS, FAULTS, SITES, CHANGE, TID, START, END };

static const struct pm_trace_site *site_of(const struct trace_row *row)
{
	return &row->report->result->sites[row->site];
}

static const struct pm_stack *stack_of(const struct trace_row *row)
{
	return &row->report->stacks[row->site];
}

/** Returns the innermost frame of the program; NULL if the stack has no frames. */
static const struct pm_frame *own_frame(const struct trace_report *report, size_t site)
{
	const struct pm_stack *stack = &report->stacks[site];
	size_t own = frames_own(stack);

	return own < stack->count ? &stack->frames[own] : NULL;
}

static bool number_of(const struct list_column *column, const void *item, uint64_t *value)
{
	const struct trace_row *row = item;
	const struct pm_trace_site *site = site_of(row);
	const uint64_t numbers[] = {
		[RESIDENT] = row->resident,
		[MAPPED] = row->mapped,
		[CALLS] = row->calls,
		[REGIONS] = row->regions,
		[FAULTS] = row->faults,
		[SITES] = row->sites,
		/* Sorted by its amount, whatever its sign. */
		[CHANGE] = (uint64_t)llabs(row->change),
		[TID] = (uint64_t)row->tid,
		[START] = site->start,
		[END] = site->end,
	};

	*value = numbers[column->index];
	switch (column->index) {
	case TID:
		return row->tid > 0;
	case START:
	case END:
		return site->end > 0;
	case CHANGE:
		return row->report->last != NULL;
	default:
		return true;
	}
}

static void change_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct trace_row *row = item;

	(void)column;
	if (row->report->last)
		delta_put_bytes(text, row->change, true);
}

static void change_show(const struct list_column *column, const void *item, bool brief,
                        struct text *text)
{
	const struct trace_row *row = item;

	(void)column;
	(void)brief;
	if (row->report->last)
		delta_put_bytes(text, row->change, false);
}

static json_t *change_json(const struct list_column *column, const void *item)
{
	const struct trace_row *row = item;

	(void)column;
	return row->report->last ? json_integer(row->change) : NULL;
}

static void thread_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct trace_row *row = item;
	const char *name = trace_report_thread(row->report, row->tid);

	(void)column;
	if (row->by == TRACE_BY_THREAD && row->tid == 0 && stack_of(row)->count == 0)
		frames_line(stack_of(row), site_of(row)->before, text);
	else if (row->tid == 0 && (row->calls > 0 || row->faults > 0))
		text_string(text, "several");
	else if (name)
		text_string(text, name);
	else if (row->tid > 0)
		text_decimal(text, (uint64_t)row->tid);
}

static json_t *thread_json(const struct list_column *column, const void *item)
{
	const struct trace_row *row = item;

	(void)column;
	return row->tid > 0 ? json_number((uint64_t)row->tid) : NULL;
}

static void function_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct trace_row *row = item;
	const struct pm_frame *frame = own_frame(row->report, row->site);

	(void)column;
	if (frame)
		frames_name(frame, text);
	else
		frames_line(stack_of(row), site_of(row)->before, text);
}

/** Adds the program or library of the innermost function of the program. */
static void put_object(const struct trace_report *report, size_t site, struct text *text)
{
	const struct pm_frame *frame = own_frame(report, site);

	if (frame && frame->module)
		text_string(text, frame->module);
	else if (frame)
		text_string(text, "[generated code]");
	else
		frames_line(&report->stacks[site], report->result->sites[site].before, text);
}

static void object_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct trace_row *row = item;

	(void)column;
	put_object(row->report, row->site, text);
}

static void site_text(const struct list_column *column, const void *item, struct text *text)
{
	const struct trace_row *row = item;

	(void)column;
	frames_line(stack_of(row), site_of(row)->before, text);
}

static json_t *stack_json(const struct list_column *column, const void *item)
{
	(void)column;
	return frames_json(stack_of(item));
}

static json_t *cut_json(const struct list_column *column, const void *item)
{
	(void)column;
	return stack_of(item)->cut ? json_true() : NULL;
}

static json_t *earlier_json(const struct list_column *column, const void *item)
{
	const struct trace_row *row = item;
	bool earlier = site_of(row)->before;

	(void)column;
	if (row->by == TRACE_BY_THREAD)
		earlier = trace_report_is_untouched(row->report, row->site);
	return earlier ? json_true() : NULL;
}

/** The text of columns that exist for JSON only: yes, or nothing. */
static void flag_text(const struct list_column *column, const void *item, struct text *text)
{
	json_t *value = column->value(column, item);

	if (value)
		text_string(text, "yes");
	json_decref(value);
}

/** Gives the largest region of a row a number in a session. */
static size_t identify(struct results *results, const void *item)
{
	const struct pm_trace_site *site = site_of(item);

	if (site->end == 0)
		return 0;
	return results_add_region(results, site->start, site->end, "", "");
}

static const struct list_column columns[] = {
	{ .name = "resident",
	  .title = "RESIDENT",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = RESIDENT,
	  .help = "bytes that are still mapped, and in memory or swap" },
	{ .name = "change",
	  .json = "delta",
	  .title = "CHANGE",
	  .type = LIST_SIZE,
	  .optional = true,
	  .alone = true,
	  .number = number_of,
	  .text = change_text,
	  .show = change_show,
	  .value = change_json,
	  .index = CHANGE,
	  .help = "change of the resident bytes since the previous table (--every)" },
	{ .name = "mapped",
	  .title = "MAPPED",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = MAPPED,
	  .help = "bytes of addresses that are still mapped" },
	{ .name = "calls",
	  .title = "CALLS",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = CALLS,
	  .help = "calls that mapped memory; page faults in memory mapped before the trace" },
	{ .name = "live",
	  .title = "LIVE",
	  .type = LIST_SIZE,
	  .number = number_of,
	  .index = MAPPED,
	  .help = "the same as 'mapped'" },
	{ .name = "regions",
	  .title = "REGIONS",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = REGIONS,
	  .help = "separate ranges of addresses that are still mapped" },
	{ .name = "faults",
	  .title = "FAULTS",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = FAULTS,
	  .help = "page faults recorded in this memory (--faults)" },
	{ .name = "sites",
	  .json = "count",
	  .title = "SITES",
	  .type = LIST_COUNT,
	  .number = number_of,
	  .index = SITES,
	  .help = "different call stacks" },
	{ .name = "tid",
	  .title = "TID",
	  .json = "",
	  .type = LIST_NUMBER,
	  .number = number_of,
	  .optional = true,
	  .index = TID,
	  .help = "thread ID, if one thread made all calls" },
	{ .name = "thread",
	  .title = "THREAD",
	  .type = LIST_TEXT,
	  .text = thread_text,
	  .value = thread_json,
	  .help = "name of the thread, or 'several'" },
	{ .name = "function",
	  .title = "FUNCTION",
	  .type = LIST_TEXT,
	  .text = function_text,
	  .help = "innermost function that is not of a system library" },
	{ .name = "object",
	  .title = "OBJECT",
	  .type = LIST_TEXT,
	  .text = object_text,
	  .help = "program or library of this function" },
	{ .name = "start",
	  .title = "START",
	  .type = LIST_ADDRESS,
	  .number = number_of,
	  .optional = true,
	  .index = START,
	  .help = "first address of the largest region" },
	{ .name = "end",
	  .title = "END",
	  .type = LIST_ADDRESS,
	  .number = number_of,
	  .optional = true,
	  .index = END,
	  .help = "end of the largest region" },
	{ .name = "cut",
	  .title = "CUT",
	  .type = LIST_TEXT,
	  .text = flag_text,
	  .value = cut_json,
	  .help = "whether outermost callers are not known" },
	{ .name = "earlier",
	  .title = "EARLIER",
	  .type = LIST_TEXT,
	  .text = flag_text,
	  .value = earlier_json,
	  .help = "whether the memory was mapped before the trace" },
	{ .name = "stack",
	  .title = "STACK",
	  .type = LIST_TEXT,
	  .text = site_text,
	  .value = stack_json,
	  .help = "as 'site'; in JSON, all frames" },
	{ .name = "site",
	  .title = "CALL SITE",
	  .json = "",
	  .type = LIST_TEXT,
	  .text = site_text,
	  .help = "call stack, from the innermost function of the program on" },
};

const struct list_spec trace_rows_spec = {
	.singular = "site",
	.plural = "sites",
	.columns = columns,
	.column_count = sizeof columns / sizeof *columns,
	.table_columns = "resident,mapped,calls,regions,thread,site",
	.csv_columns = "resident,mapped,calls,regions,faults,tid,thread,start,end,site",
	.json_columns = "stack,resident,change,mapped,live,calls,regions,faults,thread,start,end,"
			"cut,earlier",
	.json_identity = "stack",
	.sort = "resident",
	.left_out_column = "resident",
	.droppable = "regions,mapped",
	.droppable_last = "thread,calls",
	.last_wanted = 40,
	.count_column = false,
	.identify = identify,
	.id_prefix = "#r",
};

/** The default columns of sums. */
static const struct {
	const char *singular, *plural, *table, *changes, *csv, *json, *identity;
} defaults[] = {
	[TRACE_BY_FUNCTION] = { "function", "functions",
	                        "resident,mapped,calls,regions,sites,function",
	                        "resident,change,mapped,calls,regions,function",
	                        "resident,mapped,calls,regions,faults,sites,function,object",
	                        "function,object,resident,change,mapped,live,calls,regions,faults,"
	                        "sites",
	                        "function" },
	[TRACE_BY_THREAD] = { "thread", "threads", "resident,mapped,calls,regions,sites,tid,thread",
	                      "resident,change,mapped,calls,regions,tid,thread",
	                      "resident,mapped,calls,regions,faults,sites,tid,thread",
	                      "thread,resident,change,mapped,live,calls,regions,faults,sites,"
	                      "earlier",
	                      "thread" },
	[TRACE_BY_OBJECT] = { "object", "objects", "resident,mapped,calls,regions,sites,object",
	                      "resident,change,mapped,calls,regions,object",
	                      "resident,mapped,calls,regions,faults,sites,object",
	                      "object,resident,change,mapped,live,calls,regions,faults,sites",
	                      "object" },
};

/** Sets the default columns. */
static void choose_columns(struct list_spec *spec, enum trace_by by, bool changes)
{
	if (changes)
		spec->sort = "change";
	if (by == TRACE_BY_STACK || by == TRACE_BY_LINE) {
		if (changes)
			spec->table_columns = "resident,change,mapped,calls,regions,thread,site";
		return;
	}

	spec->singular = defaults[by].singular;
	spec->plural = defaults[by].plural;
	spec->table_columns = changes ? defaults[by].changes : defaults[by].table;
	spec->csv_columns = defaults[by].csv;
	spec->json_columns = defaults[by].json;
	spec->json_identity = defaults[by].identity;
}

/** A site with the text by which it is grouped. */
struct keyed {
	size_t site;
	char *key; /* owned; NULL for --by stack */
};

/** Returns the text by which a site is grouped. */
static char *key_of(const struct trace_report *report, size_t site, enum trace_by by)
{
	const struct trace_row row = { .report = report, .site = site };
	pid_t tid = site_of(&row)->tid;
	struct text text = { 0 };

	if (by == TRACE_BY_FUNCTION)
		function_text(NULL, &row, &text);
	if (by == TRACE_BY_FUNCTION || by == TRACE_BY_OBJECT) {
		text_char(&text, '\n');
		put_object(report, site, &text);
	}
	if (by == TRACE_BY_THREAD)
		text_format(&text, "%d", (int)tid);
	/* No thread is responsible for memory that was mapped before, or has no stack. */
	if (by == TRACE_BY_LINE ||
	    (by == TRACE_BY_THREAD && tid == 0 && stack_of(&row)->count == 0))
		frames_line(stack_of(&row), site_of(&row)->before, &text);
	text_terminate(&text);
	return text.bytes;
}

static int compare_keys(const void *one, const void *other)
{
	const struct keyed *a = one, *b = other;
	int order = strcmp(a->key, b->key);

	if (order != 0)
		return order;
	return (a->site > b->site) - (a->site < b->site);
}

/** Adds a site to a row. */
static void add_site(struct trace_row *row, size_t index)
{
	const struct pm_trace_site *site = &row->report->result->sites[index];
	const struct pm_trace_site *last = trace_report_last(row->report, site);

	if (row->sites == 0) {
		row->site = index;
		row->tid = site->tid;
	} else if (row->tid != site->tid) {
		row->tid = 0;
	}

	row->sites++;
	row->resident += site->resident;
	row->mapped += site->mapped;
	row->calls += site->calls;
	row->regions += site->regions;
	row->faults += site->faults;
	row->change += (int64_t)site->resident - (int64_t)(last ? last->resident : 0);
}

/** Makes the rows. */
static void add_rows(struct trace_rows *rows, const struct trace_report *report, enum trace_by by)
{
	size_t count = report->result->count;
	struct keyed *keys = alloc_array(NULL, pm_max_size(count, 1), sizeof *keys);

	rows->own = alloc_array(NULL, pm_max_size(count, 1), sizeof *rows->own);
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct keyed){ i, by == TRACE_BY_STACK ? NULL : key_of(report, i, by) };
	if (by != TRACE_BY_STACK)
		qsort(keys, count, sizeof *keys, compare_keys);

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || by == TRACE_BY_STACK || strcmp(keys[i].key, keys[i - 1].key) != 0)
			rows->own[rows->count++] = (struct trace_row){ .report = report, .by = by };
		add_site(&rows->own[rows->count - 1], keys[i].site);
	}

	for (size_t i = 0; i < count; i++)
		free(keys[i].key);
	free(keys);
}

/** Orders by resident bytes, the most first: so rows with the same change are in this order. */
static int compare_rows(const void *one, const void *other)
{
	const struct trace_row *a = one, *b = other;

	if (a->resident != b->resident)
		return a->resident > b->resident ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

/** Prints the lines that follow a row. */
static void print_below(const void *item, struct out *out)
{
	const struct trace_row *row = item;

	if (row->detail)
		out_text(out, row->detail);
}

int trace_rows_init(struct trace_rows *rows, const struct trace_report *report, enum trace_by by,
                    const struct list_options *options, bool bytes, struct pm_error *error)
{
	*rows = (struct trace_rows){ .spec = trace_rows_spec };
	choose_columns(&rows->spec, by, report->last != NULL);
	if (list_init(&rows->list, &rows->spec, options, bytes, error) < 0)
		return -1;

	add_rows(rows, report, by);
	qsort(rows->own, rows->count, sizeof *rows->own, compare_rows);
	for (size_t i = 0; i < rows->count; i++) {
		if (!report->last || rows->own[i].change != 0 || rows->own[i].resident > 0)
			list_add(&rows->list, &rows->own[i]);
	}

	list_sort(&rows->list);
	rows->list.below = print_below;
	return 0;
}

void trace_rows_deinit(struct trace_rows *rows)
{
	list_deinit(&rows->list);
	free(rows->own);
}
