/* SPDX-License-Identifier: MIT */
#include "target/unreadable.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/report.h"

void lacks_add(struct lacks *lacks, uint64_t start, uint64_t end, const char *why)
{
	lacks->bytes += end - start;
	if (lacks->count > 0) {
		struct lack *last = &lacks->items[lacks->count - 1];
		if (last->end == start && strcmp(last->why, why) == 0) {
			last->end = end;
			return;
		}
	}
	if (lacks->count == lacks->capacity) {
		lacks->capacity = lacks->capacity * 2 + 16;
		lacks->items = alloc_array(lacks->items, lacks->capacity, sizeof *lacks->items);
	}
	lacks->items[lacks->count++] = (struct lack){ start, end, alloc_string(why) };
}

static int compare(const void *left, const void *right)
{
	const struct lack *a = left, *b = right;
	return (a->start > b->start) - (a->start < b->start);
}

void lacks_sort(struct lacks *lacks)
{
	if (lacks->count > 0)
		qsort(lacks->items, lacks->count, sizeof *lacks->items, compare);
}

void lacks_tell(const struct lacks *lacks, size_t most)
{
	for (size_t i = 0; i < lacks->count && i < most; i++) {
		const struct lack *lack = &lacks->items[i];
		report_note("unreadable: %012llx-%012llx %s", (unsigned long long)lack->start,
		            (unsigned long long)lack->end, lack->why);
	}
}

void lacks_deinit(struct lacks *lacks)
{
	for (size_t i = 0; i < lacks->count; i++)
		free(lacks->items[i].why);
	free(lacks->items);
	*lacks = (struct lacks){ 0 };
}
