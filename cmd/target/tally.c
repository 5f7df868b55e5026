/* SPDX-License-Identifier: MIT */
#include "target/tally.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"

enum {
	FIRST_SLOTS = 1024,
	UNIT = 8,      /* items begin at multiples of that */
	LEVELS = 4096, /* counts above the rarest one among which the threshold is looked for */
};

struct tally {
	uint64_t budget;
	uint64_t seed;
	char *store; /* of `budget` bytes, of which the kernel gives those that are used; items
	                without gaps */
	uint64_t used;
	uint32_t *slots; /* where items begin, in units, and 1 more; 0: empty. Sorted in the end */
	size_t slot_count; /* a power of two */
	size_t count;
	struct tally_item *last[UINT8_MAX + 1]; /* of each sort, counted last; NULL: there was no
	                                           room for it, or it was dropped */
	uint64_t dropped;
	uint64_t bound;
};

struct tally *tally_create(uint64_t budget)
{
	struct tally *tally = alloc_array(NULL, 1, sizeof *tally);
	*tally = (struct tally){ .budget = budget, .slot_count = FIRST_SLOTS };
	if (getrandom(&tally->seed, sizeof tally->seed, GRND_NONBLOCK) < 0)
		tally->seed = (uintptr_t)tally;
	tally->store = alloc_array(NULL, budget, 1);
	tally->slots = alloc_array(NULL, tally->slot_count, sizeof *tally->slots);
	memset(tally->slots, 0, tally->slot_count * sizeof *tally->slots);
	return tally;
}

void tally_destroy(struct tally *tally)
{
	if (!tally)
		return;
	free(tally->store);
	free(tally->slots);
	free(tally);
}

/** Both halves of a product, each of whose bits depends on all bits of the factors. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t tally_hash(const struct tally *tally, uint8_t sort, const char *text, size_t length)
{
	/* Odd numbers without a pattern: the fractions of the golden ratio and of the square root
	 * of 2. */
	const uint64_t one = 0x9e3779b97f4a7c15, two = 0x6a09e667f3bcc909;
	uint64_t hash = mix(tally->seed ^ length ^ (uint64_t)sort << 56, one), word;

	for (; length > sizeof word; text += sizeof word, length -= sizeof word) {
		memcpy(&word, text, sizeof word);
		hash = mix(hash ^ word, one) + two;
	}

	word = 0;
	memcpy(&word, text, length);

	return mix(hash ^ word, two);
}

static uint64_t item_size(size_t length)
{
	return (offsetof(struct tally_item, text) + length + UNIT - 1) / UNIT * UNIT;
}

static struct tally_item *item_at(const struct tally *tally, uint64_t offset)
{
	return (struct tally_item *)(void *)(tally->store + offset);
}

/** The item that a slot names. */
static struct tally_item *item_of(const struct tally *tally, uint32_t slot)
{
	return item_at(tally, (uint64_t)(slot - 1) * UNIT);
}

/** Puts an item into the table. */
static void enter(struct tally *tally, uint64_t hash, uint64_t offset)
{
	size_t at = hash & (tally->slot_count - 1);
	while (tally->slots[at])
		at = (at + 1) & (tally->slot_count - 1);
	tally->slots[at] = (uint32_t)(offset / UNIT + 1);
}

static void enter_all(struct tally *tally)
{
	for (uint64_t at = 0; at < tally->used; at += item_size(item_at(tally, at)->length))
		enter(tally, item_at(tally, at)->hash, at);
}

/** How often a text may have been added, at the most. */
static uint64_t most_of(const struct tally_item *item)
{
	return item->count + item->missed;
}

/** Finds up to which count texts are to be dropped, so that half of the store becomes free. */
static uint64_t find_threshold(const struct tally *tally)
{
	uint64_t bytes[LEVELS] = { 0 }, base = UINT64_MAX, sum = 0;

	for (uint64_t at = 0; at < tally->used; at += item_size(item_at(tally, at)->length))
		base = most_of(item_at(tally, at)) < base ? most_of(item_at(tally, at)) : base;

	for (uint64_t at = 0; at < tally->used;) {
		const struct tally_item *item = item_at(tally, at);
		uint64_t size = item_size(item->length), level = most_of(item) - base;
		if (level < LEVELS)
			bytes[level] += size;
		at += size;
	}

	for (size_t i = 0; i < LEVELS; i++) {
		sum += bytes[i];
		if (sum >= tally->used / 2)
			return base + i;
	}

	return base + LEVELS - 1;
}

/** Drops the rarest texts. */
static void drop_rare(struct tally *tally)
{
	uint64_t threshold = find_threshold(tally), kept = 0;
	for (uint64_t at = 0; at < tally->used;) {
		struct tally_item *item = item_at(tally, at);
		struct tally_item **last = &tally->last[item->sort];
		uint64_t size = item_size(item->length);
		bool stays = most_of(item) > threshold;

		if (*last == item)
			*last = stays ? item_at(tally, kept) : NULL;
		if (stays) {
			memmove(tally->store + kept, item, size);
			kept += size;
		} else {
			tally->count--;
			tally->dropped++;
		}

		at += size;
	}

	tally->used = kept;
	/* Long texts that never had room may have raised it further. */
	tally->bound = threshold > tally->bound ? threshold : tally->bound;
	memset(tally->slots, 0, tally->slot_count * sizeof *tally->slots);
	enter_all(tally);
}

/** Doubles the table, if there is memory for that. */
static bool grow(struct tally *tally)
{
	uint64_t both = tally->slot_count * 3 * sizeof *tally->slots;
	uint32_t *slots = tally->used + both <= tally->budget
	                          ? calloc(tally->slot_count * 2, sizeof *slots)
	                          : NULL;

	if (!slots)
		return false;

	free(tally->slots);
	tally->slots = slots;
	tally->slot_count *= 2;
	enter_all(tally);

	return true;
}

/** Whether an item of so many bytes fits. */
static bool fits(const struct tally *tally, uint64_t size)
{
	return tally->used + size + tally->slot_count * sizeof *tally->slots <= tally->budget;
}

/** Makes room for a new text; may drop others. */
static bool make_room(struct tally *tally, uint64_t size)
{
	/* One that is longer than that is not worth all the others. */
	if (size > tally->budget / 4)
		return false;

	bool full = tally->count >= tally->slot_count / 4 * 3 && !grow(tally);
	if (full || !fits(tally, size))
		drop_rare(tally);

	/* Few long texts may have made up that half of the store. */
	while (tally->count >= tally->slot_count / 4 * 3)
		drop_rare(tally);

	return fits(tally, size);
}

/** Counts a text that is there. */
static void add_again(struct tally *tally, struct tally_item *item, const struct tally_text *text)
{
	item->count++;
	item->size += text->size;
	tally->last[text->sort] = item;
}

/** Adds a text that is not there. */
static void add_new(struct tally *tally, const struct tally_text *text)
{
	uint64_t size = item_size(text->length);

	tally->last[text->sort] = NULL;
	if (!make_room(tally, size)) {
		/* It may have been dropped as often as the bound says, and now once more. */
		tally->dropped++;
		tally->bound++;
		return;
	}

	struct tally_item *item = item_at(tally, tally->used);
	*item = (struct tally_item){ .hash = text->hash,
		                     .count = 1,
		                     .missed = tally->bound,
		                     .first = text->first,
		                     .size = text->size };
	item->length = (uint32_t)text->length;
	item->sort = text->sort;

	memcpy(item->text, text->text, text->length);
	enter(tally, text->hash, tally->used);
	tally->used += size;
	tally->count++;
	tally->last[text->sort] = item;
}

static bool is_equal(const struct tally_item *item, const struct tally_text *text)
{
	return item->length == text->length && memcmp(item->text, text->text, text->length) == 0;
}

/**
 * The next item of the same hash and sort.
 * @param at where to begin in the table; moved behind it
 * @return NULL: there is none
 */
static struct tally_item *next_alike(const struct tally *tally, const struct tally_text *text,
                                     size_t *at)
{
	while (tally->slots[*at]) {
		struct tally_item *item = item_of(tally, tally->slots[*at]);
		*at = (*at + 1) & (tally->slot_count - 1);
		if (item->hash == text->hash && item->sort == text->sort)
			return item;
	}
	return NULL;
}

void tally_add(struct tally *tally, const struct tally_text *text)
{
	size_t at = text->hash & (tally->slot_count - 1);
	struct tally_item *item;
	do
		item = next_alike(tally, text, &at);

	while (item && !is_equal(item, text));

	if (item)
		add_again(tally, item, text);
	else
		add_new(tally, text);
}

void tally_add_similar(struct tally *tally, const struct tally_text *text)
{
	size_t at = text->hash & (tally->slot_count - 1);
	struct tally_item *item = next_alike(tally, text, &at);
	if (!item) {
		add_new(tally, text);
		return;
	}

	item->varied = item->varied || !is_equal(item, text);
	add_again(tally, item, text);
}

void tally_lengthen(struct tally *tally, uint8_t sort, uint64_t size)
{
	if (tally->last[sort])
		tally->last[sort]->size += size;
}

size_t tally_count(const struct tally *tally)
{
	return tally->count;
}

uint64_t tally_dropped(const struct tally *tally)
{
	return tally->dropped;
}

uint64_t tally_bound(const struct tally *tally)
{
	return tally->bound;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct tally *tally = context;
	const struct tally_item *a = item_of(tally, *(const uint32_t *)left),
				*b = item_of(tally, *(const uint32_t *)right);
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

void tally_sort(struct tally *tally)
{
	/* The table itself becomes the list: nothing is looked up any more. */
	size_t count = 0;
	for (size_t i = 0; i < tally->slot_count; i++)
		if (tally->slots[i])
			tally->slots[count++] = tally->slots[i];
	qsort_r(tally->slots, count, sizeof *tally->slots, compare, tally);
}

const struct tally_item *tally_get(const struct tally *tally, size_t index)
{
	return item_of(tally, tally->slots[index]);
}
