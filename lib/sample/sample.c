/* SPDX-License-Identifier: MIT */
#include <procmem/sample.h>

#include <stdlib.h>
#include <time.h>

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/pagemap.h>

#include "base/array.h"
#include "base/clock.h"
#include "sample/carry.h"
#include "region/pagemap_handle.h"

/* Unused budget can be saved up for so many seconds: a large look now and then is allowed, an endless debt is not. */
static const double saved_seconds = 60;

/* So many bytes may be missing before the list of regions itself is doubted. */
static const int64_t bearable = 256 * 1024;

struct pm_sampler {
	struct pm_process *process;        /* the caller's */
	struct pm_sampler_options options;
	struct pm_pagemap *pagemap;        /* NULL with smaps */
	struct pm_regions regions;         /* of the last look */
	struct pm_totals looked_at;        /* totals at that moment */
	int64_t unexplained;               /* resident bytes of no region at that moment */
	double looked_fully;               /* when all regions were looked at; 0: never */
	bool exact;                        /* see struct pm_sample */
	double opened;                     /* CLOCK_BOOTTIME */
	uint64_t cpu_opened;               /* CPU time of the process then */
	uint64_t cpu_last;                 /* CPU time at the end of the last sample */
	uint64_t cpu_counted;              /* CPU time that the credit knows of */
	double credit_time;                /* when the credit was counted last */
	double credit;                     /* seconds of CPU that may be used; below 0 it must wait */
	uint64_t lock_ns;                  /* longest time of one call under the target's map lock */
};

static double boot_seconds(void)
{
	return (double)pm_clock_ns(CLOCK_BOOTTIME) / 1e9;
}

int pm_sampler_open(struct pm_process *process, const struct pm_sampler_options *options, struct pm_sampler **sampler, struct pm_error *error)
{
	struct pm_sampler *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);
	opened->process = process;
	opened->options = *options;
	pm_regions_init(&opened->regions);
	if (!options->smaps && pm_pagemap_open(process, PM_PAGEMAP_BEST, &opened->pagemap, error) < 0) {
		pm_sampler_close(opened);
		return -1;
	}
	opened->opened = opened->credit_time = boot_seconds();
	opened->cpu_opened = opened->cpu_last = opened->cpu_counted = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	*sampler = opened;
	return 0;
}

void pm_sampler_close(struct pm_sampler *sampler)
{
	if (!sampler)
		return;
	pm_regions_deinit(&sampler->regions);
	pm_pagemap_close(sampler->pagemap);
	free(sampler);
}

/** Copies a list: the mappings are the same as at the last look. */
static int copy_regions(const struct pm_regions *from, struct pm_regions *to, struct pm_error *error)
{
	for (size_t i = 0; i < from->count; i++)
		if (pm_regions_append(to, &from->items[i], error) < 0)
			return -1;
	return 0;
}

static bool has_unknown_kinds(const struct pm_regions *regions)
{
	for (size_t i = 0; i < regions->count; i++)
		if (regions->items[i].kind == PM_KIND_UNKNOWN)
			return true;
	return false;
}

static int assign_kinds(struct pm_sampler *sampler, struct pm_regions *regions, struct pm_error *error)
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
	int result = pm_kinds_assign(regions, &evidence, error);
	if (readable)
		pm_reader_close(&reader);
	return result;
}

/** Bytes of memory that the list says nobody can use: there are more of them where the list is out of date, because mprotect(2) opened a reserve. */
static uint64_t inaccessible(const struct pm_regions *regions)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < regions->count; i++)
		if ((regions->items[i].perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC)) == 0)
			sum += regions->items[i].bytes[PM_SIZE_RSS];
	return sum;
}

/** Resident bytes of the process that no region accounts for: the kernel's figures for all and for each page lag behind each other. */
static int64_t unexplained(const struct pm_regions *regions, const struct pm_totals *totals)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < regions->count; i++)
		sum += regions->items[i].bytes[PM_SIZE_RSS];
	return (int64_t)(totals->rss - sum);
}

static int measure(struct pm_sampler *sampler, struct pm_suspects suspects, struct pm_regions *regions, struct pm_error *error)
{
	bool exact = suspects.all || sampler->exact;
	if (pm_suspects_measure(sampler->pagemap, suspects, regions, &exact, error) < 0)
		return -1;
	sampler->exact = exact;
	if (sampler->pagemap->longest_ns > sampler->lock_ns)
		sampler->lock_ns = sampler->pagemap->longest_ns;
	return 0;
}

static int look_by_maps(struct pm_sampler *sampler, struct pm_suspects suspects, struct pm_regions *regions, struct pm_error *error)
{
	if (pm_maps_read(sampler->process, PM_MAPS, regions, error) < 0 || pm_carry_over(&sampler->regions, regions, error) < 0)
		return -1;
	return measure(sampler, suspects, regions, error);
}

static int look_by_pages(struct pm_sampler *sampler, const struct pm_totals *totals, bool full, struct pm_regions *regions, struct pm_error *error)
{
	struct pm_suspects suspects = pm_suspects_find(&sampler->looked_at, totals);
	suspects.all |= full;
	if (full || totals->size != sampler->looked_at.size)
		return look_by_maps(sampler, suspects, regions, error);
	if (copy_regions(&sampler->regions, regions, error) < 0 || measure(sampler, suspects, regions, error) < 0)
		return -1;
	/* As much may have been mapped as was unmapped: then pages are missing, or too many. malloc's arenas grow without a change of size. */
	int64_t differs = unexplained(regions, totals) - sampler->unexplained;
	if (differs <= bearable && differs >= -bearable && inaccessible(regions) <= inaccessible(&sampler->regions))
		return 0;
	pm_regions_deinit(regions);
	return look_by_maps(sampler, suspects, regions, error);
}

static int look_by_smaps(struct pm_sampler *sampler, struct pm_regions *regions, struct pm_error *error)
{
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);
	if (pm_maps_read(sampler->process, PM_SMAPS, regions, error) < 0 || pm_carry_over(&sampler->regions, regions, error) < 0)
		return -1;
	uint64_t took = pm_clock_ns(CLOCK_MONOTONIC) - begin;
	sampler->lock_ns = took > sampler->lock_ns ? took : sampler->lock_ns;
	sampler->exact = true;
	return 0;
}

static int look(struct pm_sampler *sampler, const struct pm_totals *totals, bool full, double now, struct pm_error *error)
{
	struct pm_regions regions;
	pm_regions_init(&regions);
	int result = sampler->options.smaps ? look_by_smaps(sampler, &regions, error) : look_by_pages(sampler, totals, full, &regions, error);
	/* A region keeps its kind while it grows; now and then it is asked for again: a first block proves less than many. */
	if (result == 0 && sampler->options.kinds && (full || has_unknown_kinds(&regions)))
		result = assign_kinds(sampler, &regions, error);
	if (result < 0) {
		pm_regions_deinit(&regions);
		return -1;
	}
	pm_regions_deinit(&sampler->regions);
	sampler->regions = regions;
	sampler->looked_at = *totals;
	sampler->unexplained = unexplained(&regions, totals);
	if (full)
		sampler->looked_fully = now;
	return 0;
}

/** Books the CPU time used since the last call against what the passed time allows. */
static void count_credit(struct pm_sampler *sampler, uint64_t cpu, double now)
{
	double budget = sampler->options.budget;
	sampler->credit += budget * (now - sampler->credit_time) - (double)(cpu - sampler->cpu_counted) / 1e9;
	sampler->credit_time = now;
	sampler->cpu_counted = cpu;
	if (sampler->credit > budget * saved_seconds)
		sampler->credit = budget * saved_seconds;
}

static bool totals_moved(const struct pm_totals *was, const struct pm_totals *is)
{
	return was->size != is->size || was->rss != is->rss || was->anon != is->anon || was->file != is->file || was->shmem != is->shmem ||
	       was->swap != is->swap;
}

static void fill_cost(struct pm_sampler *sampler, struct pm_sample_cost *cost)
{
	uint64_t cpu = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	double now = boot_seconds(), passed = now - sampler->opened;
	cost->cpu_ns = cpu - sampler->cpu_opened;
	cost->last_cpu_ns = cpu - sampler->cpu_last;
	cost->lock_ns = sampler->lock_ns;
	cost->share = passed > 0 ? (double)cost->cpu_ns / 1e9 / passed : 0;
	sampler->cpu_last = cpu;
	count_credit(sampler, cpu, now);
}

int pm_sampler_take(struct pm_sampler *sampler, struct pm_sample *sample, struct pm_error *error)
{
	struct pm_sample taken = { .time = boot_seconds(), .wall_ns = (int64_t)pm_clock_ns(CLOCK_REALTIME) };
	if (pm_process_check(sampler->process, error) < 0 || pm_totals_read(sampler->process, &taken.totals, error) < 0)
		return -1;
	count_credit(sampler, pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID), taken.time);
	bool first = sampler->looked_fully == 0;
	bool full = first || (sampler->options.full_every > 0 && taken.time - sampler->looked_fully >= sampler->options.full_every);
	if (full || totals_moved(&sampler->looked_at, &taken.totals)) {
		taken.held_back = !first && sampler->options.budget > 0 && sampler->credit < 0;
		if (!taken.held_back && look(sampler, &taken.totals, full, taken.time, error) < 0)
			return -1;
		taken.fresh = !taken.held_back;
	}
	taken.regions = &sampler->regions;
	taken.exact = sampler->exact;
	fill_cost(sampler, &taken.cost);
	/* The first look is the price of watching at all: it is not owed. */
	if (first)
		sampler->credit = 0;
	*sample = taken;
	return 0;
}
