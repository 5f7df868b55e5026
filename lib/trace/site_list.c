/* SPDX-License-Identifier: MIT */
/*
 * Lists are compared like sorted lists: the sites of both are brought into the order of the names
 * on their stacks. Sites with the same names are next to each other, and are added up.
 */
#include "trace/site_list.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>

#include "base/array.h"
#include "region/texts.h"

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/**
 * Finds the part of a path that is compared: the name of the file, without version and without
 * " (deleted)".
 * @param length  receives its length in bytes
 */
static const char *stem_of(const char *path, size_t *length)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *end = strstr(name, ".so");

	if (!end)
		end = strstr(name, " (deleted)");

	*length = end ? (size_t)(end - name) : strlen(name);
	return name;
}

static int compare_modules(const char *left, const char *right)
{
	size_t left_length, right_length;

	if (!left || !right)
		return (left != NULL) - (right != NULL);

	const char *a = stem_of(left, &left_length), *b = stem_of(right, &right_length);
	int order = memcmp(a, b, pm_min_size(left_length, right_length));

	return order != 0 ? order : compare_numbers(left_length, right_length);
}

static int compare_frames(const struct pm_frame *left, const struct pm_frame *right)
{
	int order = (left->function != NULL) - (right->function != NULL);

	if (order == 0 && left->function)
		order = strcmp(left->function, right->function);
	if (order == 0)
		order = compare_modules(left->module, right->module);

	/* Code without a name is compared by its place in the file. */
	if (order == 0 && !left->function && left->module)
		order = compare_numbers(left->module_address, right->module_address);
	return order;
}

int pm_site_list_compare_stacks(const struct pm_site *left, const struct pm_site *right)
{
	int order = (int)left->before - (int)right->before;

	for (size_t i = 0; order == 0 && i < left->stack.count && i < right->stack.count; i++)
		order = compare_frames(&left->stack.frames[i], &right->stack.frames[i]);
	if (order == 0)
		order = compare_numbers(left->stack.count, right->stack.count);

	return order;
}

/** Orders by resident bytes, the most first. */
static int compare_bytes(const void *left, const void *right)
{
	const struct pm_site *a = left, *b = right;

	if (a->resident != b->resident)
		return compare_numbers(b->resident, a->resident);
	if (a->mapped != b->mapped)
		return compare_numbers(b->mapped, a->mapped);
	return pm_site_list_compare_stacks(a, b);
}

/** Orders by stack; sites with the same stack by resident bytes, the most first. */
static int compare_pointers(const void *left, const void *right)
{
	const struct pm_site *const *a = left, *const *b = right;
	int order = pm_site_list_compare_stacks(*a, *b);

	return order != 0 ? order : compare_bytes(*a, *b);
}

void pm_site_list_sort(struct pm_site_list *list)
{
	if (list->count > 0)
		qsort(list->sites, list->count, sizeof *list->sites, compare_bytes);
}

/** Copies a text of a frame. Returns false if out of memory. */
static bool copy_text(struct pm_site_list *list, const char **text)
{
	if (!*text)
		return true;

	*text = pm_texts_add(&list->texts, *text, strlen(*text));
	return *text != NULL;
}

int pm_site_list_add_owned(struct pm_site_list *list, const struct pm_site *site,
                           struct pm_error *error)
{
	struct pm_site added = *site;
	size_t count = pm_min_size(site->stack.count, PM_SITE_FRAMES_MAX);

	added.stack.cut = site->stack.cut || count < site->stack.count;
	added.stack.count = count;
	added.stack.frames = NULL;
	if (count > 0) {
		struct pm_frame *frames = pm_texts_reserve(&list->texts,
		                                           count * sizeof *added.stack.frames);

		if (!frames)
			return pm_error_out_of_memory(error);
		memcpy(frames, site->stack.frames, count * sizeof *frames);
		added.stack.frames = frames;
	}

	list->sites[list->count++] = added;
	return 0;
}

int pm_site_list_add(struct pm_site_list *list, const struct pm_site *site, struct pm_error *error)
{
	if (pm_site_list_add_owned(list, site, error) < 0)
		return -1;

	struct pm_site *added = &list->sites[list->count - 1];
	struct pm_frame *frames = (struct pm_frame *)added->stack.frames;

	for (size_t i = 0; i < added->stack.count; i++)
		if (!copy_text(list, &frames[i].function) || !copy_text(list, &frames[i].module) ||
		    !copy_text(list, &frames[i].file))
			return pm_error_out_of_memory(error);
	return 0;
}

void pm_site_list_deinit(struct pm_site_list *list)
{
	pm_texts_destroy(list->texts);
	free(list->sites);
	*list = (struct pm_site_list){ 0 };
}

/** Adds the sites of a result, the most resident bytes first. */
static int add_sites(struct pm_site_list *list, const struct pm_trace_result *result,
                     const struct pm_stacks *stacks, struct pm_error *error)
{
	size_t count = pm_min_size(result->count, PM_SITE_LIST_MAX);

	for (size_t i = 0; i < count; i++) {
		const struct pm_trace_site *from = &result->sites[i];
		struct pm_site site = {
			.before = from->before,
			.tid = from->tid,
			.resident = from->resident,
			.mapped = from->mapped,
			.calls = from->calls,
			.regions = from->regions,
			.faults = from->faults,
		};

		pm_stacks_get(stacks, from->stack, &site.stack);
		if (pm_site_list_add(list, &site, error) < 0)
			return -1;
	}

	if (count < result->count)
		list->bound = result->sites[count].resident;
	return 0;
}

int pm_site_list_make(const struct pm_trace_result *result, const struct pm_stacks *stacks,
                      struct pm_site_list *list, struct pm_error *error)
{
	struct pm_site_list made = {
		.seconds = result->seconds,
		.before_start = result->before_start,
		.before_now = result->before_now,
	};

	made.sites = calloc(pm_min_size(result->count, PM_SITE_LIST_MAX) + 1, sizeof *made.sites);
	if (!made.sites)
		return pm_error_out_of_memory(error);
	if (add_sites(&made, result, stacks, error) < 0) {
		pm_site_list_deinit(&made);
		return -1;
	}

	pm_site_list_sort(&made);
	*list = made;
	return 0;
}

/** The sites of a list in the order of their stacks. */
struct ordered {
	const struct pm_site **items;
	size_t count;
	size_t at;
	uint64_t bound;
};

/** Brings the sites of a list into the order of their stacks. */
static int order(const struct pm_site_list *list, struct ordered *ordered, struct pm_error *error)
{
	*ordered = (struct ordered){ .count = list->count, .bound = list->bound };
	ordered->items = calloc(list->count + 1, sizeof(struct pm_site *));
	if (!ordered->items)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < list->count; i++)
		ordered->items[i] = &list->sites[i];
	qsort(ordered->items, list->count, sizeof(struct pm_site *), compare_pointers);
	return 0;
}

static const struct pm_site *next_of(const struct ordered *ordered)
{
	return ordered->at < ordered->count ? ordered->items[ordered->at] : NULL;
}

/** Adds up the sites that have the same stack as the next one. */
static struct pm_site_sums pop_stack(struct ordered *ordered)
{
	struct pm_site_sums sums = { .site = next_of(ordered) };
	const struct pm_site *site;

	while ((site = next_of(ordered)) != NULL &&
	       pm_site_list_compare_stacks(sums.site, site) == 0) {
		sums.resident += site->resident;
		sums.mapped += site->mapped;
		sums.calls += site->calls;
		sums.regions += site->regions;
		sums.faults += site->faults;
		ordered->at++;
	}
	return sums;
}

/** Returns the next stack of the two lists, with its sites of both. */
static struct pm_site_change next_change(struct ordered *before, struct ordered *after)
{
	const struct pm_site *was = next_of(before), *is = next_of(after);
	struct pm_site_change change = { 0 };
	int order = was ? -1 : 1;

	if (was && is)
		order = pm_site_list_compare_stacks(was, is);
	if (order <= 0)
		change.before = pop_stack(before);
	else
		change.uncertain += before->bound;
	if (order >= 0)
		change.after = pop_stack(after);
	else
		change.uncertain += after->bound;

	change.resident = (int64_t)(change.after.resident - change.before.resident);
	return change;
}

/** Returns the size of a change, regardless of its direction. */
static uint64_t magnitude(int64_t change)
{
	return change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
}

static int compare_changes(const void *left, const void *right)
{
	const struct pm_site_change *a = left, *b = right;
	uint64_t size_a = magnitude(a->resident), size_b = magnitude(b->resident);
	const struct pm_site *one = a->after.site ? a->after.site : a->before.site;
	const struct pm_site *other = b->after.site ? b->after.site : b->before.site;

	if (size_a != size_b)
		return compare_numbers(size_b, size_a);
	return pm_site_list_compare_stacks(one, other);
}

int pm_site_list_compare(const struct pm_site_list *before, const struct pm_site_list *after,
                         struct pm_site_change **changes, size_t *count, struct pm_error *error)
{
	struct ordered was = { 0 }, is = { 0 };
	struct pm_site_change *found = calloc(before->count + after->count + 1,
	                                      sizeof(struct pm_site_change));
	int result = found ? 0 : pm_error_out_of_memory(error);

	if (result == 0 && (order(before, &was, error) < 0 || order(after, &is, error) < 0))
		result = -1;

	if (result == 0) {
		*count = 0;
		while (next_of(&was) || next_of(&is)) {
			struct pm_site_change change = next_change(&was, &is);

			if (change.resident != 0 || change.before.mapped != change.after.mapped)
				found[(*count)++] = change;
		}
		qsort(found, *count, sizeof *found, compare_changes);
		*changes = found;
	} else {
		free(found);
	}

	free(was.items);
	free(is.items);
	return result;
}
