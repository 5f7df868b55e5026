/* SPDX-License-Identifier: MIT */
/*
 * A hash table finds the number of a region by its start or its end, so that a region that grows at
 * one end keeps its number.
 */
#include "view/results.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"

/** A dynamic array of results. */
struct result_list {
	struct result *items;
	size_t count;
	size_t capacity;
};

/** A slot of the hash table that finds a region by its start or its end. */
struct slot {
	uint64_t key;
	size_t number; /* number of the region; 0 if the slot is free */
};

struct results {
	struct result_list hits;
	struct result_list regions;
	struct slot *slots;
	size_t slot_count; /* a power of two, more than twice `slots_used` */
	size_t slots_used;
	bool stale;    /* the hits are those of an earlier command */
	bool counting; /* `last` counts the items of the current command, which has found at least
	                  one */
	bool last_regions; /* `last` counts regions, not hits */
	size_t last;
};

struct results *results_create(void)
{
	struct results *results = alloc_array(NULL, 1, sizeof *results);
	*results = (struct results){ 0 };
	return results;
}

static void empty(struct result_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].text);
		free(list->items[i].ranges);
	}

	free(list->items);
	*list = (struct result_list){ 0 };
}

void results_clear(struct results *results)
{
	empty(&results->hits);
	empty(&results->regions);
	free(results->slots);
	*results = (struct results){ 0 };
}

void results_destroy(struct results *results)
{
	if (!results)
		return;
	results_clear(results);
	free(results);
}

void results_next_command(struct results *results)
{
	results->stale = true;
	results->counting = false;
}

/**
 * Counts an item that the current command found. As soon as the command has found a hit, only hits
 * are counted.
 */
static void count(struct results *results, bool region)
{
	if (!results->counting || (results->last_regions && !region)) {
		results->last = 0;
		results->last_regions = region;
		results->counting = true;
	}
	results->last += results->last_regions == region;
}

size_t results_last_count(const struct results *results, bool *regions)
{
	*regions = results->last_regions;
	return results->last;
}

/** Adds an item to a list. @return its number */
static size_t add(struct result_list *list, uint64_t start, uint64_t end, const char *text,
                  size_t length)
{
	char *copy = alloc_array(NULL, length + 1, 1);

	if (length > 0)
		memcpy(copy, text, length);
	copy[length] = '\0';

	if (list->count == list->capacity) {
		list->capacity = list->capacity * 2 + 64;
		list->items = alloc_array(list->items, list->capacity, sizeof *list->items);
	}

	list->items[list->count++] =
		(struct result){ .start = start, .end = end, .text = copy, .length = length };

	return list->count;
}

size_t results_add_hit(struct results *results, uint64_t address, uint64_t size, const char *text,
                       size_t length)
{
	uint64_t end;

	if (!results)
		return 0;

	if (results->stale)
		empty(&results->hits);
	results->stale = false;
	count(results, false);

	if (results->hits.count >= RESULTS_HITS_MAX)
		return 0;

	if (__builtin_add_overflow(address, size, &end))
		end = UINT64_MAX;

	return add(&results->hits, address, end, text, pm_min_size(length, RESULTS_TEXT_MAX));
}

/* Regions are aligned to pages, so the lowest bit distinguishes a start from an end. */
static uint64_t start_key(uint64_t start)
{
	return start & ~UINT64_C(1);
}

static uint64_t end_key(uint64_t end)
{
	return start_key(end) | 1;
}

/** Finds the slot of a key, or the free slot where it belongs. */
static struct slot *find_slot(const struct results *results, uint64_t key)
{
	/* Fibonacci hashing: the upper bits of the product depend on all bits of the key. */
	size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
	            (results->slot_count - 1);

	while (results->slots[at].number > 0 && results->slots[at].key != key)
		at = (at + 1) & (results->slot_count - 1);
	return &results->slots[at];
}

static void set_slot(struct results *results, uint64_t key, size_t number)
{
	struct slot *slot = find_slot(results, key);
	results->slots_used += slot->number == 0;
	*slot = (struct slot){ key, number };
}

/** Makes room for two more slots. */
static void grow_slots(struct results *results)
{
	struct results bigger = { .slot_count = pm_max_size(results->slot_count * 2, 256) };

	if (results->slot_count > 0 && (results->slots_used + 2) * 2 < results->slot_count)
		return;

	bigger.slots = alloc_array(NULL, bigger.slot_count, sizeof *bigger.slots);
	memset(bigger.slots, 0, bigger.slot_count * sizeof *bigger.slots);
	for (size_t i = 0; i < results->slot_count; i++) {
		if (results->slots[i].number > 0)
			set_slot(&bigger, results->slots[i].key, results->slots[i].number);
	}

	free(results->slots);
	results->slots = bigger.slots;
	results->slot_count = bigger.slot_count;
	results->slots_used = bigger.slots_used;
}

size_t results_add_region(struct results *results, uint64_t start, uint64_t end, const char *kind,
                          const char *mapping)
{
	if (!results)
		return 0;

	count(results, true);
	grow_slots(results);

	size_t number = find_slot(results, start_key(start))->number;
	if (number == 0)
		number = find_slot(results, end_key(end))->number;

	struct text words = { 0 };

	text_format(&words, "%s%s%s", kind, *kind && *mapping ? "  " : "", mapping);
	if (number == 0) {
		number = add(&results->regions, start, end, words.bytes, words.length);
	} else {
		struct result *known = &results->regions.items[number - 1];

		free(known->text);
		free(known->ranges);
		*known = (struct result){ .start = start,
			                  .end = end,
			                  .text = alloc_string(text_terminate(&words)),
			                  .length = words.length };
	}

	text_deinit(&words);
	set_slot(results, start_key(start), number);
	set_slot(results, end_key(end), number);

	return number;
}

void results_set_ranges(struct results *results, size_t number, struct pm_region_range *ranges,
                        size_t count)
{
	if (!results) {
		free(ranges);
		return;
	}

	struct result *result = &results->regions.items[number - 1];

	free(result->ranges);
	result->ranges = ranges;
	result->range_count = count;
}

size_t results_hit_count(const struct results *results)
{
	return results->hits.count;
}

size_t results_region_count(const struct results *results)
{
	return results->regions.count;
}

static const struct result *get(const struct result_list *list, size_t number)
{
	return number > 0 && number <= list->count ? &list->items[number - 1] : NULL;
}

const struct result *results_hit(const struct results *results, size_t number)
{
	return get(&results->hits, number);
}

const struct result *results_region(const struct results *results, size_t number)
{
	return get(&results->regions, number);
}

/** Returns the number of spaces, at least one, after a number of `length` characters. */
static size_t padding_after(size_t length)
{
	return pm_max_size(excess_size(RESULTS_NUMBER_WIDTH, length), 1);
}

void results_print_hit(struct out *out, uint64_t address, uint64_t size, const char *text,
                       size_t length)
{
	struct text number = { 0 };

	if (!out->results)
		return;

	size_t id = results_add_hit(out->results, address, size, text, length);
	if (id > 0)
		text_format(&number, "#%zu", id);
	out_style(out, OUT_DIM);
	out_text(out, &number);
	out_style(out, OUT_PLAIN);
	out_blanks(out, padding_after(number.length));

	text_deinit(&number);
}

void results_put_region(struct results *results, const struct pm_region *region, struct text *line)
{
	size_t start = line->length;
	size_t id = results_add_region(results, region->start, region->end,
	                               pm_kind_name((enum pm_kind)region->kind), region->mapping);

	if (!results)
		return;

	if (id > 0)
		text_format(line, "#r%zu", id);

	text_fill(line, ' ', padding_after(line->length - start));
}
