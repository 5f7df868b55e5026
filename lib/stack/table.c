/* SPDX-License-Identifier: MIT */
#include "stack/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { SIZE_MIN = 256 };

bool pm_stack_table_find(const struct pm_stack_table *table, const struct pm_stack_key *key,
                         uint32_t *position)
{
	if (table->size == 0)
		return false;

	for (size_t i = key->hash & (table->size - 1);; i = (i + 1) & (table->size - 1)) {
		const struct pm_stack_slot *slot = &table->slots[i];

		if (slot->position == 0)
			return false;
		if (slot->hash == key->hash && key->equals(key->context, slot->position - 1)) {
			*position = slot->position - 1;
			return true;
		}
	}
}

/** Stores an item in the first empty slot for its hash. There is one. */
static void store(struct pm_stack_slot *slots, size_t size, struct pm_stack_slot item)
{
	size_t i = item.hash & (size - 1);

	while (slots[i].position != 0)
		i = (i + 1) & (size - 1);
	slots[i] = item;
}

/** Doubles the number of slots. */
static int grow(struct pm_stack_table *table, struct pm_error *error)
{
	size_t size = table->size == 0 ? SIZE_MIN : table->size * 2;
	struct pm_stack_slot *slots = calloc(size, sizeof *slots);

	if (!slots)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].position != 0)
			store(slots, size, table->slots[i]);

	free(table->slots);
	table->slots = slots;
	table->size = size;
	return 0;
}

int pm_stack_table_add(struct pm_stack_table *table, uint64_t hash, uint32_t position,
                       struct pm_error *error)
{
	if (table->used >= table->size / 2 && grow(table, error) < 0)
		return -1;

	store(table->slots, table->size, (struct pm_stack_slot){ hash, position + 1 });
	table->used++;
	return 0;
}

void pm_stack_table_deinit(struct pm_stack_table *table)
{
	free(table->slots);
	memset(table, 0, sizeof *table);
}
