/* SPDX-License-Identifier: MIT */
#include "target/unreadable.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/report.h"

void unreadable_add(struct unreadable *unreadable, uint64_t start, uint64_t end, const char *why)
{
	unreadable->bytes += end - start;
	if (unreadable->count > 0) {
		struct unreadable_range *last = &unreadable->items[unreadable->count - 1];
		if (last->end == start && strcmp(last->why, why) == 0) {
			last->end = end;
			return;
		}
	}

	if (unreadable->count == unreadable->capacity) {
		unreadable->capacity = unreadable->capacity * 2 + 16;
		unreadable->items = alloc_array(unreadable->items, unreadable->capacity,
		                                sizeof *unreadable->items);
	}

	unreadable->items[unreadable->count++] = (struct unreadable_range){ start, end,
		                                                            alloc_string(why) };
}

static int compare(const void *left, const void *right)
{
	const struct unreadable_range *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

void unreadable_sort(struct unreadable *unreadable)
{
	if (unreadable->count > 0)
		qsort(unreadable->items, unreadable->count, sizeof *unreadable->items, compare);
}

void unreadable_report(const struct unreadable *unreadable, size_t most)
{
	for (size_t i = 0; i < unreadable->count && i < most; i++) {
		const struct unreadable_range *lack = &unreadable->items[i];
		report_note("unreadable: %012llx-%012llx %s", (unsigned long long)lack->start,
		            (unsigned long long)lack->end, lack->why);
	}
}

void unreadable_deinit(struct unreadable *unreadable)
{
	for (size_t i = 0; i < unreadable->count; i++)
		free(unreadable->items[i].why);
	free(unreadable->items);
	*unreadable = (struct unreadable){ 0 };
}
