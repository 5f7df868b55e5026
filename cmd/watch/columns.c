/* SPDX-License-Identifier: MIT */
#include "watch/columns.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/typo.h>

/* Minimum growth in the address space for which SIZE-GROWTH is a default column, in bytes. */
static const int64_t notable_growth = 1 << 20;

/** The name of a column for --columns, and its meaning. */
struct description {
	const char *name, *help;
};

static const struct description descriptions[WATCH_COLUMNS] = {
	[WATCH_ADDRESS] = { "address", "addresses of the region" },
	[WATCH_RSS] = { "rss", "resident and swapped memory" },
	[WATCH_DELTA] = { "delta", "change since the previous sample" },
	[WATCH_GROWTH] = { "growth", "change since the start" },
	[WATCH_SIZE] = { "size", "length in the address space" },
	[WATCH_SIZE_GROWTH] = { "size-growth",
	                        "change of the length in the address space since the start" },
	[WATCH_RATE] = { "rate", "growth per time" },
	[WATCH_PER_HOUR] = { "hour", "expected growth in one hour" },
	[WATCH_PER_DAY] = { "day", "expected growth in one day" },
	[WATCH_VERDICT] = { "verdict", "how the region changes" },
	[WATCH_KIND] = { "kind", "kind of the region" },
	[WATCH_MAPPING] = { "mapping", "file or name, number of regions, and what is known" },
};

static const enum watch_column of_samples[] = {
	WATCH_ADDRESS, WATCH_RSS,     WATCH_DELTA, WATCH_GROWTH,  WATCH_SIZE_GROWTH,
	WATCH_RATE,    WATCH_VERDICT, WATCH_KIND,  WATCH_MAPPING,
};
static const enum watch_column of_summary[] = {
	WATCH_ADDRESS,  WATCH_RSS,     WATCH_GROWTH,  WATCH_SIZE_GROWTH, WATCH_RATE,
	WATCH_PER_HOUR, WATCH_PER_DAY, WATCH_VERDICT, WATCH_KIND,        WATCH_MAPPING,
};

/* Columns that are left out if the terminal is too narrow, the least important first. */
static const enum watch_column droppable[] = {
	WATCH_PER_DAY, WATCH_PER_HOUR,    WATCH_DELTA, WATCH_SIZE,
	WATCH_RSS,     WATCH_SIZE_GROWTH, WATCH_KIND,  WATCH_RATE,
};

static bool contains(const enum watch_column *list, size_t count, enum watch_column column)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == column)
			return true;

	return false;
}

/** Adds a column unless the list has the column. */
static void add(enum watch_column *list, size_t *count, enum watch_column column)
{
	if (!contains(list, *count, column))
		list[(*count)++] = column;
}

/**
 * Finds a column by its name.
 * @param column receives the column
 */
static int find(const char *name, enum watch_column *column, struct pm_error *error)
{
	const char *names[WATCH_COLUMNS];

	for (int i = 0; i < WATCH_COLUMNS; i++) {
		names[i] = descriptions[i].name;
		if (strcmp(name, names[i]) == 0) {
			*column = (enum watch_column)i;
			return 0;
		}
	}

	const char *nearest = pm_typo_nearest(name, names, WATCH_COLUMNS);
	if (nearest)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%s' is not a column; did you mean '%s'?", name, nearest);

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "'%s' is not a column; '--columns help' lists the columns", name);
}

int watch_columns_parse(struct watch_columns *columns, const char *word, struct pm_error *error)
{
	char name[16];

	*columns = (struct watch_columns){ .given = true,
		                           .adds = *word == '+',
		                           .help = strcmp(word, "help") == 0 };
	if (columns->help)
		return 0;

	for (const char *at = word + columns->adds;; at++) {
		size_t length = strcspn(at, ",");
		enum watch_column column = WATCH_COLUMNS;

		if (length >= sizeof name)
			return pm_error_set(
				error, PM_ERROR_USAGE, 0,
				"'%.*s' is not a column; '--columns help' lists the columns",
				(int)length, at);

		memcpy(name, at, length);
		name[length] = '\0';
		if (find(name, &column, error) < 0)
			return -1;

		add(columns->list, &columns->count, column);
		at += length;
		if (*at == '\0')
			return 0;
	}
}

void watch_columns_print(struct out *out)
{
	for (size_t i = 0; i < WATCH_COLUMNS; i++)
		out_wrapped_format(out, 17, "%-16s %s\n", descriptions[i].name,
		                   descriptions[i].help);
}

/** Checks whether a row grew in the address space far more than in memory. */
static bool size_matters(const struct watch_view *view)
{
	for (size_t i = 0; i < view->row_count; i++) {
		const struct watch_row *row = &view->rows[i];

		if (row->size_growth >= notable_growth && row->size_growth / 2 > row->growth)
			return true;
	}

	return false;
}

size_t watch_columns_choose(const struct watch_columns *columns, const struct watch_view *view,
                            bool summary, enum watch_column *chosen)
{
	const enum watch_column *usual = summary ? of_summary : of_samples;
	size_t usual_count = sizeof of_samples / sizeof *of_samples, count = 0;

	if (summary)
		usual_count = sizeof of_summary / sizeof *of_summary;

	/* MAPPING, the last of the default columns, stays the last one: its text may be long. */
	for (size_t i = 0; i + 1 < usual_count && (!columns->given || columns->adds); i++)
		if (usual[i] != WATCH_SIZE_GROWTH || size_matters(view))
			add(chosen, &count, usual[i]);

	for (size_t i = 0; i < columns->count; i++)
		if (!columns->adds || columns->list[i] != WATCH_MAPPING)
			add(chosen, &count, columns->list[i]);

	if (!columns->given || columns->adds)
		add(chosen, &count, WATCH_MAPPING);

	return count;
}

bool watch_columns_drop(const struct watch_columns *columns, enum watch_column *chosen,
                        size_t *count, size_t *next, struct text *titles)
{
	while (*next < sizeof droppable / sizeof *droppable) {
		enum watch_column dropped = droppable[(*next)++];
		size_t at = 0;

		while (at < *count && chosen[at] != dropped)
			at++;
		if (at == *count || contains(columns->list, columns->count, dropped))
			continue;

		text_format(titles, "%s%s", titles->length > 0 ? ", " : "",
		            watch_format_columns[dropped].title);
		memmove(chosen + at, chosen + at + 1, (--*count - at) * sizeof *chosen);
		return true;
	}

	return false;
}
