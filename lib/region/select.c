/* SPDX-License-Identifier: MIT */
#include <procmem/select.h>

#include <stdlib.h>

#include "base/array.h"
#include "region/filter.h"
#include "region/select_words.h"

struct pm_select {
	struct pm_word *words;
	size_t count;
	size_t capacity;
	struct pm_filter filter;
};

int pm_select_create(struct pm_select **select, struct pm_error *error)
{
	struct pm_select *created = calloc(1, sizeof *created);
	if (!created)
		return pm_error_out_of_memory(error);
	*select = created;
	return 0;
}

void pm_select_destroy(struct pm_select *select)
{
	if (!select)
		return;

	for (size_t i = 0; i < select->count; i++)
		free(select->words[i].text);

	free(select->words);
	pm_filter_deinit(&select->filter);
	free(select);
}

int pm_select_add_word(struct pm_select *select, const char *word, struct pm_error *error)
{
	if (pm_array_reserve(&select->words, &select->capacity, select->count, 1,
	                     sizeof *select->words, error) < 0)
		return -1;
	if (pm_word_parse(word, &select->words[select->count], error) < 0)
		return -1;

	select->count++;
	return 0;
}

int pm_select_set_kinds(struct pm_select *select, const char *list, struct pm_error *error)
{
	return pm_filter_set_kinds(&select->filter, list, error);
}

int pm_select_set_mapping(struct pm_select *select, const char *regex, struct pm_error *error)
{
	return pm_filter_set_mapping(&select->filter, regex, error);
}

int pm_select_set_perms(struct pm_select *select, const char *spec, struct pm_error *error)
{
	return pm_filter_set_perms(&select->filter, spec, error);
}

void pm_select_set_min_rss(struct pm_select *select, uint64_t bytes)
{
	select->filter.min_rss = bytes;
}

void pm_select_set_min_size(struct pm_select *select, uint64_t bytes)
{
	select->filter.min_size = bytes;
}

bool pm_select_is_everything(const struct pm_select *select)
{
	for (size_t i = 0; i < select->count; i++)
		if (select->words[i].type != PM_WORD_ALL)
			return false;
	return !pm_filter_is_active(&select->filter);
}

bool pm_select_needs_kinds(const struct pm_select *select)
{
	for (size_t i = 0; i < select->count; i++)
		if (select->words[i].type == PM_WORD_KIND)
			return true;
	return select->filter.kinds != 0;
}

bool pm_select_needs_rss(const struct pm_select *select)
{
	return select->filter.min_rss != 0;
}

/** All that the words mean, in the order of the words. */
static int collect(const struct pm_select *select, const struct pm_regions *regions,
                   struct pm_intervals *intervals, struct pm_error *error)
{
	static const struct pm_word everything = { .type = PM_WORD_ALL };
	if (select->count == 0)
		return pm_word_resolve(&everything, regions, intervals, error);

	for (size_t i = 0; i < select->count; i++)
		if (pm_word_resolve(&select->words[i], regions, intervals, error) < 0)
			return -1;
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	uint64_t left = ((const struct pm_interval *)a)->start,
		 right = ((const struct pm_interval *)b)->start;
	return (left > right) - (left < right);
}

/** Sorts the intervals and makes one of those that overlap or touch. */
static void unite(struct pm_intervals *intervals)
{
	if (intervals->count == 0)
		return;

	qsort(intervals->items, intervals->count, sizeof *intervals->items, compare_starts);
	size_t last = 0;
	for (size_t i = 1; i < intervals->count; i++) {
		const struct pm_interval *next = &intervals->items[i];
		struct pm_interval *open = &intervals->items[last];
		if (next->start > open->end)
			intervals->items[++last] = *next;
		else if (next->end > open->end)
			open->end = next->end;
	}

	intervals->count = last + 1;
}

/** The ranges found so far. */
struct output {
	struct pm_range *items;
	size_t count;
	size_t capacity;
};

static int add_range(struct output *output, uint64_t start, uint64_t end, size_t region,
                     struct pm_error *error)
{
	if (pm_array_reserve(&output->items, &output->capacity, output->count, 1,
	                     sizeof *output->items, error) < 0)
		return -1;
	output->items[output->count++] =
		(struct pm_range){ .start = start, .end = end, .region = region };
	return 0;
}

/**
 * Cuts an interval at the borders of the regions, and keeps the pieces that pass the filter. Bytes
 * that are not mapped pass none.
 */
static int cut(struct pm_filter_run *run, const struct pm_regions *regions,
               const struct pm_interval *interval, struct output *output, struct pm_error *error)
{
	size_t index = pm_regions_index(regions, interval->start);
	for (uint64_t at = interval->start, end; at < interval->end; at = end) {
		const struct pm_region *region = index < regions->count ? &regions->items[index]
		                                                        : NULL;
		bool mapped = region && region->start <= at;
		end = interval->end;
		if (region && (mapped ? region->end : region->start) < end)
			end = mapped ? region->end : region->start;
		int passes = mapped ? pm_filter_passes(run, region, error)
		                    : !pm_filter_is_active(run->filter);
		if (passes < 0 ||
		    (passes && add_range(output, at, end, mapped ? index : SIZE_MAX, error) < 0))
			return -1;
		index += mapped;
	}

	return 0;
}

int pm_select_apply(const struct pm_select *select, const struct pm_regions *regions,
                    struct pm_range **ranges, size_t *count, struct pm_error *error)
{
	struct pm_intervals intervals = { 0 };
	struct pm_filter_run run;
	struct output output = { 0 };

	if (pm_filter_run_init(&run, &select->filter, error) < 0)
		return -1;

	int result = collect(select, regions, &intervals, error);
	if (result == 0)
		unite(&intervals);

	for (size_t i = 0; result == 0 && i < intervals.count; i++)
		result = cut(&run, regions, &intervals.items[i], &output, error);

	free(intervals.items);
	pm_filter_run_deinit(&run);
	if (result < 0) {
		free(output.items);
		return -1;
	}

	*ranges = output.items;
	*count = output.count;

	return 0;
}
