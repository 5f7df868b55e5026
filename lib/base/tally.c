/* SPDX-License-Identifier: MIT */
/*
 * The items are stored one after the other, without gaps. A hash table with open addressing
 * contains the positions of the items. When the budget is used up, the rarest items are removed,
 * and the remaining items are moved to close the gaps.
 */
#include <procmem/tally.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum {
	FIRST_SLOTS = 1024,
	ALIGNMENT = 8, /* items start at multiples of this number of bytes */
	LEVELS = 4096, /* number of counts, starting with the lowest one, among which a threshold is
	                  chosen */
};

struct pm_tally {
	uint64_t budget;
	uint64_t seed;
	char *store; /* the items; `used` of `budget` bytes */
	uint64_t used;
	/*
	 * Until pm_tally_sort(): the hash table. A slot is 0 if it is empty, otherwise 1 + the
	 * offset of an item in `store` divided by ALIGNMENT. After pm_tally_sort(): the same
	 * numbers, sorted by item, in the first `count` elements.
	 */
	uint32_t *slots;
	size_t slot_count; /* number of slots, a power of two */
	size_t count;
	/*
	 * For each category, the item of the text that was added last; NULL if there is no such
	 * text, or if its item was dropped.
	 */
	struct pm_tally_item *last[UINT8_MAX + 1];
	uint64_t dropped;
	uint64_t bound;
};

int pm_tally_create(uint64_t budget, struct pm_tally **tally, struct pm_error *error)
{
	if (budget < PM_TALLY_BUDGET_MIN || budget > PM_TALLY_BUDGET_MAX)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "the budget for counting must be between 64K and 32G");

	struct pm_tally *created = calloc(1, sizeof *created);
	if (!created)
		return pm_error_out_of_memory(error);

	created->budget = budget;
	created->slot_count = FIRST_SLOTS;
	created->store = malloc(budget);
	created->slots = calloc(created->slot_count, sizeof *created->slots);

	if (!created->store || !created->slots) {
		pm_tally_destroy(created);
		return pm_error_out_of_memory(error);
	}

	created->seed = pm_hash_seed(created);
	*tally = created;
	return 0;
}

void pm_tally_destroy(struct pm_tally *tally)
{
	if (!tally)
		return;

	free(tally->store);
	free(tally->slots);
	free(tally);
}

uint64_t pm_tally_hash(const struct pm_tally *tally, uint8_t category, const char *text,
                       size_t length)
{
	return pm_hash_bytes(tally->seed ^ (uint64_t)category << 56, text, length);
}

static uint64_t item_size(uint64_t length)
{
	uint64_t size = offsetof(struct pm_tally_item, text) + length + ALIGNMENT - 1;
	return size - size % ALIGNMENT;
}

static struct pm_tally_item *item_at(const struct pm_tally *tally, uint64_t offset)
{
	return (struct pm_tally_item *)(void *)(tally->store + offset);
}

/** Returns the item that a slot refers to. */
static struct pm_tally_item *item_of(const struct pm_tally *tally, uint32_t slot)
{
	return item_at(tally, (uint64_t)(slot - 1) * ALIGNMENT);
}

/**
 * Adds an item to the hash table.
 * @param offset  offset of the item in the store
 */
static void enter(struct pm_tally *tally, uint64_t hash, uint64_t offset)
{
	size_t at = hash & (tally->slot_count - 1);
	while (tally->slots[at])
		at = (at + 1) & (tally->slot_count - 1);
	tally->slots[at] = (uint32_t)(offset / ALIGNMENT + 1);
}

static void enter_all(struct pm_tally *tally)
{
	for (uint64_t at = 0; at < tally->used; at += item_size(item_at(tally, at)->length))
		enter(tally, item_at(tally, at)->hash, at);
}

/**
 * Returns the maximum number of times that the text of an item can have been added, including the
 * times that are not in its count.
 */
static uint64_t max_count(const struct pm_tally_item *item)
{
	return item->count + item->missed;
}

static uint64_t lowest_max_count(const struct pm_tally *tally)
{
	uint64_t lowest = UINT64_MAX;

	for (uint64_t at = 0; at < tally->used;) {
		const struct pm_tally_item *item = item_at(tally, at);
		if (max_count(item) < lowest)
			lowest = max_count(item);
		at += item_size(item->length);
	}

	return lowest;
}

/**
 * Finds the threshold at which about half of the store becomes free if all items are dropped for
 * which max_count() is at most the threshold.
 */
static uint64_t find_threshold(const struct pm_tally *tally)
{
	uint64_t bytes[LEVELS] = { 0 };
	uint64_t base = lowest_max_count(tally);

	for (uint64_t at = 0; at < tally->used;) {
		const struct pm_tally_item *item = item_at(tally, at);
		uint64_t size = item_size(item->length);
		uint64_t level = max_count(item) - base;

		if (level < LEVELS)
			bytes[level] += size;
		at += size;
	}

	uint64_t sum = 0;
	for (size_t i = 0; i < LEVELS; i++) {
		sum += bytes[i];
		if (sum >= tally->used / 2)
			return base + i;
	}

	return base + LEVELS - 1;
}

/** Moves an item to the offset `to` in the store, which is not after its present offset. */
static void move(struct pm_tally *tally, struct pm_tally_item *item, uint64_t to)
{
	struct pm_tally_item **last = &tally->last[item->category];
	if (*last == item)
		*last = item_at(tally, to);
	memmove(tally->store + to, item, item_size(item->length));
}

/**
 * Drops an item. The bytes of the item stay in the store until the following items are moved to
 * the place of the dropped item.
 */
static void drop(struct pm_tally *tally, const struct pm_tally_item *item)
{
	struct pm_tally_item **last = &tally->last[item->category];
	if (*last == item)
		*last = NULL;
	tally->count--;
	tally->dropped++;
}

/** Drops the rarest texts, which use about half of the store, and rebuilds the hash table. */
static void drop_rare(struct pm_tally *tally)
{
	uint64_t threshold = find_threshold(tally);
	uint64_t kept = 0;

	for (uint64_t at = 0; at < tally->used;) {
		struct pm_tally_item *item = item_at(tally, at);
		uint64_t size = item_size(item->length);

		if (max_count(item) > threshold) {
			move(tally, item, kept);
			kept += size;
		} else {
			drop(tally, item);
		}
		at += size;
	}

	tally->used = kept;
	/*
	 * The bound may already be higher, because add_new() increases it for long texts that do
	 * not fit.
	 */
	if (threshold > tally->bound)
		tally->bound = threshold;

	memset(tally->slots, 0, tally->slot_count * sizeof *tally->slots);
	enter_all(tally);
}

/**
 * Doubles the size of the hash table.
 * @return false if the budget or the memory of the system is used up
 */
static bool grow(struct pm_tally *tally)
{
	/*
	 * While the table grows, the old table and the new one, which is twice as large, exist at
	 * the same time.
	 */
	uint64_t both = tally->slot_count * 3 * sizeof *tally->slots;
	if (tally->used + both > tally->budget)
		return false;

	uint32_t *slots = calloc(tally->slot_count * 2, sizeof *slots);
	if (!slots)
		return false;

	free(tally->slots);
	tally->slots = slots;
	tally->slot_count *= 2;
	enter_all(tally);

	return true;
}

/** Returns whether an item of `size` bytes fits into the budget. */
static bool fits(const struct pm_tally *tally, uint64_t size)
{
	return tally->used + size + tally->slot_count * sizeof *tally->slots <= tally->budget;
}

/**
 * Returns whether the hash table is three quarters full. With more items, lookups would be slow.
 */
static bool is_crowded(const struct pm_tally *tally)
{
	return tally->count >= tally->slot_count / 4 * 3;
}

/**
 * Makes room for a new text. May drop other texts.
 * @return false if the text is so long that it must be dropped at once
 */
static bool make_room(struct pm_tally *tally, size_t length)
{
	/* Do not drop most of the other texts for a single long text. */
	if (length > UINT32_MAX || item_size(length) > tally->budget / 4)
		return false;

	bool full = is_crowded(tally) && !grow(tally);
	if (full || !fits(tally, item_size(length)))
		drop_rare(tally);

	/*
	 * If a few long texts used half of the store, drop_rare() removed only a few items from the
	 * hash table.
	 */
	while (is_crowded(tally))
		drop_rare(tally);

	return fits(tally, item_size(length));
}

/**
 * Updates the most frequent distance between successive texts of an item. Each distance votes for
 * itself or against the present candidate. A distance that has more than half of all votes is the
 * candidate in the end.
 */
static void add_distance(struct pm_tally_item *item, uint64_t address)
{
	uint64_t distance = address - item->last;
	bool ascends = address > item->last;

	item->last = address;
	if (!ascends)
		return;

	if (item->votes == 0) {
		item->stride = distance;
		item->stride_count = 0;
	}

	if (distance == item->stride) {
		item->stride_count++;
		item->votes++;
	} else {
		item->votes--;
	}
}

/** Counts a text that is in the tally. */
static void add_again(struct pm_tally *tally, struct pm_tally_item *item,
                      const struct pm_tally_text *text)
{
	item->count++;
	item->size += text->size;
	add_distance(item, text->first);
	tally->last[text->category] = item;
}

/** Adds a text that is not in the tally. */
static void add_new(struct pm_tally *tally, const struct pm_tally_text *text)
{
	tally->last[text->category] = NULL;
	if (!make_room(tally, text->length)) {
		/*
		 * A text that is not in the tally may have been added up to `bound` times. This
		 * text is dropped now, so it may have been added once more than that.
		 */
		tally->dropped++;
		tally->bound++;
		return;
	}

	struct pm_tally_item *item = item_at(tally, tally->used);
	*item = (struct pm_tally_item){
		.hash = text->hash,
		.count = 1,
		.missed = tally->bound,
		.first = text->first,
		.last = text->first,
		.size = text->size,
		.length = (uint32_t)text->length,
		.category = text->category,
	};
	memcpy(item->text, text->text, text->length);

	enter(tally, text->hash, tally->used);
	tally->used += item_size(text->length);
	tally->count++;
	tally->last[text->category] = item;
}

static bool is_equal(const struct pm_tally_item *item, const struct pm_tally_text *text)
{
	return item->length == text->length && memcmp(item->text, text->text, text->length) == 0;
}

/**
 * Finds the next item that has the hash and the category of a text.
 *
 * @param at  index of the first slot to test; receives the index of the slot after that of the item
 * @return    the item, or NULL if there is no further item
 */
static struct pm_tally_item *next_similar(const struct pm_tally *tally,
                                          const struct pm_tally_text *text, size_t *at)
{
	while (tally->slots[*at]) {
		struct pm_tally_item *item = item_of(tally, tally->slots[*at]);

		*at = (*at + 1) & (tally->slot_count - 1);
		if (item->hash == text->hash && item->category == text->category)
			return item;
	}

	return NULL;
}

void pm_tally_add(struct pm_tally *tally, const struct pm_tally_text *text)
{
	size_t at = text->hash & (tally->slot_count - 1);
	struct pm_tally_item *item = next_similar(tally, text, &at);

	while (item && !is_equal(item, text))
		item = next_similar(tally, text, &at);

	if (item)
		add_again(tally, item, text);
	else
		add_new(tally, text);
}

void pm_tally_add_similar(struct pm_tally *tally, const struct pm_tally_text *text)
{
	size_t at = text->hash & (tally->slot_count - 1);
	struct pm_tally_item *item = next_similar(tally, text, &at);

	if (!item) {
		add_new(tally, text);
		return;
	}

	item->varied = item->varied || !is_equal(item, text);
	add_again(tally, item, text);
}

void pm_tally_extend(struct pm_tally *tally, uint8_t category, uint64_t size)
{
	if (tally->last[category])
		tally->last[category]->size += size;
}

size_t pm_tally_count(const struct pm_tally *tally)
{
	return tally->count;
}

uint64_t pm_tally_dropped(const struct pm_tally *tally)
{
	return tally->dropped;
}

uint64_t pm_tally_bound(const struct pm_tally *tally)
{
	return tally->bound;
}

/** What pm_tally_sort() passes to compare(). */
struct sorting {
	const struct pm_tally *tally;
	enum pm_tally_order order;
};

/** Returns the number by which an item is sorted. */
static uint64_t rank_of(const struct pm_tally_item *item, enum pm_tally_order order)
{
	switch (order) {
	case PM_TALLY_BY_BYTES:
		return item->size;
	case PM_TALLY_BY_LENGTH:
		return item->size / item->count;
	case PM_TALLY_BY_COUNT:
	default:
		return item->count;
	}
}

static int compare(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const struct pm_tally_item *a = item_of(sorting->tally, *(const uint32_t *)left);
	const struct pm_tally_item *b = item_of(sorting->tally, *(const uint32_t *)right);
	uint64_t rank_a = rank_of(a, sorting->order), rank_b = rank_of(b, sorting->order);

	if (rank_a != rank_b)
		return (rank_a < rank_b) - (rank_a > rank_b);
	return (a->first > b->first) - (a->first < b->first);
}

void pm_tally_sort(struct pm_tally *tally, enum pm_tally_order order)
{
	struct sorting sorting = { tally, order };

	/*
	 * Use the memory of the hash table for the sorted array. The table is no longer needed,
	 * because no texts are added after this.
	 */
	size_t count = 0;
	for (size_t i = 0; i < tally->slot_count; i++)
		if (tally->slots[i])
			tally->slots[count++] = tally->slots[i];

	qsort_r(tally->slots, count, sizeof *tally->slots, compare, &sorting);
}

const struct pm_tally_item *pm_tally_get(const struct pm_tally *tally, size_t index)
{
	return item_of(tally, tally->slots[index]);
}
