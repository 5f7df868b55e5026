/* SPDX-License-Identifier: MIT */
/** @file A hash table of the positions of items in an array of the caller. Private. */
#ifndef PM_STACK_TABLE_H
#define PM_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

/** A slot of a table. */
struct pm_stack_slot {
	uint64_t hash;     /**< of the item */
	uint32_t position; /**< of the item in the array, plus 1; 0: the slot is empty */
};

/** A table; empty if zeroed. */
struct pm_stack_table {
	struct pm_stack_slot *slots; /**< the slots */
	size_t size;                 /**< number of slots: a power of 2, or 0 */
	size_t used;                 /**< number of slots that are not empty */
};

/** The item that is searched for. */
struct pm_stack_key {
	uint64_t hash; /**< of the item */
	/** Returns whether the item at a position in the array is the one that is searched for. */
	bool (*equals)(const void *context, uint32_t position);
	const void *context; /**< first argument of `equals` */
};

/**
 * Finds an item.
 * @param table     the table
 * @param key       the item that is searched for
 * @param position  receives the position in the array
 * @return          whether the table contains the item
 */
bool pm_stack_table_find(const struct pm_stack_table *table, const struct pm_stack_key *key,
                         uint32_t *position);

/**
 * Adds an item that the table does not contain.
 * @param table     the table
 * @param hash      of the item
 * @param position  of the item in the array, less than UINT32_MAX
 * @param error     PM_ERROR_RESOURCES
 * @return          0, or -1 with the table unchanged
 */
int pm_stack_table_add(struct pm_stack_table *table, uint64_t hash, uint32_t position,
                       struct pm_error *error);

/**
 * Releases a table.
 * @param table  empty afterwards
 */
void pm_stack_table_deinit(struct pm_stack_table *table);

#endif
