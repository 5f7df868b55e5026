/* SPDX-License-Identifier: MIT */
#include "view/results.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/minmax.h"

/** A growing list of results. */
struct result_list {
	struct result *items;
	size_t count;
	size_t capacity;
};

/** One place of the table that finds regions by their ends. */
struct place {
	uint64_t key;
	size_t number; /* 0: free */
};

struct results {
	struct result_list hits;
	struct result_list regions;
	struct place *places;
	size_t place_count; /* a power of two, more than twice those in use */
	size_t places_used;
	bool stale;        /* the hits are those of a command before */
	bool counting;     /* the command that runs has found something, which `last` counts */
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
	free(results->places);
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

/** Counts what a command finds; hits are more than the regions that may be named beside them. */
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

/**
 * Adds one to a list.
 * @return its number
 */
static size_t add(struct result_list *list, uint64_t start, uint64_t end, const char *text,
                  size_t length)
{
	char *copy = alloc_array(NULL, length + 1, 1);
	memcpy(copy, length > 0 ? text : "", length);
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

/* Regions lie on pages, so the lowest bit tells a begin from an end. */
static uint64_t begin_key(uint64_t start)
{
	return start & ~UINT64_C(1);
}

static uint64_t end_key(uint64_t end)
{
	return begin_key(end) | 1;
}

/** The place of a key, or the free one where it belongs. */
static struct place *find_place(const struct results *results, uint64_t key)
{
	/* Fibonacci hashing: the upper bits of the product depend on all bits of the key. */
	size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
	            (results->place_count - 1);
	while (results->places[at].number > 0 && results->places[at].key != key)
		at = (at + 1) & (results->place_count - 1);
	return &results->places[at];
}

static void set_place(struct results *results, uint64_t key, size_t number)
{
	struct place *place = find_place(results, key);
	results->places_used += place->number == 0;
	*place = (struct place){ key, number };
}

/** Makes room for two more places. */
static void grow_places(struct results *results)
{
	struct results bigger = { .place_count = results->place_count > 0 ? results->place_count * 2
		                                                          : 256 };

	if (results->place_count > 0 && (results->places_used + 2) * 2 < results->place_count)
		return;

	bigger.places = alloc_array(NULL, bigger.place_count, sizeof *bigger.places);
	memset(bigger.places, 0, bigger.place_count * sizeof *bigger.places);
	for (size_t i = 0; i < results->place_count; i++)
		if (results->places[i].number > 0)
			set_place(&bigger, results->places[i].key, results->places[i].number);

	free(results->places);
	results->places = bigger.places;
	results->place_count = bigger.place_count;
	results->places_used = bigger.places_used;
}

size_t results_add_region(struct results *results, uint64_t start, uint64_t end, const char *kind,
                          const char *mapping)
{
	if (!results)
		return 0;

	count(results, true);
	grow_places(results);

	size_t number = find_place(results, begin_key(start))->number;
	if (number == 0)
		number = find_place(results, end_key(end))->number;

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
	set_place(results, begin_key(start), number);
	set_place(results, end_key(end), number);

	return number;
}

void results_set_ranges(struct results *results, size_t number, struct pm_region_range *ranges,
                        size_t count)
{
	struct result *result = results ? &results->regions.items[number - 1] : NULL;
	if (!result) {
		free(ranges);
		return;
	}

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
	out_blanks(out,
	           number.length < RESULTS_NUMBER_WIDTH ? RESULTS_NUMBER_WIDTH - number.length : 1);

	text_deinit(&number);
}

void results_put_region(struct results *results, const struct pm_region *region, struct text *line)
{
	size_t begin = line->length;
	size_t id = results_add_region(results, region->start, region->end,
	                               pm_kind_name((enum pm_kind)region->kind), region->mapping);

	if (!results)
		return;

	if (id > 0)
		text_format(line, "#r%zu", id);

	size_t length = line->length - begin;
	text_fill(line, ' ', length < RESULTS_NUMBER_WIDTH ? RESULTS_NUMBER_WIDTH - length : 1);
}
