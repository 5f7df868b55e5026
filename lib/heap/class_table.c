/* SPDX-License-Identifier: MIT */
#include "heap/class_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/minmax.h"

enum {
	FIRST_CLASSES = 256,
	STEPS = 8, /* number of levels for each power of two: see level_of() */
	LEVELS = 64 * STEPS,
};

void pm_class_table_init(struct pm_class_table *table, uint64_t budget)
{
	/* A class has two to four slots. While an array grows, the old one, of half the size, also
	 * exists. */
	const uint64_t each = (sizeof(struct pm_class) + 4 * sizeof(uint32_t)) * 3 / 2;

	*table = (struct pm_class_table){ .max = (size_t)(budget / each) };
	table->seed = pm_hash_seed(table);
}

void pm_class_table_deinit(struct pm_class_table *table)
{
	free(table->items);
	free(table->slots);
	*table = (struct pm_class_table){ 0 };
}

static uint64_t hash_of(const struct pm_class_table *table, const struct pm_class_key *key)
{
	uint64_t place = (uint64_t)key->arena << 32 | key->state;
	uint64_t hash = pm_hash_mix(key->size ^ table->seed, (uintptr_t)key->type ^ PM_HASH_ONE);
	return pm_hash_mix(hash ^ key->text, place ^ PM_HASH_TWO);
}

static bool is_equal(const struct pm_class_key *a, const struct pm_class_key *b)
{
	return a->size == b->size && a->type == b->type && a->text == b->text &&
	       a->arena == b->arena && a->state == b->state;
}

/** Returns the slot of a key, or the free slot where it belongs. There is always a free slot. */
static uint32_t *slot_of(const struct pm_class_table *table, const struct pm_class_key *key,
                         uint64_t hash)
{
	size_t at = hash & (table->slot_count - 1);
	for (; table->slots[at]; at = (at + 1) & (table->slot_count - 1)) {
		const struct pm_class *item = &table->items[table->slots[at] - 1];
		if (item->hash == hash && is_equal(&item->key, key))
			break;
	}
	return &table->slots[at];
}

struct pm_class *pm_class_table_find(struct pm_class_table *table, const struct pm_class_key *key)
{
	if (table->last < table->count && is_equal(&table->items[table->last].key, key))
		return &table->items[table->last];
	if (table->slot_count == 0)
		return NULL;

	uint32_t slot = *slot_of(table, key, hash_of(table, key));
	if (slot == 0)
		return NULL;

	table->last = slot - 1;
	return &table->items[slot - 1];
}

/** Enters all classes into the empty hash table. */
static void enter_all(struct pm_class_table *table)
{
	memset(table->slots, 0, table->slot_count * sizeof *table->slots);
	for (size_t i = 0; i < table->count; i++)
		*slot_of(table, &table->items[i].key, table->items[i].hash) = (uint32_t)(i + 1);
}

static int grow(struct pm_class_table *table, struct pm_error *error)
{
	size_t capacity = (size_t)pm_min(pm_max(table->capacity * 2, FIRST_CLASSES), table->max);
	size_t slot_count = FIRST_CLASSES;
	while (slot_count < capacity * 2)
		slot_count *= 2;

	uint32_t *slots = calloc(slot_count, sizeof *slots);
	struct pm_class *items = realloc(table->items, capacity * sizeof *items);
	if (items)
		table->items = items;
	if (!items || !slots) {
		free(slots);
		return pm_error_out_of_memory(error);
	}

	free(table->slots);
	table->slots = slots;
	table->slot_count = slot_count;
	table->capacity = capacity;
	enter_all(table);
	return 0;
}

/** Returns the maximum number of bytes that a class can have. */
static uint64_t max_bytes(const struct pm_class *item)
{
	return item->counts.bytes + item->counts.missed;
}

/** Returns the level of a number: STEPS levels for each power of two. */
static size_t level_of(uint64_t number)
{
	if (number < STEPS)
		return number;
	unsigned power = 63 - (unsigned)__builtin_clzll(number);
	return (size_t)power * STEPS + (number >> (power - 3) & (STEPS - 1));
}

/** Returns the lowest level with this property: at least half of the classes are on this level or
 * below. */
static size_t middle_level(const struct pm_class_table *table)
{
	size_t counts[LEVELS] = { 0 };
	for (size_t i = 0; i < table->count; i++)
		counts[level_of(max_bytes(&table->items[i]))]++;

	size_t sum = 0, level = 0;
	for (; level < LEVELS - 1; level++) {
		sum += counts[level];
		if (sum * 2 >= table->count)
			break;
	}
	return level;
}

/** Drops the classes with the least bytes: at least half of them. */
static void drop_small(struct pm_class_table *table)
{
	size_t level = middle_level(table);
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		uint64_t bytes = max_bytes(&table->items[i]);
		if (level_of(bytes) > level)
			table->items[kept++] = table->items[i];
		else
			table->bound = pm_max(table->bound, bytes);
	}

	table->count = kept;
	table->last = 0;
	enter_all(table);
}

struct pm_class *pm_class_table_add(struct pm_class_table *table, const struct pm_class_key *key,
                                    struct pm_error *error)
{
	struct pm_class *found = pm_class_table_find(table, key);
	if (found)
		return found;

	if (table->count == table->capacity) {
		if (table->capacity == table->max)
			drop_small(table);
		else if (grow(table, error) < 0)
			return NULL;
	}

	struct pm_class *item = &table->items[table->count];
	*item = (struct pm_class){
		.key = *key,
		.hash = hash_of(table, key),
		.counts.missed = table->bound,
	};
	*slot_of(table, key, item->hash) = (uint32_t)(table->count + 1);
	table->last = table->count++;

	return item;
}
