/* SPDX-License-Identifier: MIT */
#include <procmem/unreadable.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * Number of stored reasons, from the latest one on, with which a new reason is compared. A target
 * has few different reasons, so nearly every repeated text is found and stored only once.
 */
enum { REASONS_COMPARED = 4 };

/** Returns a copy of a reason, which the list owns. Returns NULL if memory is exhausted. */
static const char *keep_reason(struct pm_unreadable_list *list, const char *why,
                               struct pm_error *error)
{
	for (size_t i = 0; i < list->reason_count && i < REASONS_COMPARED; i++) {
		const char *reason = list->reasons[list->reason_count - 1 - i];
		if (strcmp(reason, why) == 0)
			return reason;
	}

	if (pm_array_reserve(&list->reasons, &list->reason_capacity, list->reason_count, 1,
	                     sizeof *list->reasons, error) < 0)
		return NULL;

	char *copy = strdup(why);
	if (copy)
		list->reasons[list->reason_count++] = copy;
	else
		pm_error_out_of_memory(error);

	return copy;
}

int pm_unreadable_list_add(struct pm_unreadable_list *list, const struct pm_unreadable *range,
                           struct pm_error *error)
{
	struct pm_unreadable *last = list->count > 0 ? &list->items[list->count - 1] : NULL;

	if (last && last->end == range->start && strcmp(last->why, range->why) == 0) {
		last->end = range->end;
		list->bytes += range->end - range->start;
		return 0;
	}

	if (pm_array_reserve(&list->items, &list->capacity, list->count, 1, sizeof *list->items,
	                     error) < 0)
		return -1;

	const char *why = keep_reason(list, range->why, error);
	if (!why)
		return -1;

	list->items[list->count] = *range;
	list->items[list->count++].why = why;
	list->bytes += range->end - range->start;

	return 0;
}

static int compare_starts(const void *left, const void *right)
{
	const struct pm_unreadable *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

void pm_unreadable_list_sort(struct pm_unreadable_list *list)
{
	if (list->count > 0)
		qsort(list->items, list->count, sizeof *list->items, compare_starts);
}

void pm_unreadable_list_clear(struct pm_unreadable_list *list)
{
	for (size_t i = 0; i < list->reason_count; i++)
		free(list->reasons[i]);

	list->count = list->reason_count = 0;
	list->bytes = 0;
}

void pm_unreadable_list_deinit(struct pm_unreadable_list *list)
{
	pm_unreadable_list_clear(list);
	free(list->reasons);
	free(list->items);
	*list = (struct pm_unreadable_list){ 0 };
}
