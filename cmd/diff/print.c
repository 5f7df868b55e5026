/* SPDX-License-Identifier: MIT */
#include "diff/print.h"

#include <string.h>

#include "base/delta.h"
#include "base/utf8.h"
#include "diff/names.h"
#include "target/json_parts.h"
#include "target/region_text.h"
#include "view/csv.h"
#include "view/json.h"
#include "view/numbered_table.h"

/** Columns of the table. Tables of sums have only some of these columns. */
enum column {
	CHANGE,
	COUNT,
	ADDRESS,
	BEFORE,
	AFTER,
	DELTA,
	SIZE_DELTA,
	KIND,
	MAPPING,
	OWNER,
	COLUMNS
};

static const struct table_column all_columns[COLUMNS] = {
	[CHANGE] = { .title = "CHANGE" },
	[COUNT] = { .title = "COUNT", .right = true },
	[ADDRESS] = { .title = "ADDRESS" },
	[BEFORE] = { .title = "BEFORE", .right = true },
	[AFTER] = { .title = "AFTER", .right = true },
	[DELTA] = { .title = "DELTA", .right = true },
	[SIZE_DELTA] = { .title = "SIZE-DELTA", .right = true },
	[KIND] = { .title = "KIND", .style = OUT_DIM },
	[MAPPING] = { .title = "MAPPING" },
	[OWNER] = { .title = "OWNER" },
};

/** The columns of the table for each value of enum diff_by. */
static const enum column chosen[][COLUMNS] = {
	[DIFF_BY_REGION] = { CHANGE, ADDRESS, BEFORE, AFTER, DELTA, SIZE_DELTA, KIND, MAPPING },
	[DIFF_BY_KIND] = { KIND, COUNT, BEFORE, AFTER, DELTA, SIZE_DELTA },
	[DIFF_BY_MAPPING] = { COUNT, BEFORE, AFTER, DELTA, SIZE_DELTA, KIND, MAPPING },
	[DIFF_BY_OWNER] = { OWNER, COUNT, BEFORE, AFTER, DELTA, SIZE_DELTA },
};

static const size_t chosen_count[] = {
	[DIFF_BY_REGION] = 8, [DIFF_BY_KIND] = 6, [DIFF_BY_MAPPING] = 7, [DIFF_BY_OWNER] = 6
};

/** Columns that are left out if the terminal is too narrow, the least important first. */
static const enum column droppable[] = { SIZE_DELTA, BEFORE, KIND, AFTER, COUNT };

/** The table: the rows, and the columns that are printed. */
struct view {
	const struct diff_rows *diff;
	enum column columns[COLUMNS];
	size_t count;
	struct text dropped; /* titles of the columns left out */
};

/** Adds the name of the mapping, escaped. */
static void put_mapping(const struct diff_row *row, struct text *text)
{
	struct text name = { 0 };

	diff_names_put_mapping(row, &name);
	utf8_escape(text, name.bytes ? name.bytes : "", name.length);
	text_deinit(&name);
}

/**
 * Writes a cell of a column that describes a row, such as its address. In the row of totals, these
 * columns are empty.
 */
static void put_identity(const struct diff_row *row, enum column column, struct text *text)
{
	if (column == CHANGE) {
		text_string(text, pm_change_name(row->change));
	} else if (column == ADDRESS) {
		diff_names_put_address(row, text);
	} else if (column == KIND) {
		text_string(text, pm_kind_name((enum pm_kind)row->region->kind));
	} else if (column == OWNER) {
		text_string(text, row->owner == PM_OWNER_UNKNOWN ? "(not known)"
		                                                 : pm_owner_name(row->owner));
	} else if (column == MAPPING) {
		put_mapping(row, text);
	}
}

static const struct diff_row *row_of(const struct diff_rows *diff, size_t index)
{
	return index == TABLE_TOTAL ? &diff->total : &diff->rows[index];
}

static void cell(void *context, size_t index, size_t which, struct text *text)
{
	const struct view *view = context;
	const struct diff_rows *diff = view->diff;
	enum column column = view->columns[which];
	const struct diff_row *row = row_of(diff, index);
	bool bytes = diff->options->output.bytes;

	if (column == BEFORE)
		text_size_as(text, pm_growth_weight(&row->was), diff->options->output.bytes);
	else if (column == AFTER)
		text_size_as(text, pm_growth_weight(&row->is), diff->options->output.bytes);
	else if (column == DELTA)
		delta_put_bytes(text, diff_rows_delta(row), bytes);
	else if (column == SIZE_DELTA)
		delta_put_bytes(text, diff_rows_size_delta(row), bytes);
	else if (column == COUNT)
		text_decimal(text, row->regions);
	else if (index != TABLE_TOTAL)
		put_identity(row, column, text);
	else if (which == 0)
		text_string(text, "total");
}

static enum out_style style(void *context, size_t index, size_t which)
{
	const struct view *view = context;
	const struct diff_rows *diff = view->diff;
	enum column column = view->columns[which];
	const struct diff_row *row = row_of(diff, index);

	if (column == DELTA)
		return delta_style(diff_rows_delta(row));
	if (column == SIZE_DELTA)
		return delta_style(diff_rows_size_delta(row));
	if (column == CHANGE && index != TABLE_TOTAL && row->change == PM_CHANGE_NEW)
		return OUT_NEW;

	return all_columns[column].style;
}

static void print_left_out(void *context, struct out *out)
{
	const struct view *view = context;
	const struct diff_rows *diff = view->diff;

	if (diff->shown < diff->count)
		out_format(out, "\xe2\x80\xa6 %zu more that changed\n", diff->count - diff->shown);

	if (view->dropped.length > 0) {
		out_string(out, "\xe2\x80\xa6 no room for ");
		out_text(out, &view->dropped);
		out_string(out, "\n");
	}
}

static void print_heading(const struct diff_rows *diff, struct out *out)
{
	struct text line = { 0 };

	text_string(&line, "before: ");
	sampled_describe(diff->before, &line);
	text_string(&line, "\nafter:  ");
	sampled_describe(diff->after, &line);
	text_char(&line, '\n');
	out_wrapped(out, &line, 8);
	text_deinit(&line);
}

/**
 * Fills the region of a row, to which later commands can refer by a number.
 * @return false if the row gets no number: it is a sum, its region is gone, or the second sample
 *   was not taken from a live process
 */
static bool identify(void *context, size_t index, struct numbered_row *row)
{
	const struct diff_rows *diff = ((const struct view *)context)->diff;
	const struct diff_row *from = &diff->rows[index];
	bool is_live = diff->after->identified && diff->after->number == 0;

	*row = (struct numbered_row){ .start = from->region->start,
		                      .end = from->region->end,
		                      .mapping = from->region->mapping };
	row->kind = (enum pm_kind)from->region->kind;
	return is_live && diff->options->by == DIFF_BY_REGION && from->change != PM_CHANGE_GONE;
}

/**
 * Removes the next column of `droppable` that the table has.
 * @param from  index in `droppable` at which the search starts; advanced past the column found
 * @return      false if no such column is left
 */
static bool drop_column(struct view *view, size_t *from)
{
	while (*from < sizeof droppable / sizeof *droppable) {
		enum column dropped = droppable[(*from)++];

		for (size_t i = 0; i < view->count; i++) {
			if (view->columns[i] != dropped)
				continue;
			memmove(view->columns + i, view->columns + i + 1,
			        (--view->count - i) * sizeof *view->columns);
			if (view->dropped.length > 0)
				text_string(&view->dropped, ", ");
			text_string(&view->dropped, all_columns[dropped].title);
			return true;
		}
	}

	return false;
}

/**
 * Chooses as many columns as fit the terminal.
 * @param columns receives the columns
 */
static void choose_columns(struct view *view, struct table *table, struct table_column *columns,
                           const struct out *out)
{
	enum diff_by by = view->diff->options->by;
	size_t next = 0;

	view->count = chosen_count[by];
	memcpy(view->columns, chosen[by], view->count * sizeof *view->columns);

	do {
		for (size_t i = 0; i < view->count; i++)
			columns[i] = all_columns[view->columns[i]];
		table->column_count = view->count;
	} while (!numbered_table_fits(table, out) && drop_column(view, &next));
}

void diff_print(const struct diff_rows *diff, struct out *out)
{
	struct table_column columns[COLUMNS];
	struct view view = { .diff = diff };
	struct table table = {
		.columns = columns,
		.rows = diff->shown,
		.titles = true,
		.total = true,
		.open_end = true,
		.context = &view,
		.cell = cell,
		.style = style,
		.before_total = print_left_out,
	};

	print_heading(diff, out);
	if (diff->options->by == DIFF_BY_SITE)
		return;

	choose_columns(&view, &table, columns, out);
	numbered_table_print(&table, identify, out);
	text_deinit(&view.dropped);
	if (!diff->options->output.quiet)
		out_format(out, "%zu changed, %zu unchanged\n", diff->total.count - diff->same,
		           diff->same);
}

static void put_sizes(struct json *json, const struct diff_row *row)
{
	json_put(json, "rss_before", json_number(row->was.rss));
	json_put(json, "rss_after", json_number(row->is.rss));
	json_put(json, "swap_before", json_number(row->was.swap));
	json_put(json, "swap_after", json_number(row->is.swap));
	json_put(json, "delta", json_integer(diff_rows_delta(row)));
	json_put(json, "size_before", json_number(row->was.size));
	json_put(json, "size_after", json_number(row->is.size));
	json_put(json, "size_delta", json_integer(diff_rows_size_delta(row)));
}

static void put_row(struct json *json, enum diff_by by, const struct diff_row *row)
{
	json_open(json, NULL, '{');
	json_put(json, "change", json_string(pm_change_name(row->change)));

	if (by == DIFF_BY_REGION)
		json_parts_region(json, row->region);
	else if (by == DIFF_BY_OWNER)
		json_parts_owner(json, row->owner);
	else
		json_parts_kind(json, (enum pm_kind)row->region->kind);
	if (row->files > 0) {
		json_put(json, "mapping", json_text(row->pattern));
		json_put(json, "files", json_number(row->files));
	} else if (by == DIFF_BY_MAPPING) {
		json_parts_mapping(json, row->region);
	}

	json_put(json, "count", json_number(row->regions));
	put_sizes(json, row);
	json_shut(json, '}');
}

/** Writes the rows and their totals. */
static void put_rows(struct json *json, const struct diff_rows *diff)
{
	json_open(json, diff->options->by == DIFF_BY_REGION ? "regions" : "groups", '[');
	for (size_t i = 0; i < diff->shown; i++)
		put_row(json, diff->options->by, &diff->rows[i]);
	json_shut(json, ']');

	json_open(json, "total", '{');
	json_put(json, "count", json_number(diff->total.regions));
	json_put(json, "changes", json_number(diff->total.count - diff->same));
	put_sizes(json, &diff->total);
	json_shut(json, '}');
}

/** Writes a row of CSV. A sum has no addresses. */
static void put_csv_row(struct csv *csv, enum diff_by by, const struct diff_row *row)
{
	const struct pm_region *region = row->region;
	struct text mapping = { 0 };

	csv_string(csv, pm_change_name(row->change));
	if (by == DIFF_BY_REGION) {
		csv_address(csv, region->start);
		csv_address(csv, region->end);
	} else {
		csv_none(csv);
		csv_none(csv);
	}
	csv_number(csv, row->regions);
	csv_number(csv, row->was.rss);
	csv_number(csv, row->is.rss);
	csv_number(csv, row->was.swap);
	csv_number(csv, row->is.swap);
	csv_signed(csv, diff_rows_delta(row));
	csv_number(csv, row->was.size);
	csv_number(csv, row->is.size);
	csv_signed(csv, diff_rows_size_delta(row));

	csv_string(csv, by == DIFF_BY_OWNER ? NULL : pm_kind_name((enum pm_kind)region->kind));
	if (by == DIFF_BY_OWNER && row->owner != PM_OWNER_UNKNOWN)
		csv_string(csv, pm_owner_name(row->owner));
	else
		csv_none(csv);
	if (row->files > 0)
		text_string(&mapping, row->pattern);
	else if (by == DIFF_BY_REGION || by == DIFF_BY_MAPPING)
		region_text_mapping(region, false, &mapping);
	csv_bytes(csv, mapping.bytes, mapping.length);
	csv_end(csv);
	text_deinit(&mapping);
}

void diff_print_csv(const struct diff_rows *diff, struct out *out)
{
	struct csv csv = { .out = out };

	out_string(out, "change,start,end,count,rss_before,rss_after,swap_before,swap_after,delta,"
	                "size_before,size_after,size_delta,kind,owner,mapping\n");
	for (size_t i = 0; i < diff->shown && !out_failed(out); i++)
		put_csv_row(&csv, diff->options->by, &diff->rows[i]);
	csv_deinit(&csv);
}

void diff_print_json(const struct diff_rows *diff, const struct diff_chunks *chunks,
                     const struct diff_sites *sites, struct out *out)
{
	struct json json = { .out = out };

	json_open(&json, NULL, '{');
	sampled_put_json(&json, "before", diff->before);
	sampled_put_json(&json, "after", diff->after);
	if (diff->options->by != DIFF_BY_SITE) {
		put_rows(&json, diff);
		diff_chunks_put_json(chunks, &json);
	}
	diff_sites_put_json(sites, &json);
	json_shut(&json, '}');
	out_string(out, "\n");
}
