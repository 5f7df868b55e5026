/* SPDX-License-Identifier: MIT */
#include "trace/result.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>

#include "base/array.h"
#include "trace/faults.h"

/* The kernel makes pages of a file present around the address of a page fault: fault_around_bytes
 * of debugfs, 64 KiB by default. */
static const uint64_t fault_around = (uint64_t)64 << 10;
static const uint64_t huge_page = (uint64_t)2 << 20;

/** A measurement. */
struct measuring {
	const struct pm_trace_space *space;
	const volatile sig_atomic_t *cancel;
	struct pm_trace_result result;
	size_t capacity;
	/** For each stack, the index of its site plus 1, or 0: first the sites of memory that was
	 * mapped in the trace, then the sites of memory from before
	 */
	uint32_t *sites;
	size_t stacks;                     /* number of stacks; `sites` has twice as many items */
	struct pm_trace_interval interval; /* the last one that was used */
	struct pm_error *error;
};

void pm_trace_result_deinit(struct pm_trace_result *result)
{
	free(result->sites);
	*result = (struct pm_trace_result){ 0 };
}

int pm_trace_result_copy(const struct pm_trace_result *from, struct pm_trace_result *to,
                         struct pm_error *error)
{
	struct pm_trace_site *sites = calloc(from->count + 1, sizeof *sites);
	if (!sites)
		return pm_error_out_of_memory(error);

	if (from->count > 0)
		memcpy(sites, from->sites, from->count * sizeof *sites);
	*to = *from;
	to->sites = sites;
	return 0;
}

/** Returns the site of an owner, which is added if there is none; NULL if out of memory. */
static struct pm_trace_site *site_of(struct measuring *measuring,
                                     const struct pm_trace_owner *owner)
{
	struct pm_trace_result *result = &measuring->result;
	uint32_t *index = &measuring->sites[owner->stack];

	if (owner->before)
		index += measuring->stacks;
	if (*index != 0)
		return &result->sites[*index - 1];
	if (pm_array_reserve(&result->sites, &measuring->capacity, result->count, 1,
	                     sizeof *result->sites, measuring->error) < 0)
		return NULL;

	struct pm_trace_site *site = &result->sites[result->count++];
	struct pm_trace_counts counts = pm_trace_space_counts(measuring->space, owner->stack);

	*index = (uint32_t)result->count;
	*site = (struct pm_trace_site){ .stack = owner->stack,
		                        .before = owner->before,
		                        .tid = (pid_t)owner->thread };
	if (owner->before) {
		site->calls = counts.touches;
		site->faults = counts.touches;
	} else {
		site->calls = counts.calls;
		site->faults = counts.faults;
	}
	return site;
}

static int add_interval(struct measuring *measuring, const struct pm_trace_interval *interval)
{
	struct pm_trace_site *site = site_of(measuring, &interval->owner);
	uint64_t size = pm_range_size(interval->range);

	if (!site)
		return -1;

	if (site->tid != (pid_t)interval->owner.thread)
		site->tid = 0;
	site->regions++;
	if (!interval->owner.before)
		site->mapped += size;
	if (interval->owner.present)
		measuring->result.before_start += size;

	if (size > site->end - site->start) {
		site->start = interval->range.start;
		site->end = interval->range.end;
	}
	return 0;
}

/** Adds the parts of intervals that are within a range. */
static int add_intervals(struct measuring *measuring, struct pm_range within)
{
	struct pm_trace_interval interval;

	for (uint64_t at = within.start; at < within.end; at = interval.range.end) {
		if (!pm_trace_intervals_find(measuring->space->list, at, &interval) ||
		    interval.range.start >= within.end)
			break;

		interval.range = pm_range_clip(interval.range, within);
		if (add_interval(measuring, &interval) < 0)
			return -1;
	}

	return 0;
}

/** Returns the first part of a range that the kernel may have made present in one page fault. */
static struct pm_range block_of(struct pm_range range, unsigned state)
{
	uint64_t size = fault_around;

	if (state & PM_PAGE_HUGE)
		size = huge_page;

	uint64_t start = range.start & ~(size - 1);
	return (struct pm_range){ start, start + size };
}

/** Adds resident pages that no recorded page fault has touched. */
static int add_untouched(struct measuring *measuring, struct pm_range range, unsigned state)
{
	const struct pm_trace_owner nobody = { .before = true };

	while (range.start < range.end) {
		struct pm_trace_owner owner = nobody;
		struct pm_range block = block_of(range, state);

		if (!(state & (PM_PAGE_HUGE | PM_PAGE_FILE)))
			block.end = range.end;
		else if (!pm_trace_faults_around(measuring->space, block, &owner))
			owner = nobody;

		struct pm_trace_site *site = site_of(measuring, &owner);
		if (!site)
			return -1;

		uint64_t end = pm_min(block.end, range.end);
		site->resident += end - range.start;
		range.start = end;
	}

	return 0;
}

/** Adds a part of a run of pages that is in one interval. */
static int add_part(struct measuring *measuring, struct pm_range range, unsigned state)
{
	const struct pm_trace_owner *owner = &measuring->interval.owner;

	if (owner->before)
		measuring->result.before_now += pm_range_size(range);
	if (pm_trace_faults_untouched(owner) && owner->stack == PM_STACK_NONE)
		return add_untouched(measuring, range, state);

	struct pm_trace_site *site = site_of(measuring, owner);
	if (!site)
		return -1;

	site->resident += pm_range_size(range);
	return 0;
}

static int add_run(void *context, const struct pm_page_run *run)
{
	struct measuring *measuring = context;
	struct pm_trace_interval *interval = &measuring->interval;
	struct pm_range range = { run->start, run->end };

	if (measuring->cancel && *measuring->cancel)
		return pm_error_set(measuring->error, PM_ERROR_CANCELLED, 0,
		                    "the measurement was cancelled");
	if (!(run->state & (PM_PAGE_PRESENT | PM_PAGE_SWAPPED)) || (run->state & PM_PAGE_ZERO))
		return 0;

	for (uint64_t at = range.start; at < range.end; at = interval->range.end) {
		if (!pm_range_contains(interval->range, at) &&
		    !pm_trace_intervals_find(measuring->space->list, at, interval))
			break;

		struct pm_range part = pm_range_clip(interval->range, range);
		if (interval->range.start >= range.end)
			break;
		if (add_part(measuring, part, run->state) < 0)
			return -1;
	}

	return 0;
}

/** Visits the pages of intervals within a range. Adjacent intervals are visited with one call. */
static int add_pages(struct measuring *measuring, struct pm_pagemap *pagemap,
                     struct pm_range within)
{
	const struct pm_trace_intervals *list = measuring->space->list;
	struct pm_trace_interval interval, next;
	uint64_t at = within.start;

	while (at < within.end && pm_trace_intervals_find(list, at, &interval) &&
	       interval.range.start < within.end) {
		at = interval.range.end;
		while (pm_trace_intervals_find(list, at, &next) && next.range.start == at)
			at = next.range.end;

		struct pm_range part = pm_range_clip((struct pm_range){ interval.range.start, at },
		                                     within);
		if (pm_pagemap_walk(pagemap, part.start, part.end, add_run, measuring,
		                    measuring->error) < 0)
			return -1;
	}

	return 0;
}

/** Returns a number above those of all stacks in the list. */
static size_t count_stacks(const struct pm_trace_space *space)
{
	struct pm_trace_interval interval;
	size_t count = 1;

	for (uint64_t at = 0; pm_trace_intervals_find(space->list, at, &interval);
	     at = interval.range.end)
		count = pm_max_size(count, (size_t)interval.owner.stack + 1);

	return count;
}

static int compare_sites(const void *a, const void *b)
{
	const struct pm_trace_site *one = a, *two = b;

	if (one->resident != two->resident)
		return one->resident > two->resident ? -1 : 1;
	if (one->mapped != two->mapped)
		return one->mapped > two->mapped ? -1 : 1;
	if (one->stack != two->stack)
		return one->stack < two->stack ? -1 : 1;
	return (int)one->before - (int)two->before;
}

int pm_trace_result_make(const struct pm_trace_space *space, struct pm_pagemap *pagemap,
                         const volatile sig_atomic_t *cancel, struct pm_trace_result *result,
                         struct pm_error *error)
{
	const struct pm_range all = { 0, UINT64_MAX };

	return pm_trace_result_make_ranges(space, pagemap, &all, 1, cancel, result, error);
}

int pm_trace_result_make_ranges(const struct pm_trace_space *space, struct pm_pagemap *pagemap,
                                const struct pm_range *ranges, size_t count,
                                const volatile sig_atomic_t *cancel, struct pm_trace_result *result,
                                struct pm_error *error)
{
	struct measuring measuring = { .space = space, .cancel = cancel, .error = error };

	measuring.stacks = count_stacks(space);
	measuring.sites = calloc(2 * measuring.stacks, sizeof *measuring.sites);
	if (!measuring.sites)
		return pm_error_out_of_memory(error);

	int status = 0;
	for (size_t i = 0; status == 0 && i < count; i++) {
		status = add_intervals(&measuring, ranges[i]);
		if (status == 0 && pagemap)
			status = add_pages(&measuring, pagemap, ranges[i]);
	}
	free(measuring.sites);
	if (status != 0) {
		pm_trace_result_deinit(&measuring.result);
		return -1;
	}

	if (measuring.result.count > 0)
		qsort(measuring.result.sites, measuring.result.count,
		      sizeof *measuring.result.sites, compare_sites);
	*result = measuring.result;
	result->unmeasured = !pagemap;
	return 0;
}

/** Tests whether a stack has a frame that is in no file and has no name. */
static bool has_unnamed(const struct pm_stacks *stacks, uint32_t number)
{
	struct pm_stack stack = { 0 };

	if (number >= pm_stacks_count(stacks))
		return false;

	pm_stacks_get(stacks, number, &stack);
	for (size_t i = 0; i < stack.count; i++)
		if (!stack.frames[i].module && !stack.frames[i].function)
			return true;
	return false;
}

bool pm_trace_result_is_unnamed(const struct pm_trace_result *result,
                                const struct pm_stacks *stacks)
{
	for (size_t i = 0; i < result->count; i++)
		if (has_unnamed(stacks, result->sites[i].stack))
			return true;

	return false;
}
