/* SPDX-License-Identifier: MIT */
/*
 * Each sample reads the totals of the process. Regions are measured only if the totals changed, and
 * only those regions that may have changed. The list of regions is read again only if the size of
 * the address space changed, or if the measured sizes do not add up to the totals.
 */
#include <procmem/sample.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <procmem/kinds.h>
#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/read_plan.h>
#include <procmem/runtimes_cache.h>
#include <procmem/target_reader.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "kinds/owners.h"
#include "kinds/recount.h"
#include "proc/access.h"
#include "proc/process.h"
#include "proc/process_handle.h"
#include "proc/status.h"
#include "region/pagemap.h"
#include "sample/cpu_budget.h"
#include "sample/inherit.h"
#include "sample/page_history.h"
#include "sample/sizes.h"

/*
 * Each time that a measurement of all regions finds no change, the interval until the next one is
 * doubled, up to this multiple of pm_sampler_options.full_every.
 */
static const double max_interval = 16;

struct pm_sampler {
	struct pm_process *process; /* owned by the caller */
	struct pm_sampler_options options;
	struct pm_pagemap *pagemap; /* NULL if not available or not needed */
	struct pm_regions regions;  /* list of regions, with the sizes of the last measurement */
	struct pm_regions spare;    /* previous list; its memory is reused for the next list */
	/* pages found by the last measurement, if options.pages is set */
	struct pm_page_history pages;
	struct pm_totals measured_at; /* totals at the last measurement */
	struct pm_sums sums;          /* sums of the regions at the last measurement */
	double last_full;  /* time of the last full measurement, in seconds; 0 if there was none */
	double full_after; /* seconds between the last full measurement and the next one */
	bool exact;        /* see pm_sample.exact */
	struct pm_runtimes_cache *runtimes; /* NULL if runtimes are not read */
	double runtimes_at;                 /* time of the sample that read them last, in seconds */
	double now;                         /* time of the sample that is taken, in seconds */
	struct pm_cpu_budget budget;
	uint64_t lock_ns; /* duration of the longest call that held the mmap lock of the target, in
	                     nanoseconds */
};

static double boot_seconds(void)
{
	return (double)pm_clock_ns(CLOCK_BOOTTIME) / 1e9;
}

static int read_status(struct pm_process *process, pid_t thread, char **status)
{
	char name[64] = "status";

	if (thread != process->procfs.pid)
		snprintf(name, sizeof name, "task/%d/status", (int)thread);
	return pm_procfs_read(&process->procfs, name, status, NULL);
}

/**
 * Reads the status file of a thread that still has memory, other than the leader. This is needed
 * after the leader has exited, because the status file of the leader then contains no sizes.
 */
static int read_thread_status(struct pm_process *process, char **status, struct pm_error *error)
{
	pid_t pid = process->procfs.pid, thread = pm_process_memory_thread(process);

	if (thread != pid && read_status(process, thread, status) == 0)
		return 0;
	if (pm_process_check(process, error) < 0)
		return -1;

	/* A kernel thread or a zombie has no memory. */
	return pm_access_explain(process->procfs.root, pid, "read the sizes of", 0, error);
}

/*
 * Reads status, not the shorter statm, which does not separate private from shared memory and has
 * no swap. Since Linux 6.2, the sizes in both files can lag by some dozen pages for each CPU. Since
 * 6.17, the sizes in status are exact.
 */
int pm_totals_read(struct pm_process *process, struct pm_totals *totals, struct pm_error *error)
{
	char *status;
	pid_t pid = process->procfs.pid;

	if (read_status(process, pid, &status) < 0)
		return pm_error_set(error, PM_ERROR_GONE, errno, "process %d exited", (int)pid);

	if (!pm_status_find(status, "VmSize")) {
		free(status);
		if (read_thread_status(process, &status, error) < 0)
			return -1;
	}

	*totals = (struct pm_totals){
		.size = pm_status_number(status, "VmSize", 0) * 1024,
		.rss = pm_status_number(status, "VmRSS", 0) * 1024,
		.anon = pm_status_number(status, "RssAnon", 0) * 1024,
		.file = pm_status_number(status, "RssFile", 0) * 1024,
		.shmem = pm_status_number(status, "RssShmem", 0) * 1024,
		.swap = pm_status_number(status, "VmSwap", 0) * 1024,
		.pte = pm_status_number(status, "VmPTE", 0) * 1024,
		.threads = pm_status_number(status, "Threads", 0),
	};

	free(status);
	return 0;
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
	 * Classification needs pagemap even if sizes are read from smaps: pagemap shows which pages
	 * can be read without making them resident. Without pagemap (sandboxes, kernels without
	 * CONFIG_PROC_PAGE_MONITOR) the sampler reads smaps instead. If that fails, too, the error
	 * of smaps is reported.
	 */
	if ((!options->smaps || options->kinds) &&
	    pm_pagemap_open(process, PM_PAGEMAP_BEST, &opened->pagemap, error) < 0) {
		if (options->pages || pm_process_check(process, NULL) < 0) {
			pm_sampler_close(opened);
			return -1;
		}
		opened->options.smaps = true;
	}

	if (options->runtimes > 0 &&
	    pm_runtimes_cache_open(isinf(options->runtimes) ? 0 : options->runtimes,
	                           &opened->runtimes, error) < 0) {
		pm_sampler_close(opened);
		return -1;
	}

	pm_cpu_budget_init(&opened->budget, options->budget, boot_seconds());
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
	pm_runtimes_cache_close(sampler->runtimes);
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
 * Reads the runtimes if they are due. If they cannot be read, those of the last read are kept:
 * missing rights are not an error, and the next sample reports that a process is gone.
 */
static int read_runtimes(struct pm_sampler *sampler, const struct pm_regions *regions,
                         struct pm_reader *reader, struct pm_error *error)
{
	struct pm_page_source pages;
	struct pm_runtimes_source source = {
		.regions = regions, .reader = reader, .process = sampler->process, .walk_heap = true
	};
	struct pm_error failure = { 0 };

	/* Without page states, reading could make pages resident. */
	if (!sampler->runtimes || !sampler->pagemap)
		return 0;

	pages = pm_pagemap_source(sampler->pagemap);
	source.pages = &pages;

	int result = pm_runtimes_cache_read(sampler->runtimes, &source, sampler->now, &failure);
	if (result > 0)
		sampler->runtimes_at = sampler->now;
	if (result >= 0 || failure.kind != PM_ERROR_RESOURCES)
		return 0;

	if (error)
		*error = failure;
	return -1;
}

/** Reads the runtimes if they are due and were not read when the regions were classified. */
static int update_runtimes(struct pm_sampler *sampler, struct pm_error *error)
{
	struct pm_reader reader = { 0 };

	if (!sampler->runtimes || !pm_runtimes_cache_is_due(sampler->runtimes, sampler->now) ||
	    sampler->runtimes_at == sampler->now ||
	    pm_target_reader_open(sampler->process, &sampler->regions, &reader, NULL) < 0)
		return 0;

	int result = read_runtimes(sampler, &sampler->regions, &reader, error);
	pm_reader_close(&reader);
	if (result == 0 && sampler->runtimes_at == sampler->now && sampler->options.kinds)
		pm_kinds_assign_owners(&sampler->regions, pm_runtimes_cache_get(sampler->runtimes));
	return result;
}

/**
 * Classifies the regions.
 * @param all  true: classify all regions. false: only recount the malloc chunks in regions that
 *             changed; if the recount shows that the kind of a region is wrong, or if too many
 *             regions changed, classify all regions after all
 */
static int assign_kinds(struct pm_sampler *sampler, bool all, struct pm_regions *regions,
                        struct pm_error *error)
{
	struct pm_reader reader = { 0 };
	struct pm_error refused = { 0 };
	struct pm_kinds_evidence evidence = { .process = sampler->process,
		                              .pagemap = sampler->pagemap };

	/*
	 * If the kernel does not allow reading the memory, classify the regions by the remaining
	 * evidence.
	 */
	bool readable = pm_target_reader_open(sampler->process, regions, &reader, &refused) == 0;
	if (readable)
		evidence.reader = &reader;
	else
		evidence.refusal = refused.text;

	int result = 0;
	if (!all)
		result = pm_kinds_recount(regions, &sampler->regions, &evidence, &all, error);
	if (result == 0 && all && readable)
		result = read_runtimes(sampler, regions, &reader, error);
	if (result == 0 && all && sampler->runtimes)
		evidence.runtimes = pm_runtimes_cache_get(sampler->runtimes);
	if (result == 0 && all)
		result = pm_kinds_assign(regions, &evidence, error);
	if (readable)
		pm_reader_close(&reader);

	return result;
}

static int observe_span(void *context, uint64_t start, uint64_t end, struct pm_error *error)
{
	return pm_page_history_span(context, start, end, error);
}

static int observe_run(void *context, const struct pm_page_run *run, struct pm_error *error)
{
	return pm_page_history_run(context, run, error);
}

static int measure(struct pm_sampler *sampler, struct pm_suspects suspects,
                   struct pm_regions *regions, struct pm_error *error)
{
	bool exact = suspects.all || sampler->exact;
	const struct pm_page_observer observer = { .span = observe_span,
		                                   .run = observe_run,
		                                   .context = &sampler->pages };
	const struct pm_page_observer *used = NULL;

	if (sampler->options.pages) {
		pm_page_history_begin(&sampler->pages);
		used = &observer;
	}

	if (pm_suspects_measure(sampler->pagemap, suspects, regions, used, &exact, error) < 0)
		return -1;

	sampler->exact = exact;
	sampler->lock_ns = pm_max(sampler->lock_ns, sampler->pagemap->longest_ns);

	return 0;
}

static int read_maps(struct pm_sampler *sampler, struct pm_suspects suspects,
                     const struct pm_totals *totals, struct pm_regions *regions,
                     struct pm_error *error)
{
	if (pm_maps_read(sampler->process, PM_MAPS, regions, error) < 0 ||
	    pm_inherit(&sampler->regions, regions, error) < 0)
		return -1;

	if (!suspects.all && totals->swap == sampler->measured_at.swap) {
		if (measure(sampler, (struct pm_suspects){ 0 }, regions, error) < 0)
			return -1;
		/*
		 * If the difference between the totals and the sums of the regions is unchanged,
		 * the regions that appeared and disappeared are the whole change of the totals. So
		 * the other regions did not change.
		 */
		if (pm_sums_of(regions, totals).unexplained == sampler->sums.unexplained)
			return 0;
		/* If the totals give no hint which regions changed (no suspects), measure all. */
		suspects.all = !suspects.private && !suspects.file;
	}

	return measure(sampler, suspects, regions, error);
}

/** Results of measure_in_place(). */
enum in_place { IN_PLACE_FAILED = -1, IN_PLACE_OUTDATED, IN_PLACE_DONE };

/**
 * Measures the regions of the last list again, without reading a new list.
 * @return IN_PLACE_DONE if the sizes were updated. IN_PLACE_OUTDATED if the list has to be read
 *         again. IN_PLACE_FAILED after an error. Only IN_PLACE_DONE changes the sizes
 */
static enum in_place measure_in_place(struct pm_sampler *sampler, const struct pm_totals *totals,
                                      struct pm_error *error)
{
	struct pm_suspects suspects = pm_suspects_find(&sampler->measured_at, totals);
	struct pm_regions *regions = &sampler->regions;
	struct pm_saved_sizes saved;

	if (pm_sizes_save(regions, &saved, error) < 0)
		return IN_PLACE_FAILED;

	int result = measure(sampler, suspects, regions, error);
	struct pm_sums sums = pm_sums_of(regions, totals);
	bool doubtful = pm_sums_are_doubtful(&sampler->sums, &sums);

	if (result == 0 && !doubtful && sampler->options.pages)
		result = pm_page_history_end(&sampler->pages, regions, error);

	if (result < 0 || doubtful) {
		pm_sizes_restore(regions, &saved);
	} else {
		sampler->measured_at = *totals;
		sampler->sums = sums;
		sampler->full_after = sampler->options.full_every;
	}

	pm_sizes_free(&saved);
	if (result < 0)
		return IN_PLACE_FAILED;

	return doubtful ? IN_PLACE_OUTDATED : IN_PLACE_DONE;
}

static int read_smaps(struct pm_sampler *sampler, struct pm_regions *regions,
                      struct pm_error *error)
{
	uint64_t begin = pm_clock_ns(CLOCK_MONOTONIC);

	if (pm_maps_read(sampler->process, PM_SMAPS, regions, error) < 0 ||
	    pm_inherit(&sampler->regions, regions, error) < 0)
		return -1;

	sampler->lock_ns = pm_max(sampler->lock_ns, pm_clock_ns(CLOCK_MONOTONIC) - begin);
	sampler->exact = true;
	return 0;
}

/**
 * Reads the list of regions, measures the regions, and classifies them if necessary.
 * @param full  true: measure and classify all regions. false: measure only the regions that may
 *              have changed, and classify regions only if a kind is unknown or if malloc chunks
 *              have to be recounted
 */
static int read_list(struct pm_sampler *sampler, const struct pm_totals *totals, bool full,
                     struct pm_regions *regions, struct pm_error *error)
{
	struct pm_suspects suspects = pm_suspects_find(&sampler->measured_at, totals);
	int result;

	suspects.all |= full;
	if (sampler->options.smaps)
		result = read_smaps(sampler, regions, error);
	else
		result = read_maps(sampler, suspects, totals, regions, error);

	/*
	 * A region keeps its kind while it grows. A full measurement classifies all regions again,
	 * because a region that has grown may contain more evidence than before.
	 */
	bool all = full || has_unknown_kinds(regions);
	if (result == 0 && sampler->options.kinds &&
	    (all || pm_kinds_must_recount(regions, &sampler->regions)))
		result = assign_kinds(sampler, all, regions, error);
	if (result == 0 && sampler->options.pages && !sampler->options.smaps)
		result = pm_page_history_end(&sampler->pages, regions, error);

	return result;
}

/**
 * Sets the interval until the next full measurement.
 * @param changed  false: a full measurement found no change, so the interval is doubled, up to its
 *                 maximum. true: the interval becomes options.full_every
 */
static void set_interval(struct pm_sampler *sampler, bool changed)
{
	double longest = sampler->options.full_every * max_interval;

	if (changed)
		sampler->full_after = sampler->options.full_every;
	else if (sampler->full_after * 2 < longest)
		sampler->full_after *= 2;
	else
		sampler->full_after = longest;
}

/**
 * Updates the regions.
 * @param full  true: read the list, and measure all regions. false: measure only the regions that
 *              may have changed, and read the list only if necessary
 */
static int update(struct pm_sampler *sampler, const struct pm_totals *totals, bool full, double now,
                  struct pm_error *error)
{
	struct pm_regions *regions = &sampler->spare;

	if (!full && !sampler->options.smaps && totals->size == sampler->measured_at.size) {
		enum in_place result = measure_in_place(sampler, totals, error);

		if (result == IN_PLACE_FAILED)
			return -1;
		if (result == IN_PLACE_DONE)
			return 0;
	}

	pm_regions_clear(regions);
	if (read_list(sampler, totals, full, regions, error) < 0)
		return -1;

	set_interval(sampler, !full || !pm_sizes_are_same(&sampler->regions, regions));

	struct pm_regions former = sampler->regions;
	sampler->regions = sampler->spare;
	sampler->spare = former;
	sampler->measured_at = *totals;
	sampler->sums = pm_sums_of(&sampler->regions, totals);
	if (full)
		sampler->last_full = now;

	return 0;
}

static bool totals_changed(const struct pm_totals *was, const struct pm_totals *is)
{
	return was->size != is->size || was->rss != is->rss || was->anon != is->anon ||
	       was->file != is->file || was->shmem != is->shmem || was->swap != is->swap;
}

static void fill_cost(struct pm_sampler *sampler, bool measured, struct pm_sample_cost *cost)
{
	pm_cpu_budget_fill_cost(&sampler->budget, measured, boot_seconds(), cost);
	cost->lock_ns = sampler->lock_ns;
}

/**
 * Fills those fields of a sample that depend on the regions. The pages that appeared are filled
 * only if the sample is fresh.
 */
static void fill_regions(const struct pm_sampler *sampler, struct pm_sample *sample)
{
	sample->regions = &sampler->regions;
	sample->exact = sampler->exact;
	if (sampler->runtimes)
		sample->runtimes = pm_runtimes_cache_get(sampler->runtimes);
	sample->runtimes_fresh = sample->runtimes && sampler->runtimes_at == sample->time;
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

	pm_cpu_budget_count(&sampler->budget, false, taken.time);
	sampler->now = taken.time;

	bool first = sampler->last_full == 0;
	bool full = first || (sampler->options.full_every > 0 &&
	                      taken.time - sampler->last_full >= sampler->full_after);
	if (full || totals_changed(&sampler->measured_at, &taken.totals)) {
		taken.held_back = !first && pm_cpu_budget_is_used_up(&sampler->budget);
		if (!taken.held_back && update(sampler, &taken.totals, full, taken.time, error) < 0)
			return -1;
		taken.fresh = !taken.held_back;
	}
	if (update_runtimes(sampler, error) < 0)
		return -1;

	fill_regions(sampler, &taken);
	fill_cost(sampler, taken.fresh, &taken.cost);

	/*
	 * The first measurement is always needed, so it is not charged to the budget. It finds all
	 * pages of the process, so none of these pages counts as one that appeared.
	 */
	if (first) {
		sampler->budget.seconds = 0;
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

	if (sampler->last_full == sample->time)
		return 0;
	if (pm_process_check(sampler->process, error) < 0 ||
	    pm_totals_read(sampler->process, &totals, error) < 0)
		return -1;

	/*
	 * If the sample is fresh, the pages that appeared before it are already known. Keep these
	 * pages, and measure without pages now: pages that appeared after the sample belong to the
	 * next sample.
	 */
	bool pages = sampler->options.pages, known = pages && sample->fresh;
	sampler->options.pages = pages && !known;

	int result = update(sampler, &totals, true, sample->time, error);
	sampler->options.pages = pages;
	if (result == 0 && known)
		result = pm_page_history_fit(&sampler->pages, &sampler->regions, error);
	if (result < 0)
		return -1;

	sample->fresh = true;
	sample->held_back = false;
	fill_regions(sampler, sample);
	fill_cost(sampler, true, &sample->cost);
	sample->cost.last_cpu_ns += cpu;

	return 0;
}
