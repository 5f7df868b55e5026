/* SPDX-License-Identifier: MIT */
#include "watch/family/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/delta.h"
#include "base/utf8.h"
#include "target/growth_text.h"
#include "watch/family/regions.h"
#include "watch/format.h"
#include "watch/verdict.h"

const struct table_column family_rows_columns[FAMILY_COLUMNS] = {
	[FAMILY_PID] = { .title = "PID", .right = true },
	[FAMILY_NAME] = { .title = "NAME" },
	[FAMILY_RSS] = { .title = "RSS", .right = true },
	[FAMILY_GROWTH] = { .title = "GROWTH", .right = true },
	[FAMILY_RATE] = { .title = "RATE", .right = true },
	[FAMILY_VERDICT] = { .title = "VERDICT" },
	[FAMILY_DETAIL] = { .title = "DETAIL" },
};

/** Returns the group of rows to which a process belongs. Lower numbers come first. */
static int group_of(const struct family_member *member)
{
	switch (member->state) {
	case PM_FAMILY_ALIVE:
		return 0;
	case PM_FAMILY_UNREADABLE:
		return 2;
	default:
		return 1;
	}
}

/** Returns the value by which rows are sorted, the largest first. */
static double value_of(const struct family_member *member, enum watch_sort sort)
{
	const struct pm_trend *trend = &member->memory.trend;

	switch (sort) {
	case WATCH_BY_RATE:
		return trend->estimate ? trend->estimated_rate : trend->rate;
	case WATCH_BY_RSS:
		return (double)family_members_memory(member);
	case WATCH_BY_DELTA:
		return (double)(int64_t)(family_members_memory(member) - member->previous);
	default:
		return (double)family_members_growth(member);
	}
}

static int compare(const void *one, const void *other, void *context)
{
	const struct family_member *a = *(const struct family_member *const *)one;
	const struct family_member *b = *(const struct family_member *const *)other;
	enum watch_sort sort = *(const enum watch_sort *)context;
	double first = value_of(a, sort), second = value_of(b, sort);

	if (group_of(a) != group_of(b))
		return group_of(a) - group_of(b);
	if (first < second || first > second)
		return first < second ? 1 : -1;

	uint64_t larger = family_members_memory(a), smaller = family_members_memory(b);
	if (larger != smaller)
		return larger < smaller ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

void family_rows_update(struct family_rows *rows, const struct family_members *members,
                        enum watch_sort sort)
{
	if (members->count > rows->capacity) {
		rows->capacity = members->count * 2;
		rows->items = alloc_array(rows->items, rows->capacity, sizeof(void *));
	}

	rows->count = members->count;
	for (size_t i = 0; i < members->count; i++)
		rows->items[i] = &members->items[i];

	if (rows->count > 1)
		qsort_r(rows->items, rows->count, sizeof(void *), compare, &sort);
}

void family_rows_name(const struct family_member *member, struct text *text)
{
	text_decimal(text, (uint64_t)member->pid);
	if (*member->comm) {
		text_char(text, ' ');
		utf8_escape(text, member->comm, strlen(member->comm));
	}
}

/** Adds how the process ended, why it cannot be read, or what grows in it. */
static void add_detail(const struct family_member *member, struct text *text)
{
	struct pm_trend trend;

	if (member->note.length > 0) {
		text_bytes(text, member->note.bytes, member->note.length);
		return;
	}

	const struct pm_track *track = family_regions_growing(member, &trend);
	const char *refused = family_regions_refused(member);
	if (track) {
		growth_text_put_name(track, text);
		text_char(text, ' ');
		watch_verdict_rate(&trend, text);
	} else if (refused) {
		text_string(text, "its regions cannot be measured");
	} else if (member->born) {
		text_string(text, member->replaced ? "called exec" : "new");
	} else {
		text_char(text, '-');
	}
}

void family_rows_cell(const struct family_member *member, enum family_column column, bool bytes,
                      struct text *text)
{
	bool sized = member->measured;

	switch (column) {
	case FAMILY_PID:
		text_decimal(text, (uint64_t)member->pid);
		return;
	case FAMILY_NAME:
		utf8_escape(text, member->comm, strlen(member->comm));
		return;
	case FAMILY_DETAIL:
		add_detail(member, text);
		return;
	default:
		break;
	}

	if (!sized)
		text_char(text, '-');
	else if (column == FAMILY_RSS)
		watch_format_size(family_members_memory(member), bytes, text);
	else if (column == FAMILY_GROWTH)
		delta_put_bytes(text, family_members_growth(member), bytes);
	else if (column == FAMILY_RATE)
		watch_verdict_rate(&member->memory.trend, text);
	else
		text_string(text, pm_verdict_name(member->memory.trend.verdict));
}

enum out_style family_rows_style(const struct family_member *member, enum family_column column)
{
	if (column == FAMILY_GROWTH && member->measured)
		return delta_style(family_members_growth(member));
	if (column == FAMILY_VERDICT && pm_trend_growth_rate(&member->memory.trend) > 0)
		return OUT_GROWN;
	return OUT_PLAIN;
}

void family_rows_deinit(struct family_rows *rows)
{
	free(rows->items);
	*rows = (struct family_rows){ 0 };
}
