/* SPDX-License-Identifier: MIT */
#include <procmem/sample.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/target_reader.h>

#include "base/array.h"
#include "base/clock.h"
#include "kinds/recount.h"
#include "region/pagemap.h"
#include "sample/cpu_budget.h"
#include "sample/inherit.h"
#include "sample/page_history.h"
#include "sample/sizes.h"

/* Where looking at all regions finds nothing new the pause until the next time doubles, up to so
 * many times the first one. */
static const double longest_pause = 16;

struct pm_sampler {
	struct pm_process *process; /* the caller's */
	struct pm_sampler_options options;
	struct pm_pagemap *pagemap; /* NULL where there is none, or nothing asks for it */
	struct pm_regions regions;  /* of the last look */
	struct pm_regions
		spare; /* of the look before it, no longer needed: its memory is for the next one */
	struct pm_page_history pages; /* of it, if wanted */
	struct pm_totals looked_at;   /* totals at that moment */
	struct pm_sums sums;          /* of the regions at that moment */
	double looked_fully;          /* when all regions were looked at; 0: never */
	double full_after; /* seconds after that it is done again: longer and longer while nothing
	                      changes */
	bool exact;        /* see struct pm_sample */
	struct pm_cpu_budget credit;
	uint64_t lock_ns; /* longest time of one call under the target's map lock */
};

static double boot_seconds(void)
{
	return (double)pm_clock_ns(CLOCK_BOOTTIME) / 1e9;
}

int pm_sampler_open(struct pm_process *process, const struct pm_sampler_options *options,
                    struct pm_sampler **sampler, struct pm_error *error)
{
	struct pm_sampler *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	opened->process = process;
	opened->options = *options;
	pm_regions_init(&opened->regions);
	pm_regions_init(&opened->spare);

	/*
	 * With smaps kinds need it all the same: it tells which bytes can be looked at without
	 * making them resident. Where there is none (sandboxes, kernels without
	 * CONFIG_PROC_PAGE_MONITOR) smaps, or else its refusal, takes its place.
	 */
	if ((!options->smaps || options->kinds) &&
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &opened->pagemap, error) < 0) {
		if (options->pages || pm_process_check(process, NULL) < 0) {
			pm_sampler_close(opened);
			return -1;
		}
		opened->options.smaps = true;
	}

	pm_cpu_budget_init(&opened->credit, options->budget, boot_seconds());
	*sampler = opened;

	return 0;
}

void pm_sampler_close(struct pm_sampler *sampler)
{
	if (!sampler)
		return;

	pm_regions_deinit(&sampler->regions);
	pm_regions_deinit(&sampler->spare);
	pm_page_history_deinit(&sampler->pages);
	pm_pagemap_close(sampler->pagemap);
	free(sampler);
}

static bool has_unknown_kinds(const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		if (regions->items[i].kind == PM_KIND_UNKNOWN)
			return true;
	return false;
}

/**
 * Finds out the kinds of all regions; or, where that proves none of them wrong, only what a look in
 * passing tells of those that changed.
 */
static int assign_kinds(struct pm_sampler *sampler, bool all, struct pm_regions *regions,
                        struct pm_error *error)
{
	struct pm_reader reader = { 0 };
	struct pm_error refused = { 0 };

	/* Kinds are told as well as the rights allow. */
	bool readable = pm_target_reader_open(sampler->process, regions, &reader, &refused) == 0;
	struct pm_kinds_evidence evidence = {
		.process = sampler->process,
		.reader = readable ? &reader : NULL,
		.pagemap = sampler->pagemap,
		.refusal = readable ? NULL : refused.text,
	};

	int result = all ? 0 : pm_kinds_recount(regions, &sampler->regions, &evidence, &all, error);
	if (result == 0 && all)
		result = pm_kinds_assign(regions, &evidence, error);
	if (readable)
		pm_reader_close(&reader);

	return result;
}

static int see_span(void *context, uint64_t start, uint64_t end, struct pm_error *error)
{
	return pm_page_history_span(context, start, end, error);
}

static int see_run(void *context, const struct pm_page_run *run, struct pm_error *error)
{
	return pm_page_history_run(context, run, error);
}

static int measure(struct pm_sampler *sampler, struct pm_suspects suspects,
                   struct pm_regions *regions, struct pm_error *error)
{
	bool exact = suspects.all || sampler->exact;
	const struct pm_page_observer observer = { .span = see_span,
		                                   .run = see_run,
		                                   .context = &sampler->pages };

	if (sampler->options.pages)
		pm_page_history_begin(&sampler->pages);
	if (pm_suspects_measure(sampler->pagemap, suspects, regions,
	                        sampler->options.pages ? &observer : NULL, &exact, error) < 0)
		return -1;

	sampler->exact = exact;
	if (sampler->pagemap->longest_ns > sampler->lock_ns)
		sampler->lock_ns = sampler->pagemap->longest_ns;

	return 0;
}

static int look_by_maps(struct pm_sampler *sampler, struct pm_suspects suspects,
                        const struct pm_totals *totals, struct pm_regions *regions,
                        struct pm_error *error)
{
	if (pm_maps_read(sampler->process, PM_MAPS, regions, error) < 0 ||
	    pm_inherit(&sampler->regions, regions, error) < 0)
		return -1;

	if (!suspects.all && totals->swap == sampler->looked_at.swap) {
		if (measure(sampler, (struct pm_suspects){ 0 }, regions, error) < 0)
			return -1;
		/* What came and went explains to the byte what the totals changed by: the others
		 * are as they were. */
		if (pm_sums_of(regions, totals).unexplained == sampler->sums.unexplained)
			return 0;
		/* As much was given back as came. */
		suspects.all = !suspects.private && !suspects.file;
	}

	return measure(sampler, suspects, regions, error);
}

/**
 * Measures the regions of the last look anew.
 *
 * @return  1: done; 0: they may be others by now, and are as they were; -1 with them as they were
 */
static int look_in_place(struct pm_sampler *sampler, const struct pm_totals *totals,
                         struct pm_error *error)
{
	struct pm_regions *regions = &sampler->regions;
	struct pm_saved_sizes saved;
	if (pm_sizes_save(regions, &saved, error) < 0)
		return -1;

	int result = measure(sampler, pm_suspects_find(&sampler->looked_at, totals), regions,
	                     error);
	struct pm_sums sums = pm_sums_of(regions, totals);
	if (result == 0 && sampler->options.pages && !pm_sums_are_doubtful(&sampler->sums, &sums))
		result = pm_page_history_end(&sampler->pages, regions, error);

	if (result == 0 && !pm_sums_are_doubtful(&sampler->sums, &sums)) {
		sampler->looked_at = *totals;
		sampler->sums = sums;
		sampler->full_after = sampler->options.full_every;
		result = 1;
	} else {
		pm_sizes_restore(regions, &saved);
	}

	pm_sizes_free(&saved);
	return result;
}

static int look_by_smaps(struct pm_sampler *sampler, struct pm_regions *regions,
                         struct pm_error *error)
{
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);
	if (pm_maps_read(sampler->process, PM_SMAPS, regions, error) < 0 ||
	    pm_inherit(&sampler->regions, regions, error) < 0)
		return -1;

	uint64_t took = pm_clock_ns(CLOCK_MONOTONIC) - begin;
	sampler->lock_ns = took > sampler->lock_ns ? took : sampler->lock_ns;
	sampler->exact = true;
	return 0;
}

/** Reads the list of regions, and measures them. */
static int look_anew(struct pm_sampler *sampler, const struct pm_totals *totals, bool full,
                     struct pm_regions *regions, struct pm_error *error)
{
	struct pm_suspects suspects = pm_suspects_find(&sampler->looked_at, totals);
	suspects.all |= full;

	int result = sampler->options.smaps
	                     ? look_by_smaps(sampler, regions, error)
	                     : look_by_maps(sampler, suspects, totals, regions, error);

	/* A region keeps its kind while it grows; now and then it is asked for again: a first block
	 * proves less than many. */
	bool all = full || has_unknown_kinds(regions);
	if (result == 0 && sampler->options.kinds &&
	    (all || pm_kinds_must_recount(regions, &sampler->regions)))
		result = assign_kinds(sampler, all, regions, error);
	if (result == 0 && sampler->options.pages && !sampler->options.smaps)
		result = pm_page_history_end(&sampler->pages, regions, error);

	return result;
}

static int look(struct pm_sampler *sampler, const struct pm_totals *totals, bool full, double now,
                struct pm_error *error)
{
	struct pm_regions *regions = &sampler->spare;

	if (!full && !sampler->options.smaps && totals->size == sampler->looked_at.size) {
		int result = look_in_place(sampler, totals, error);
		if (result != 0)
			return result < 0 ? -1 : 0;
	}

	pm_regions_clear(regions);
	if (look_anew(sampler, totals, full, regions, error) < 0)
		return -1;

	double pause = sampler->full_after * 2,
	       longest = sampler->options.full_every * longest_pause;
	bool changed = !full || !pm_sizes_are_same(&sampler->regions, regions);
	sampler->full_after = changed           ? sampler->options.full_every
	                      : pause < longest ? pause
	                                        : longest;

	struct pm_regions former = sampler->regions;
	sampler->regions = sampler->spare;
	sampler->spare = former;
	sampler->looked_at = *totals;
	sampler->sums = pm_sums_of(&sampler->regions, totals);
	if (full)
		sampler->looked_fully = now;

	return 0;
}

static bool totals_moved(const struct pm_totals *was, const struct pm_totals *is)
{
	return was->size != is->size || was->rss != is->rss || was->anon != is->anon ||
	       was->file != is->file || was->shmem != is->shmem || was->swap != is->swap;
}

static void fill_cost(struct pm_sampler *sampler, bool looked, struct pm_sample_cost *cost)
{
	pm_cpu_budget_fill_cost(&sampler->credit, looked, boot_seconds(), cost);
	cost->lock_ns = sampler->lock_ns;
}

/** Hands out what the regions are by now. */
static void show_regions(const struct pm_sampler *sampler, struct pm_sample *sample)
{
	sample->regions = &sampler->regions;
	sample->exact = sampler->exact;
	if (!sample->fresh)
		return;
	sample->appeared = sampler->pages.appeared.items;
	sample->appeared_count = sampler->pages.appeared.count;
}

int pm_sampler_take(struct pm_sampler *sampler, struct pm_sample *sample, struct pm_error *error)
{
	struct pm_sample taken = { .time = boot_seconds(),
		                   .wall_ns = (int64_t)pm_clock_ns(CLOCK_REALTIME) };
	if (pm_process_check(sampler->process, error) < 0 ||
	    pm_totals_read(sampler->process, &taken.totals, error) < 0)
		return -1;

	pm_cpu_budget_count(&sampler->credit, false, taken.time);
	bool first = sampler->looked_fully == 0;
	bool full = first || (sampler->options.full_every > 0 &&
	                      taken.time - sampler->looked_fully >= sampler->full_after);

	if (full || totals_moved(&sampler->looked_at, &taken.totals)) {
		taken.held_back = !first && pm_cpu_budget_is_used_up(&sampler->credit);
		if (!taken.held_back && look(sampler, &taken.totals, full, taken.time, error) < 0)
			return -1;
		taken.fresh = !taken.held_back;
	}

	show_regions(sampler, &taken);
	fill_cost(sampler, taken.fresh, &taken.cost);

	/* The first look is the price of watching at all: it is not owed, and nothing of it is
	 * news. */
	if (first) {
		sampler->credit.seconds = 0;
		taken.cost.credit = sampler->options.budget > 0 ? 0 : HUGE_VAL;
		taken.appeared_count = 0;
	}

	*sample = taken;
	return 0;
}

int pm_sampler_measure_all(struct pm_sampler *sampler, struct pm_sample *sample,
                           struct pm_error *error)
{
	struct pm_totals totals;
	uint64_t cpu = sample->cost.last_cpu_ns;

	if (sampler->looked_fully == sample->time)
		return 0;
	if (pm_process_check(sampler->process, error) < 0 ||
	    pm_totals_read(sampler->process, &totals, error) < 0)
		return -1;

	/* What appeared at this sample is known where it looked at all: what comes since is left to
	 * the next one. */
	bool pages = sampler->options.pages, known = pages && sample->fresh;
	sampler->options.pages = pages && !known;

	int result = look(sampler, &totals, true, sample->time, error);
	sampler->options.pages = pages;
	if (result == 0 && known)
		result = pm_page_history_fit(&sampler->pages, &sampler->regions, error);
	if (result < 0)
		return -1;

	sample->fresh = true;
	sample->held_back = false;
	show_regions(sampler, sample);
	fill_cost(sampler, true, &sample->cost);
	sample->cost.last_cpu_ns += cpu;

	return 0;
}
