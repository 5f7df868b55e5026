/* SPDX-License-Identifier: MIT */
#include "scan/hits.h"

#include <stdlib.h>

#include "base/array.h"
#include "scan/scanner.h"

int pm_hits_add(struct pm_hits *hits, const struct pm_found *found, struct pm_error *error)
{
	if (hits->count == hits->capacity &&
	    pm_array_reserve(&hits->items, &hits->capacity, hits->count, 1, sizeof *hits->items,
	                     error) < 0)
		return -1;
	hits->items[hits->count++] = *found;
	return 0;
}

/**
 * Sorts hits by their start with insertion sort, which is fast here: the hits of each stream are
 * already sorted.
 */
static void sort(struct pm_found *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct pm_found item = items[i];
		size_t at = i;
		for (; at > 0 && items[at - 1].start > item.start; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

int pm_hits_flush(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	if (hits->count == 0)
		return 0;
	sort(hits->items, hits->count);
	int result = hits->consume(hits, window, error);
	hits->count = 0;
	return result;
}

void pm_hits_deinit(struct pm_hits *hits)
{
	free(hits->items);
	hits->items = NULL;
	hits->count = hits->capacity = 0;
}
