/* SPDX-License-Identifier: MIT */
#include <procmem/select.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
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

int pm_select_set_owners(struct pm_select *select, const char *list, struct pm_error *error)
{
	return pm_filter_set_owners(&select->filter, list, error);
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

bool pm_select_has_range(const struct pm_select *select)
{
	for (size_t i = 0; i < select->count; i++)
		if (select->words[i].type == PM_WORD_RANGE)
			return true;
	return false;
}

bool pm_select_needs_kinds(const struct pm_select *select)
{
	for (size_t i = 0; i < select->count; i++)
		if (select->words[i].type == PM_WORD_KIND)
			return true;
	return select->filter.kinds != 0 || select->filter.owners != 0;
}

bool pm_select_needs_rss(const struct pm_select *select)
{
	return select->filter.min_rss != 0;
}

/**
 * Tests whether a word may be absent, so that the selection consists of the other words: whether a
 * process has a region of some kind or name is often not known in advance. A wrong address is a
 * mistake.
 */
static bool may_be_absent(const struct pm_word *word)
{
	return word->type == PM_WORD_KIND || word->type == PM_WORD_NAME;
}

/**
 * Adds the addresses of all words to `ranges`, in the order of the words. Without words, the
 * addresses of all regions are added. Fails if all words are absent.
 */
static int collect(const struct pm_select *select, const struct pm_regions *regions,
                   struct pm_ranges *ranges, struct pm_error *error)
{
	static const struct pm_word everything = { .type = PM_WORD_ALL };
	struct pm_error why = { 0 };
	size_t absent = 0;

	if (select->count == 0)
		return pm_word_resolve(&everything, regions, ranges, error);

	for (size_t i = 0; i < select->count; i++) {
		const struct pm_word *word = &select->words[i];
		int result = pm_word_resolve(word, regions, ranges, &why);

		if (result < 0 && why.kind == PM_ERROR_NOT_FOUND && may_be_absent(word))
			absent++;
		else if (result < 0)
			absent = select->count;
		if (absent == select->count) {
			if (error)
				*error = why;
			return -1;
		}
	}

	return 0;
}

int pm_select_visit_absent(const struct pm_select *select, const struct pm_regions *regions,
                           pm_select_absent_visitor *visit, void *context, struct pm_error *error)
{
	struct pm_ranges ranges = { 0 };
	struct pm_error why = { 0 };
	int result = 0;

	for (size_t i = 0; i < select->count && result == 0; i++) {
		const struct pm_word *word = &select->words[i];
		ranges.count = 0;
		if (!may_be_absent(word) || pm_word_resolve(word, regions, &ranges, &why) == 0)
			continue;

		if (why.kind == PM_ERROR_NOT_FOUND) {
			visit(context, &why);
			continue;
		}

		result = -1;
		if (error)
			*error = why;
	}

	free(ranges.items);
	return result;
}

static int compare_starts(const void *a, const void *b)
{
	const struct pm_range *left = a, *right = b;
	return (left->start > right->start) - (left->start < right->start);
}

/** Sorts ranges by address, and merges ranges that overlap or are adjacent. */
static void unite(struct pm_ranges *ranges)
{
	if (ranges->count == 0)
		return;

	qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_starts);
	size_t last = 0;
	for (size_t i = 1; i < ranges->count; i++) {
		const struct pm_range *next = &ranges->items[i];
		struct pm_range *open = &ranges->items[last];
		if (next->start > open->end)
			ranges->items[++last] = *next;
		else
			open->end = pm_max(open->end, next->end);
	}

	ranges->count = last + 1;
}

/** The list of selected ranges. */
struct output {
	struct pm_region_range *items;
	size_t count;
	size_t capacity;
};

static int add_range(struct output *output, struct pm_range range, size_t region,
                     struct pm_error *error)
{
	if (pm_array_reserve(&output->items, &output->capacity, output->count, 1,
	                     sizeof *output->items, error) < 0)
		return -1;
	output->items[output->count++] = (struct pm_region_range){ .range = range,
		                                                   .region = region };
	return 0;
}

/**
 * Splits a range at the boundaries of the regions, and adds the parts of the regions that pass the
 * filter to `output`. Unmapped parts are added only if the filter has no conditions.
 */
static int cut(struct pm_filter_run *run, const struct pm_regions *regions, struct pm_range range,
               struct output *output, struct pm_error *error)
{
	size_t index = pm_regions_index(regions, range.start);

	while (range.start < range.end) {
		struct pm_range part = range;
		size_t in = SIZE_MAX;
		int passes = !pm_filter_is_active(run->filter);

		if (index < regions->count && regions->items[index].start <= range.start) {
			in = index++;
			part.end = pm_min(part.end, regions->items[in].end);
			passes = pm_filter_passes(run, &regions->items[in], error);
		} else if (index < regions->count) {
			part.end = pm_min(part.end, regions->items[index].start);
		}

		if (passes < 0 || (passes && add_range(output, part, in, error) < 0))
			return -1;
		range.start = part.end;
	}

	return 0;
}

int pm_select_apply(const struct pm_select *select, const struct pm_regions *regions,
                    struct pm_region_range **ranges, size_t *count, struct pm_error *error)
{
	struct pm_ranges wanted = { 0 };
	struct pm_filter_run run;
	struct output output = { 0 };

	if (pm_filter_run_init(&run, &select->filter, error) < 0)
		return -1;

	int result = collect(select, regions, &wanted, error);
	if (result == 0)
		unite(&wanted);

	for (size_t i = 0; result == 0 && i < wanted.count; i++)
		result = cut(&run, regions, wanted.items[i], &output, error);

	free(wanted.items);
	pm_filter_run_deinit(&run);
	if (result < 0) {
		free(output.items);
		return -1;
	}

	*ranges = output.items;
	*count = output.count;

	return 0;
}
