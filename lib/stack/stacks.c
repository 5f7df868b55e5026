/* SPDX-License-Identifier: MIT */
/*
 * A store of stacks. Each different address has a place, which receives the names. A stack is a
 * range of places. Frames of a stack are put together when they are asked for.
 */
#include "stack/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/words.h"
#include "stack/table.h"

/** An address of one program. */
struct place {
	uint64_t address;
	uint32_t program; /* number of the program */
	uint32_t count;   /* number of frames; 0: no names yet */
	size_t first;     /* the first one in `frames` */
};

/** A stack. */
struct entry {
	size_t first; /* of its addresses in `addresses` and `places_of` */
	uint32_t count;
	uint32_t program;
	bool cut;
	struct pm_frame *frames; /* put together by pm_stacks_get(); NULL: not yet */
	size_t frame_count;
};

struct pm_stacks {
	uint64_t seed;
	uint32_t program;
	struct entry *entries;
	size_t count, capacity;
	uint64_t *addresses; /* of all stacks */
	size_t address_count, address_capacity;
	uint32_t *places_of; /* of all stacks: positions in `places` */
	size_t place_of_capacity;
	struct place *places;
	size_t place_count, place_capacity;
	struct pm_frame *frames;
	size_t frame_count, frame_capacity;
	char **texts; /* all names, each once */
	size_t text_count, text_capacity;
	struct pm_stack_table entry_table, place_table, text_table;
};

int pm_stacks_open(struct pm_stacks **stacks, struct pm_error *error)
{
	struct pm_stacks *new = calloc(1, sizeof *new);
	if (!new)
		return pm_error_out_of_memory(error);

	if (pm_array_reserve(&new->entries, &new->capacity, 0, 1, sizeof *new->entries, error) <
	    0) {
		free(new);
		return -1;
	}

	new->entries[new->count++] = (struct entry){ .cut = true };
	new->seed = pm_hash_seed(new);
	*stacks = new;
	return 0;
}

/** Releases the frames that pm_stacks_get() has put together. */
static void forget_frames(struct pm_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++) {
		free(stacks->entries[i].frames);
		stacks->entries[i].frames = NULL;
	}
}

void pm_stacks_close(struct pm_stacks *stacks)
{
	if (!stacks)
		return;

	forget_frames(stacks);
	for (size_t i = 0; i < stacks->text_count; i++)
		free(stacks->texts[i]);
	pm_stack_table_deinit(&stacks->entry_table);
	pm_stack_table_deinit(&stacks->place_table);
	pm_stack_table_deinit(&stacks->text_table);

	free(stacks->texts);
	free(stacks->frames);
	free(stacks->places);
	free(stacks->places_of);
	free(stacks->addresses);
	free(stacks->entries);
	free(stacks);
}

/** A stack that is searched for. */
struct wanted_stack {
	const struct pm_stacks *stacks;
	const uint64_t *addresses;
	size_t count;
	bool cut;
};

static bool equals_stack(const void *context, uint32_t position)
{
	const struct wanted_stack *wanted = context;
	const struct entry *entry = &wanted->stacks->entries[position];

	return entry->count == wanted->count && entry->cut == wanted->cut &&
	       entry->program == wanted->stacks->program &&
	       memcmp(wanted->stacks->addresses + entry->first, wanted->addresses,
	              wanted->count * sizeof *wanted->addresses) == 0;
}

/** A place that is searched for. */
struct wanted_place {
	const struct pm_stacks *stacks;
	uint64_t address;
};

static bool equals_place(const void *context, uint32_t position)
{
	const struct wanted_place *wanted = context;
	const struct place *place = &wanted->stacks->places[position];

	return place->address == wanted->address && place->program == wanted->stacks->program;
}

/** Returns the hash of the place of an address in the current program. */
static uint64_t place_hash(const struct pm_stacks *stacks, uint64_t address)
{
	return pm_hash_mix(address ^ stacks->seed, PM_HASH_ONE ^ stacks->program);
}

/** Finds the place of an address in the current program. */
static bool find_place(const struct pm_stacks *stacks, uint64_t address, uint32_t *position)
{
	struct wanted_place wanted = { stacks, address };
	struct pm_stack_key key = { place_hash(stacks, address), equals_place, &wanted };

	return pm_stack_table_find(&stacks->place_table, &key, position);
}

/** Finds or adds the place of an address in the current program. */
static int add_place(struct pm_stacks *stacks, uint64_t address, uint32_t *position,
                     struct pm_error *error)
{
	if (find_place(stacks, address, position))
		return 0;
	if (stacks->place_count >= UINT32_MAX - 1)
		return pm_error_out_of_memory(error);
	if (pm_array_reserve(&stacks->places, &stacks->place_capacity, stacks->place_count, 1,
	                     sizeof *stacks->places, error) < 0)
		return -1;

	*position = (uint32_t)stacks->place_count;
	stacks->places[*position] = (struct place){ .address = address,
		                                    .program = stacks->program };
	if (pm_stack_table_add(&stacks->place_table, place_hash(stacks, address), *position,
	                       error) < 0)
		return -1;

	stacks->place_count++;
	return 0;
}

/** Reserves memory for one more stack. */
static int reserve(struct pm_stacks *stacks, size_t count, struct pm_error *error)
{
	if (stacks->count >= UINT32_MAX - 1)
		return pm_error_out_of_memory(error);
	if (pm_array_reserve(&stacks->entries, &stacks->capacity, stacks->count, 1,
	                     sizeof *stacks->entries, error) < 0)
		return -1;
	if (pm_array_reserve(&stacks->addresses, &stacks->address_capacity, stacks->address_count,
	                     count, sizeof *stacks->addresses, error) < 0)
		return -1;

	return pm_array_reserve(&stacks->places_of, &stacks->place_of_capacity,
	                        stacks->address_count, count, sizeof *stacks->places_of, error);
}

/** Adds a stack that the store does not contain. */
static int append(struct pm_stacks *stacks, const struct wanted_stack *stack, uint64_t hash,
                  uint32_t *number, struct pm_error *error)
{
	size_t first = stacks->address_count;
	if (reserve(stacks, stack->count, error) < 0)
		return -1;

	for (size_t i = 0; i < stack->count; i++)
		if (add_place(stacks, stack->addresses[i], &stacks->places_of[first + i], error) <
		    0)
			return -1;
	if (pm_stack_table_add(&stacks->entry_table, hash, (uint32_t)stacks->count, error) < 0)
		return -1;

	memcpy(stacks->addresses + first, stack->addresses,
	       stack->count * sizeof *stack->addresses);
	stacks->address_count += stack->count;
	stacks->entries[stacks->count] = (struct entry){ .first = first,
		                                         .count = (uint32_t)stack->count,
		                                         .program = stacks->program,
		                                         .cut = stack->cut };
	*number = (uint32_t)stacks->count++;
	return 0;
}

int pm_stacks_add(struct pm_stacks *stacks, const uint64_t *addresses, size_t count, bool cut,
                  uint32_t *number, struct pm_error *error)
{
	if (count == 0) {
		*number = PM_STACK_NONE;
		return 0;
	}

	if (count > PM_STACK_MAX) {
		count = PM_STACK_MAX;
		cut = true;
	}

	struct wanted_stack wanted = { stacks, addresses, count, cut };
	uint64_t hash = pm_hash_bytes(stacks->seed ^ stacks->program, addresses,
	                              count * sizeof *addresses);
	struct pm_stack_key key = { hash, equals_stack, &wanted };
	if (pm_stack_table_find(&stacks->entry_table, &key, number))
		return 0;

	return append(stacks, &wanted, hash, number, error);
}

size_t pm_stacks_count(const struct pm_stacks *stacks)
{
	return stacks->count;
}

size_t pm_stacks_addresses(const struct pm_stacks *stacks, uint32_t number,
                           const uint64_t **addresses, bool *cut)
{
	const struct entry *entry = &stacks->entries[number];

	*addresses = stacks->addresses + entry->first;
	if (cut)
		*cut = entry->cut;
	return entry->count;
}

/** Returns the number of frames of a place. */
static size_t frames_of_place(const struct place *place)
{
	return place->count == 0 ? 1 : place->count;
}

/** Appends the frames of a place. */
static void copy_frames(const struct pm_stacks *stacks, const struct place *place,
                        struct pm_frame *frames)
{
	if (place->count == 0)
		*frames = (struct pm_frame){ .address = place->address };
	else
		memcpy(frames, stacks->frames + place->first, place->count * sizeof *frames);
}

/** Puts the frames of a stack together. On failure, the stack has no frames. */
static void collect_frames(const struct pm_stacks *stacks, struct entry *entry)
{
	size_t count = 0;
	for (size_t i = 0; i < entry->count; i++)
		count += frames_of_place(&stacks->places[stacks->places_of[entry->first + i]]);

	entry->frames = calloc(count, sizeof *entry->frames);
	if (!entry->frames)
		return;

	entry->frame_count = 0;
	for (size_t i = 0; i < entry->count; i++) {
		const struct place *place = &stacks->places[stacks->places_of[entry->first + i]];

		copy_frames(stacks, place, entry->frames + entry->frame_count);
		entry->frame_count += frames_of_place(place);
	}
}

/**
 * Tests whether a stack is complete although the unwinder did not find the caller of its last
 * frame: the entry of the dynamic linker has none, but its unwind table does not say so.
 */
static bool ends_at_entry(const struct pm_stack *stack)
{
	if (stack->count == 0)
		return false;

	const char *function = stack->frames[stack->count - 1].function;
	return function && strcmp(function, "_start") == 0;
}

void pm_stacks_get(const struct pm_stacks *stacks, uint32_t number, struct pm_stack *stack)
{
	struct entry *entry = &stacks->entries[number];

	if (!entry->frames && entry->count > 0)
		collect_frames(stacks, entry);

	stack->frames = entry->frames;
	stack->count = entry->frames ? entry->frame_count : 0;
	stack->cut = !entry->frames || (entry->cut && !ends_at_entry(stack));
}

int pm_stacks_unnamed(const struct pm_stacks *stacks, uint64_t **addresses, size_t *count,
                      struct pm_error *error)
{
	uint64_t *found = NULL;
	size_t found_count = 0, capacity = 0;

	for (size_t i = 0; i < stacks->place_count; i++) {
		const struct place *place = &stacks->places[i];

		if (place->program != stacks->program || place->count > 0)
			continue;
		if (pm_array_reserve(&found, &capacity, found_count, 1, sizeof *found, error) < 0) {
			free(found);
			return -1;
		}
		found[found_count++] = place->address;
	}

	if (found_count > 0)
		qsort(found, found_count, sizeof *found, pm_compare_words);
	*addresses = found;
	*count = found_count;
	return 0;
}

/** A text that is searched for. */
struct wanted_text {
	const struct pm_stacks *stacks;
	const char *text;
};

static bool equals_text(const void *context, uint32_t position)
{
	const struct wanted_text *wanted = context;

	return strcmp(wanted->stacks->texts[position], wanted->text) == 0;
}

/** Replaces a text by a copy that the store owns. NULL stays NULL. */
static int keep_text(struct pm_stacks *stacks, const char **text, struct pm_error *error)
{
	uint32_t position;
	if (!*text)
		return 0;

	struct wanted_text wanted = { stacks, *text };
	uint64_t hash = pm_hash_bytes(stacks->seed, *text, strlen(*text));
	struct pm_stack_key key = { hash, equals_text, &wanted };
	if (pm_stack_table_find(&stacks->text_table, &key, &position)) {
		*text = stacks->texts[position];
		return 0;
	}

	if (stacks->text_count >= UINT32_MAX - 1)
		return pm_error_out_of_memory(error);
	if (pm_array_reserve(&stacks->texts, &stacks->text_capacity, stacks->text_count, 1,
	                     sizeof *stacks->texts, error) < 0)
		return -1;

	char *copy = strdup(*text);
	if (!copy)
		return pm_error_out_of_memory(error);
	if (pm_stack_table_add(&stacks->text_table, hash, (uint32_t)stacks->text_count, error) <
	    0) {
		free(copy);
		return -1;
	}

	stacks->texts[stacks->text_count++] = copy;
	*text = copy;
	return 0;
}

/** Adds a frame to all frames of the store. Its texts are copied. */
static int keep_frame(struct pm_stacks *stacks, struct pm_frame frame, struct pm_error *error)
{
	if (keep_text(stacks, &frame.function, error) < 0 ||
	    keep_text(stacks, &frame.module, error) < 0 ||
	    keep_text(stacks, &frame.file, error) < 0 ||
	    keep_text(stacks, &frame.build_id, error) < 0)
		return -1;
	if (pm_array_reserve(&stacks->frames, &stacks->frame_capacity, stacks->frame_count, 1,
	                     sizeof *stacks->frames, error) < 0)
		return -1;

	stacks->frames[stacks->frame_count++] = frame;
	return 0;
}

int pm_stacks_name(struct pm_stacks *stacks, uint64_t address, const struct pm_frame *frames,
                   size_t count, struct pm_error *error)
{
	uint32_t position;
	if (!find_place(stacks, address, &position) || stacks->places[position].count > 0)
		return 0;

	size_t first = stacks->frame_count;
	for (size_t i = 0; i < count; i++)
		if (keep_frame(stacks, frames[i], error) < 0)
			return -1;

	stacks->places[position].first = first;
	stacks->places[position].count = (uint32_t)count;
	return 0;
}

void pm_stacks_renew(struct pm_stacks *stacks)
{
	forget_frames(stacks);
}

void pm_stacks_next_program(struct pm_stacks *stacks)
{
	stacks->program++;
}
