/* SPDX-License-Identifier: MIT */
#include "watch/screen/rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "watch/format.h"

void screen_rows_deinit(struct screen_rows *rows)
{
	free(rows->items);
	name_filter_deinit(&rows->filter);
	text_deinit(&rows->filter_text);
	*rows = (struct screen_rows){ 0 };
}

/**
 * Checks whether a filter matches the kind or the description of a row. If `address` is true, it
 * can also match the addresses of the row.
 */
static bool fits(const struct name_filter *filter, const struct watch_row *row, bool address)
{
	struct text words = { 0 };

	if (name_filter_fits(filter, row->label ? row->label : pm_kind_name(row->track->kind)))
		return true;

	watch_format_describe(row, &words);
	bool found = name_filter_fits(filter, text_terminate(&words));
	if (!found && address) {
		text_clear(&words);
		text_format(&words, "%08llx-%08llx", (unsigned long long)row->track->start,
		            (unsigned long long)row->track->end);
		found = name_filter_fits(filter, text_terminate(&words));
	}

	text_deinit(&words);
	return found;
}

/**
 * Finds the index of the selected track. If this track no longer has a row, the index stays the
 * same, so that the row that is now at this index is selected.
 */
static void find_selected(struct screen_rows *rows)
{
	if (!rows->selected)
		rows->index = 0;

	for (size_t i = 0; rows->selected && i < rows->count; i++) {
		if (rows->items[i]->track == rows->selected) {
			rows->index = i;
			return;
		}
	}

	if (rows->index >= rows->count)
		rows->index = rows->count > 0 ? rows->count - 1 : 0;
}

void screen_rows_update(struct screen_rows *rows, const struct watch_history *history,
                        struct watch_view *view)
{
	struct watch_row *all = view->rows;
	size_t count = view->row_count;

	if (rows->grouped) {
		if (rows->by_owner)
			watch_view_sum_owners(&rows->sums, history, view->sort);
		else
			watch_view_sum_kinds(&rows->sums, history, view->sort);
		all = rows->sums.rows;
		count = rows->sums.count;
	}

	rows->items = alloc_array(rows->items, count, sizeof(struct watch_row *));
	rows->count = 0;
	for (size_t i = 0; i < count; i++)
		if (rows->filter_text.length == 0 || fits(&rows->filter, &all[i], false))
			rows->items[rows->count++] = &all[i];

	rows->hidden = count - rows->count;
	find_selected(rows);
}

void screen_rows_move(struct screen_rows *rows, long by)
{
	if (rows->count == 0)
		return;

	size_t last = rows->count - 1;
	if (by < 0) {
		size_t up = -(unsigned long)by;
		rows->index = rows->index > up ? rows->index - up : 0;
	} else {
		size_t down = (unsigned long)by;
		rows->index = down < last - rows->index ? rows->index + down : last;
	}

	/* If the user selects the first row, store NULL: then the first row stays selected, even if
	 * another track becomes the first row. */
	rows->selected = rows->index > 0 ? rows->items[rows->index]->track : NULL;
}

void screen_rows_scroll(struct screen_rows *rows, size_t height)
{
	if (height == 0)
		return;

	if (rows->index < rows->top)
		rows->top = rows->index;
	if (rows->index >= rows->top + height)
		rows->top = rows->index - height + 1;
	if (rows->top + height > rows->count)
		rows->top = rows->count > height ? rows->count - height : 0;
}

struct watch_row *screen_rows_selected(const struct screen_rows *rows)
{
	return rows->index < rows->count ? rows->items[rows->index] : NULL;
}

int screen_rows_filter(struct screen_rows *rows, const char *pattern, struct pm_error *error)
{
	struct name_filter filter;
	if (name_filter_init_caseless(&filter, *pattern ? pattern : NULL, error) < 0)
		return -1;

	name_filter_deinit(&rows->filter);
	rows->filter = filter;
	text_clear(&rows->filter_text);
	text_string(&rows->filter_text, pattern);
	return 0;
}

int screen_rows_search(struct screen_rows *rows, const char *pattern, struct pm_error *error)
{
	struct name_filter filter;
	if (name_filter_init_caseless(&filter, pattern, error) < 0)
		return -1;

	size_t step = 1;
	while (step <= rows->count &&
	       !fits(&filter, rows->items[(rows->index + step) % rows->count], true))
		step++;

	name_filter_deinit(&filter);
	if (step > rows->count)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no row matches '%s'", pattern);

	rows->index = (rows->index + step) % rows->count;
	rows->selected = rows->items[rows->index]->track;
	return 0;
}
