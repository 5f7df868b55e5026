/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The classes of a census, in bounded memory. When it is used up, the classes with the least bytes
 * are dropped: lossy counting (Manku and Motwani, 2002), with bytes instead of counts. Private.
 */
#ifndef PM_HEAP_CLASS_TABLE_H
#define PM_HEAP_CLASS_TABLE_H

#include <procmem/census.h>

#include "heap/class_text.h"

/** What the chunks of a class have in common. Members that are not keys of the census are 0. */
struct pm_class_key {
	uint64_t size;                    /**< pm_chunk.size */
	const struct pm_chunk_type *type; /**< type */
	uint64_t text;                    /**< pm_class_text_hash() */
	uint32_t arena;                   /**< pm_chunk.arena */
	uint32_t state;                   /**< pm_chunk.state */
};

/** A class while chunks are counted. */
struct pm_class {
	struct pm_class_key key;       /**< what the chunks have in common */
	struct pm_census_class counts; /**< the counts */
	uint64_t hash;                 /**< hash of the key */
	uint64_t head;       /**< hash of the bytes of the candidate for pm_census_class.equal */
	uint64_t head_votes; /**< votes for it, as in pm_class_text.votes */
	uint64_t type_votes; /**< votes for pm_census_class.type */
	struct pm_class_text text; /**< candidate for the text */
};

/** The table. */
struct pm_class_table {
	struct pm_class *items; /**< the classes */
	size_t count;           /**< number of classes */
	size_t capacity;        /**< number of allocated classes */
	size_t max;             /**< maximum number of classes */
	uint32_t *slots;        /**< hash table: 0, or 1 + index of a class */
	size_t slot_count;      /**< number of its slots, a power of two */
	uint64_t seed;          /**< random number on which hashes depend */
	uint64_t bound;         /**< maximum bytes of a class that is not in the table */
	size_t last;            /**< index of the class that was used last */
};

/**
 * Initialises a table.
 * @param budget  maximum memory in bytes, at least PM_CENSUS_BUDGET_MIN
 */
void pm_class_table_init(struct pm_class_table *table, uint64_t budget);

/** Releases the memory of a table. */
void pm_class_table_deinit(struct pm_class_table *table);

/** Finds a class; NULL if there is none. */
struct pm_class *pm_class_table_find(struct pm_class_table *table, const struct pm_class_key *key);

/**
 * Finds or adds a class. May drop other classes.
 * @return the class, valid until the next call; NULL with PM_ERROR_RESOURCES. A new class has only
 *         zeros, its key, and pm_census_class.missed
 */
struct pm_class *pm_class_table_add(struct pm_class_table *table, const struct pm_class_key *key,
                                    struct pm_error *error);

#endif
