/* SPDX-License-Identifier: MIT */
/** @file Stores types, and which type belongs to which first word, in bounded memory. Private. */
#ifndef PM_HEAP_TYPE_STORE_H
#define PM_HEAP_TYPE_STORE_H

#include <procmem/chunk_type.h>

/** A word that was looked up. */
struct pm_type_word {
	uint64_t word;                    /**< the word; 0 if the entry is empty */
	const struct pm_chunk_type *type; /**< its type; NULL if it has none */
};

/** Stored types. Zero-initialise it. */
struct pm_type_store {
	struct pm_type_word *words;         /**< hash table with open addressing */
	size_t word_slots;                  /**< number of its slots, a power of two */
	size_t word_count;                  /**< number of words in it */
	const struct pm_chunk_type **types; /**< hash table of types; the types are owned */
	size_t type_slots;                  /**< number of its slots, a power of two */
	size_t type_count;                  /**< number of types in it */
	size_t bytes;                       /**< memory of all types and names */
	uint64_t seed; /**< random, so that a target cannot choose equal hashes */
};

/**
 * Finds a word.
 * @return the entry, or NULL if the word was not looked up yet
 */
const struct pm_type_word *pm_type_store_find(const struct pm_type_store *store, uint64_t word);

/** Tests whether more words can be stored. */
bool pm_type_store_has_room(const struct pm_type_store *store);

/**
 * Stores the type of a word that is not stored yet. Nothing happens if there is no room.
 * @param type  from pm_type_store_add(); NULL if the word has no type
 * @return      0, or -1 with PM_ERROR_RESOURCES
 */
int pm_type_store_add_word(struct pm_type_store *store, uint64_t word,
                           const struct pm_chunk_type *type, struct pm_error *error);

/**
 * Stores a type, unless an equal one is stored.
 * @param type    its name is copied
 * @param stored  receives the stored type; NULL if there is no room
 * @return        0, or -1 with PM_ERROR_RESOURCES
 */
int pm_type_store_add(struct pm_type_store *store, const struct pm_chunk_type *type,
                      const struct pm_chunk_type **stored, struct pm_error *error);

/** Releases the memory of a store. */
void pm_type_store_deinit(struct pm_type_store *store);

#endif
