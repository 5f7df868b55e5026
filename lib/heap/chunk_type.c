/* SPDX-License-Identifier: MIT */
/*
 * The first word of a chunk is looked up once: as a symbol, then as a vtable with type information,
 * then as a place in a file. The result is stored by the word, so a heap of millions of objects
 * needs as many lookups as it has classes. What the bytes are without a name is in content.c.
 */
#include "heap/chunk_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/demangle.h>

#include "base/array.h"
#include "base/minmax.h"
#include "heap/address_map.h"
#include "heap/content.h"
#include "heap/heap.h"
#include "heap/rtti.h"
#include "heap/type_store.h"
#include "heap/window.h"

enum {
	WORD = sizeof(uint64_t),
	RANGES_NEAR = 16,   /* ranges before and after data among which the code is searched */
	VTABLE_HEADER = 16, /* bytes of a vtable before its first function */
};

/* malloc leaves pointers to bins and fastbins in chunks. The bins and fastbins are in this number
 * of bytes at the start of malloc_state. */
enum { ARENA_SIZE = 0x8a0 };

/* Bit of a key for the second word of a chunk. No user address has it. */
static const uint64_t second_word_bit = (uint64_t)1 << 63;

/* Largest reference count or number of elements before a pointer in the second word. */
static const uint64_t count_max = UINT32_MAX;

struct pm_chunk_types {
	struct pm_heap_source memory;
	struct pm_symbols *symbols;
	struct pm_address_map map;
	struct pm_heap_window *window;
	struct pm_rtti rtti;
	struct pm_type_store store;
	uint64_t arena; /* address of the main arena; 0 if there is none */
};

static uint64_t main_arena_of(const struct pm_heap *heap)
{
	bool has_main = heap && heap->allocator == PM_HEAP_ALLOCATOR_GLIBC && heap->arena_count > 0;
	return has_main && heap->arenas[0].main ? heap->arenas[0].address : 0;
}

/** Adds the memory that a running process has mapped since its regions were read. */
static int add_grown(struct pm_chunk_types *types, const struct pm_heap *heap,
                     struct pm_error *error)
{
	const struct pm_regions *grown = heap ? pm_heap_const_handle(heap)->grown : NULL;

	return grown ? pm_address_map_update(&types->map, grown, error) : 0;
}

int pm_chunk_types_open(const struct pm_chunk_type_source *source, struct pm_chunk_types **types,
                        struct pm_error *error)
{
	struct pm_chunk_types *made = calloc(1, sizeof *made);
	if (!made)
		return pm_error_out_of_memory(error);

	made->memory = *source->memory;
	made->symbols = source->symbols;
	made->arena = main_arena_of(source->heap);
	if (pm_address_map_fill(&made->map, made->memory.regions, error) < 0 ||
	    add_grown(made, source->heap, error) < 0 ||
	    pm_heap_window_open(&made->memory, &made->window, error) < 0) {
		pm_chunk_types_close(made);
		return -1;
	}

	made->rtti = (struct pm_rtti){ &made->map, made->window, source->files };
	*types = made;
	return 0;
}

int pm_chunk_types_update(struct pm_chunk_types *types, const struct pm_regions *regions,
                          struct pm_error *error)
{
	return pm_address_map_update(&types->map, regions, error);
}

void pm_chunk_types_close(struct pm_chunk_types *types)
{
	if (!types)
		return;

	pm_heap_window_close(types->window);
	pm_address_map_deinit(&types->map);
	pm_type_store_deinit(&types->store);
	free(types);
}

/** The type of a word while it is looked up. */
struct lookup {
	uint64_t word;
	const struct pm_address_range *range; /* where it points to */
	struct pm_chunk_type type;
	char name[PM_DEMANGLED_SIZE]; /* type.name */
};

static void set_type(struct lookup *lookup, enum pm_content content, enum pm_type_proof proof)
{
	lookup->type.content = (uint8_t)content;
	lookup->type.proof = (uint8_t)proof;
	lookup->type.name = lookup->name;
}

/**
 * Looks a word up as a symbol.
 * @return 1 if it points to a vtable; 0 if not: `type` is set if it points to another symbol; -1 on
 *         error
 */
static int find_symbol(struct pm_chunk_types *types, struct lookup *lookup, struct pm_error *error)
{
	static const char vtable[] = "vtable for ";
	struct pm_symbol symbol;
	bool is_code = lookup->range->use & PM_ADDRESS_CODE;

	if (!types->symbols)
		return 0;

	int found = pm_symbols_find(types->symbols, lookup->word, &symbol, error);
	if (found <= 0)
		return found;

	pm_demangle(symbol.name, lookup->name, sizeof lookup->name);
	lookup->type.object = symbol.object;

	bool is_vtable = strncmp(lookup->name, vtable, sizeof vtable - 1) == 0;
	if (is_vtable && symbol.offset >= VTABLE_HEADER) {
		size_t rest = sizeof vtable - 1;
		memmove(lookup->name, lookup->name + rest, strlen(lookup->name + rest) + 1);
		set_type(lookup, PM_CONTENT_OBJECT, PM_TYPE_PROOF_SYMBOL);
		return 1;
	}

	if (is_code && symbol.offset == 0)
		set_type(lookup, PM_CONTENT_FUNCTION, PM_TYPE_PROOF_SYMBOL);
	else if (!is_code && symbol.size > 0)
		set_type(lookup, PM_CONTENT_STATIC, PM_TYPE_PROOF_SYMBOL);
	return 0;
}

/** Looks a word up as a vtable with type information. */
static int find_rtti(struct pm_chunk_types *types, struct lookup *lookup, struct pm_error *error)
{
	char name[PM_DEMANGLED_SIZE];
	if (lookup->range->use & PM_ADDRESS_CODE)
		return 0;

	int found = pm_rtti_find(&types->rtti, lookup->word, name, sizeof name, error);
	if (found <= 0)
		return found;

	memcpy(lookup->name, name, sizeof name);
	lookup->type.object = lookup->range->region->mapping;
	set_type(lookup, PM_CONTENT_OBJECT, PM_TYPE_PROOF_RTTI);
	return 1;
}

/**
 * Tests whether code is mapped from the same file as a range, so that the file is a program or
 * library. Its code is next to its data, so only some ranges before and after are tested.
 */
static bool is_program(const struct pm_address_map *map, const struct pm_address_range *range)
{
	const unsigned code = PM_ADDRESS_CODE | PM_ADDRESS_MAYBE_CODE;
	const struct pm_region *region = range->region;
	size_t index = (size_t)(range - map->ranges);
	size_t first = index - (size_t)pm_min(index, RANGES_NEAR);
	size_t end = (size_t)pm_min(index + RANGES_NEAR + 1, map->count);

	for (size_t i = first; i < end; i++) {
		const struct pm_region *other = map->ranges[i].region;
		bool is_code = other && (map->ranges[i].use & code);
		if (is_code && other->inode == region->inode &&
		    strcmp(other->mapping, region->mapping) == 0)
			return true;
	}
	return false;
}

/** Names a place in a program by the file and the offset in it, such as "libx.so+0x4d20". */
static void find_place(struct pm_chunk_types *types, struct lookup *lookup)
{
	const struct pm_region *region = lookup->range->region;
	const char *slash = strrchr(region->mapping, '/');
	bool is_code = lookup->range->use & PM_ADDRESS_CODE;

	/* A misaligned address of data is more likely that of a text. */
	if (!slash || (!is_code && lookup->word % WORD != 0) ||
	    !is_program(&types->map, lookup->range))
		return;

	snprintf(lookup->name, sizeof lookup->name, "%s+%#" PRIx64, slash + 1,
	         lookup->word - region->start + region->offset);
	lookup->type.object = region->mapping;
	set_type(lookup, is_code ? PM_CONTENT_FUNCTION : PM_CONTENT_STATIC, PM_TYPE_PROOF_NONE);
}

static int look_up(struct pm_chunk_types *types, struct lookup *lookup, struct pm_error *error)
{
	int found = find_symbol(types, lookup, error);
	if (found == 0)
		found = find_rtti(types, lookup, error);
	if (found < 0)
		return -1;

	if (!lookup->type.name)
		find_place(types, lookup);
	return 0;
}

/**
 * Finds the named type for a word of a chunk.
 *
 * @param offset  offset of the word: 0 or 8
 * @param type    receives the type, or NULL if the word does not point to something with a name
 * @return        0 or -1
 */
static int find_named(struct pm_chunk_types *types, uint64_t word, unsigned offset,
                      const struct pm_chunk_type **type, struct pm_error *error)
{
	const struct pm_address_range *range = pm_address_map_find(&types->map, word);
	uint64_t key = word | (offset ? second_word_bit : 0);

	*type = NULL;
	if (!range || !(range->use & PM_ADDRESS_FILE) || word - types->arena < ARENA_SIZE)
		return 0;

	const struct pm_type_word *known = pm_type_store_find(&types->store, key);
	if (known) {
		*type = known->type;
		return 0;
	}
	if (!pm_type_store_has_room(&types->store))
		return 0;

	struct lookup lookup = { .word = word, .range = range, .type.word = (uint8_t)offset };
	if (look_up(types, &lookup, error) < 0)
		return -1;

	/* A count before a pointer is a weaker hint than a pointer at the start. */
	bool is_weak = offset > 0 && (lookup.type.proof == PM_TYPE_PROOF_NONE ||
	                              lookup.type.content == PM_CONTENT_FUNCTION);
	if (lookup.type.name && !is_weak &&
	    pm_type_store_add(&types->store, &lookup.type, type, error) < 0)
		return -1;
	return pm_type_store_add_word(&types->store, key, *type, error);
}

/** Finds the named type of a chunk by its first word or, after a count, by its second word. */
static int find_by_words(struct pm_chunk_types *types, const struct pm_head *head,
                         const struct pm_chunk_type **type, struct pm_error *error)
{
	const uint64_t *words = head->words;

	/* Two equal pointers are more likely the start of an array of pointers. */
	*type = NULL;
	if (words[0] == words[1])
		return 0;
	if (find_named(types, words[0], 0, type, error) < 0)
		return -1;

	bool is_count = words[0] > 0 && words[0] <= count_max;
	if (!*type && is_count)
		return find_named(types, words[1], WORD, type, error);
	return 0;
}

int pm_chunk_types_find(struct pm_chunk_types *types, const void *head, size_t size,
                        const struct pm_chunk_type **type, struct pm_error *error)
{
	static const struct pm_chunk_type unnamed[] = {
#define UNNAMED(value) [value] = { .content = (value), .name = "", .object = "" }
		UNNAMED(PM_CONTENT_UNREAD),   UNNAMED(PM_CONTENT_ZEROS),   UNNAMED(PM_CONTENT_TEXT),
		UNNAMED(PM_CONTENT_POINTERS), UNNAMED(PM_CONTENT_NUMBERS), UNNAMED(PM_CONTENT_DATA),
#undef UNNAMED
	};
	const struct pm_chunk_type *found;

	if (size == 0) {
		*type = &unnamed[PM_CONTENT_UNREAD];
		return 0;
	}

	struct pm_head copy = pm_head_copy(head, size);
	if (find_by_words(types, &copy, &found, error) < 0)
		return -1;

	if (!found)
		found = &unnamed[pm_content_of_head(&types->map, &copy)];
	*type = found;
	return 0;
}

const char *pm_chunk_type_label(const struct pm_chunk_type *type)
{
	if (type->name[0])
		return type->name;
	return pm_content_name((enum pm_content)type->content);
}

const char *pm_content_name(enum pm_content content)
{
	static const char *const names[] = {
		[PM_CONTENT_UNREAD] = "unread",     [PM_CONTENT_ZEROS] = "zeros",
		[PM_CONTENT_OBJECT] = "object",     [PM_CONTENT_STATIC] = "static",
		[PM_CONTENT_FUNCTION] = "function", [PM_CONTENT_TEXT] = "text",
		[PM_CONTENT_POINTERS] = "pointers", [PM_CONTENT_NUMBERS] = "numbers",
		[PM_CONTENT_DATA] = "data",
	};

	return names[content];
}
