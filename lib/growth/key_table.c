/* SPDX-License-Identifier: MIT */
#include "growth/key_table.h"

#include <stdlib.h>

#include "base/array.h"

/** The place of a key, or the free one where it belongs. Keys are hashes already. */
static struct followed **find_place(const struct pm_key_table *table, uint64_t key)
{
	size_t at = (size_t)key & (table->count - 1);
	while (table->places[at] && table->places[at]->key != key)
		at = (at + 1) & (table->count - 1);
	return &table->places[at];
}

int pm_key_table_init(struct pm_key_table *table, const struct pm_tracker *tracker, size_t more,
                      struct pm_error *error)
{
	size_t most = more, count = 16;
	for (size_t i = 0; i < tracker->count; i++)
		most += tracker->tracks[i]->key != 0;

	while (count / 2 <= most)
		count *= 2;

	table->places = calloc(count, sizeof(struct followed *));
	if (!table->places)
		return pm_error_out_of_memory(error);

	table->count = count;
	for (size_t i = 0; i < tracker->count; i++)
		if (tracker->tracks[i]->key != 0)
			pm_key_table_add(table, tracker->tracks[i]);

	return 0;
}

void pm_key_table_deinit(struct pm_key_table *table)
{
	free(table->places);
}

void pm_key_table_add(struct pm_key_table *table, struct followed *followed)
{
	struct followed **place = find_place(table, followed->key);
	if (!*place)
		*place = followed;
}

struct followed *pm_key_table_find(const struct pm_key_table *table, uint64_t key)
{
	return *find_place(table, key);
}
