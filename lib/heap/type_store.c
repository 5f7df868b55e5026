/* SPDX-License-Identifier: MIT */
#include "heap/type_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum {
	FIRST_SLOTS = 1024,
	/* Limits for hostile targets. Real programs have some thousand types. */
	WORDS_MAX = 1 << 17, /* words that are looked up */
	TYPES_MAX = 1 << 16, /* types */
	BYTES_MAX = 6 << 20, /* memory of the types with their names */
};

/** Hashes a word. */
static size_t hash_of(const struct pm_type_store *store, uint64_t word)
{
	return (size_t)pm_hash_mix(word ^ store->seed, PM_HASH_ONE);
}

/** Sets the seed, before the first entry is stored. */
static void set_seed(struct pm_type_store *store)
{
	if (store->word_slots == 0 && store->type_slots == 0)
		store->seed = pm_hash_seed(store);
}

const struct pm_type_word *pm_type_store_find(const struct pm_type_store *store, uint64_t word)
{
	if (store->word_slots == 0)
		return NULL;

	size_t at = hash_of(store, word) & (store->word_slots - 1);
	for (; store->words[at].word; at = (at + 1) & (store->word_slots - 1))
		if (store->words[at].word == word)
			return &store->words[at];
	return NULL;
}

bool pm_type_store_has_room(const struct pm_type_store *store)
{
	return store->word_count < WORDS_MAX;
}

static void enter_word(struct pm_type_store *store, const struct pm_type_word *entry)
{
	size_t at = hash_of(store, entry->word) & (store->word_slots - 1);
	while (store->words[at].word)
		at = (at + 1) & (store->word_slots - 1);
	store->words[at] = *entry;
}

static int grow_words(struct pm_type_store *store, struct pm_error *error)
{
	struct pm_type_store grown;

	set_seed(store);
	grown = *store;
	grown.word_slots = store->word_slots ? store->word_slots * 2 : FIRST_SLOTS;
	grown.words = calloc(grown.word_slots, sizeof *grown.words);
	if (!grown.words)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < store->word_slots; i++)
		if (store->words[i].word)
			enter_word(&grown, &store->words[i]);

	free(store->words);
	*store = grown;
	return 0;
}

int pm_type_store_add_word(struct pm_type_store *store, uint64_t word,
                           const struct pm_chunk_type *type, struct pm_error *error)
{
	struct pm_type_word entry = { .word = word, .type = type };

	if (word == 0 || !pm_type_store_has_room(store))
		return 0;
	if (store->word_count >= store->word_slots / 2 && grow_words(store, error) < 0)
		return -1;

	enter_word(store, &entry);
	store->word_count++;
	return 0;
}

static size_t hash_of_type(const struct pm_type_store *store, const struct pm_chunk_type *type)
{
	uint64_t kind = (uint64_t)type->content << 16 | type->word;
	return (size_t)pm_hash_bytes(store->seed ^ kind, type->name, strlen(type->name));
}

static bool is_equal(const struct pm_chunk_type *a, const struct pm_chunk_type *b)
{
	return a->content == b->content && a->word == b->word && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->object, b->object) == 0;
}

/** Returns the index of the slot of a type, or of the free slot where it belongs. */
static size_t slot_of(const struct pm_type_store *store, const struct pm_chunk_type *type)
{
	size_t at = hash_of_type(store, type) & (store->type_slots - 1);
	while (store->types[at] && !is_equal(store->types[at], type))
		at = (at + 1) & (store->type_slots - 1);
	return at;
}

static int grow_types(struct pm_type_store *store, struct pm_error *error)
{
	struct pm_type_store grown;

	set_seed(store);
	grown = *store;
	grown.type_slots = store->type_slots ? store->type_slots * 2 : FIRST_SLOTS;
	grown.types = calloc(grown.type_slots, sizeof(struct pm_chunk_type *));
	if (!grown.types)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < store->type_slots; i++)
		if (store->types[i])
			grown.types[slot_of(&grown, store->types[i])] = store->types[i];

	free(store->types);
	*store = grown;
	return 0;
}

/** Allocates a copy of a type. The copy of the name is after it. */
static struct pm_chunk_type *copy_of(const struct pm_chunk_type *type, size_t length,
                                     struct pm_error *error)
{
	struct pm_chunk_type *copy = malloc(sizeof *copy + length + 1);
	if (!copy) {
		pm_error_out_of_memory(error);
		return NULL;
	}

	char *name = (char *)(copy + 1);
	memcpy(name, type->name, length + 1);
	*copy = *type;
	copy->name = name;
	return copy;
}

int pm_type_store_add(struct pm_type_store *store, const struct pm_chunk_type *type,
                      const struct pm_chunk_type **stored, struct pm_error *error)
{
	if (store->type_count >= store->type_slots / 2 && grow_types(store, error) < 0)
		return -1;

	size_t at = slot_of(store, type);
	size_t length = strlen(type->name);
	size_t bytes = sizeof *type + length + 1;
	bool is_full = store->type_count == TYPES_MAX || store->bytes + bytes > BYTES_MAX;

	if (!store->types[at] && !is_full) {
		const struct pm_chunk_type *copy = copy_of(type, length, error);
		if (!copy)
			return -1;
		store->types[at] = copy;
		store->type_count++;
		store->bytes += bytes;
	}

	*stored = store->types[at];
	return 0;
}

void pm_type_store_deinit(struct pm_type_store *store)
{
	for (size_t i = 0; i < store->type_slots; i++)
		free((void *)(uintptr_t)store->types[i]);
	free(store->types);
	free(store->words);
	*store = (struct pm_type_store){ 0 };
}
