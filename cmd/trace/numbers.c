/* SPDX-License-Identifier: MIT */
#include "trace/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/minmax.h"

/** FNV-1a, with another start. */
static uint64_t hash_of(uint64_t seed, const char *bytes, size_t length)
{
	uint64_t hash = 14695981039346656037u ^ seed;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	return hash ^ hash >> 32;
}

static void grow_slots(struct trace_numbers *numbers)
{
	size_t count = pm_max_size(numbers->slot_count * 2, 1024);

	/* Without random numbers, which are missing early during boot, the seed stays 0. */
	if (numbers->slot_count == 0 &&
	    getrandom(&numbers->seed, sizeof numbers->seed, GRND_NONBLOCK) < 0)
		numbers->seed = 0;

	free(numbers->slots);
	numbers->slots = alloc_array(NULL, count, sizeof *numbers->slots);
	memset(numbers->slots, 0, count * sizeof *numbers->slots);
	numbers->slot_count = count;
	numbers->keys = alloc_array(numbers->keys, count / 2, sizeof *numbers->keys);

	for (size_t i = 0; i < numbers->count; i++) {
		const struct text *key = &numbers->keys[i];
		size_t at = hash_of(numbers->seed, key->bytes, key->length) % count;

		while (numbers->slots[at])
			at = (at + 1) % count;
		numbers->slots[at] = i + 1;
	}
}

uint64_t trace_numbers_find(struct trace_numbers *numbers, const char *bytes, size_t length,
                            bool *added)
{
	if (numbers->count * 2 >= numbers->slot_count)
		grow_slots(numbers);

	size_t at = hash_of(numbers->seed, bytes, length) % numbers->slot_count;
	bool found = false;

	for (; numbers->slots[at] && !found; at = found ? at : (at + 1) % numbers->slot_count) {
		const struct text *key = &numbers->keys[numbers->slots[at] - 1];
		found = key->length == length &&
		        (length == 0 || memcmp(key->bytes, bytes, length) == 0);
	}

	if (!found) {
		struct text key = { 0 };
		text_bytes(&key, bytes, length);
		numbers->keys[numbers->count++] = key;
		numbers->slots[at] = numbers->count;
	}
	if (added)
		*added = !found;
	return numbers->slots[at] - 1;
}

void trace_numbers_deinit(struct trace_numbers *numbers)
{
	for (size_t i = 0; i < numbers->count; i++)
		text_deinit(&numbers->keys[i]);
	free(numbers->keys);
	free(numbers->slots);
}
