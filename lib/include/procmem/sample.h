/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Takes samples of a living process repeatedly, at low cost.
 *
 * A sampler reads the totals in /proc/PID/status for each sample, which takes some microseconds. It
 * reads maps only if the virtual size changed, or if the sizes of the regions no longer match the
 * totals. If the resident or swapped bytes changed, it reads the page states of the regions that
 * can have changed, in short system calls. It reads smaps only on request, or if there is no
 * pagemap. From time to time it measures all regions (pm_sampler_options.full_every).
 *
 * The sampler measures the CPU time of the calling process. While this CPU time is above the
 * budget, the sampler reads only the totals. If reading the totals alone needs more than the
 * budget, the budget is exceeded: half of it is still used for measuring the regions, so that they
 * are measured from time to time.
 */
#ifndef PROCMEM_SAMPLE_H
#define PROCMEM_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>
#include <procmem/runtimes.h>
#include <procmem/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The sizes of a whole process, in bytes, and the number of its threads (proc_pid_status(5)) */
struct pm_totals {
	uint64_t size;    /**< VmSize: address space */
	uint64_t rss;     /**< VmRSS */
	uint64_t anon;    /**< RssAnon: anonymous memory */
	uint64_t file;    /**< RssFile: pages of mapped files */
	uint64_t shmem;   /**< RssShmem: shared memory */
	uint64_t swap;    /**< VmSwap */
	uint64_t pte;     /**< VmPTE: page tables */
	uint64_t threads; /**< number of threads */
};

/**
 * Reads the totals of a process.
 *
 * @param process  the process
 * @param totals   filled
 * @param error    PM_ERROR_GONE, PM_ERROR_NO_MEMORY (zombie, kernel thread)
 * @return         0 or -1
 */
PM_PUBLIC int pm_totals_read(struct pm_process *process, struct pm_totals *totals,
                             struct pm_error *error);

/**
 * Options of a sampler. Zeroed options mean: no budget, no regular measurement of all regions, no
 * kinds, no pages, no smaps.
 */
struct pm_sampler_options {
	/**
	 * CPU time that may be used, as a share of one core: 0.01 is one percent. 0 means
	 * unlimited.
	 */
	double budget;
	/**
	 * Seconds after which all regions are measured even if the totals are unchanged; 0 means
	 * never. Each time that such a measurement finds no change, the interval is doubled, up
	 * to 16 times `full_every`.
	 */
	double full_every;
	bool kinds; /**< find out the kinds of the regions */
	/**
	 * Remember which pages are present, to find pages that appear later (pm_sample.appeared).
	 * Has no effect if `smaps` is set.
	 */
	bool pages;
	/**
	 * Read all sizes from smaps at each measurement. This delays the target, because the kernel
	 * holds the map lock of the target while it walks the page tables.
	 */
	bool smaps;
	/**
	 * CPU time that may be used to read runtimes (pm_sample.runtimes), as a share of one core;
	 * HUGE_VAL means unlimited. 0: runtimes are not read for the sample. This CPU time counts
	 * towards `budget`, too. The regions are classified with these runtimes, if `kinds` is set.
	 */
	double runtimes;
};

/** Cost of the samples so far. */
struct pm_sample_cost {
	uint64_t cpu_ns; /**< CPU time of the whole calling process since the sampler was opened */
	uint64_t last_cpu_ns; /**< part of `cpu_ns` since the end of the previous sample */
	/**
	 * Duration of the longest system call that read page states, in nanoseconds. During such a
	 * call, the kernel holds the mmap lock of the target. If smaps was read, the time for the
	 * whole file counts as one call.
	 */
	uint64_t lock_ns;
	/**
	 * CPU time that the budget allows now, in seconds. If it is negative, regions are not
	 * measured. HUGE_VAL if there is no budget.
	 */
	double credit;
	/**
	 * `cpu_ns` divided by the time since the sampler was opened: 0.01 is one percent of one
	 * core. 0 if no time has passed
	 */
	double share;
};

/** One sample. */
struct pm_sample {
	double time;             /**< CLOCK_BOOTTIME in seconds, which includes time in suspend */
	int64_t wall_ns;         /**< time of day of the sample: nanoseconds since 1970, UTC */
	struct pm_totals totals; /**< totals of the process, read for this sample */
	/**
	 * All regions, including their RSS and swap. They are owned by the sampler, and valid until
	 * the next sample is taken.
	 */
	const struct pm_regions *regions;
	/**
	 * Ranges of pages that became present or swapped since the last measurement, by ascending
	 * address. Each range is within one region. Valid as long as `regions`.
	 */
	const struct pm_region_range *appeared;
	/**
	 * Number of ranges in `appeared`. 0 in each of these cases:
	 * - this is the first sample
	 * - `fresh` is false
	 * - pm_sampler_options.pages is false or has no effect
	 */
	size_t appeared_count;
	/**
	 * true: the regions were measured for this sample. false: the regions and their sizes are
	 * those of an earlier sample.
	 */
	bool fresh;
	/**
	 * true: a measurement of the regions was due, but was postponed because the budget is used
	 * up
	 */
	bool held_back;
	/**
	 * true: the sizes are those that smaps would show. false: the sizes of some regions may
	 * differ, see pm_pagemap_measure().
	 */
	bool exact;
	/**
	 * Runtimes of the process, owned by the sampler and valid until the next sample is taken.
	 * NULL if pm_sampler_options.runtimes is 0, or if the memory of the process cannot be read.
	 */
	const struct pm_runtimes *runtimes;
	/** true: `runtimes` was read for this sample. false: it was read for an earlier sample */
	bool runtimes_fresh;
	struct pm_sample_cost cost; /**< cost of all samples up to the end of this sample */
};

/** Takes samples; opaque. Only one thread at a time may use it. */
struct pm_sampler;

/**
 * Opens a sampler.
 *
 * @param process  the process; must outlive the sampler
 * @param options  the options; copied
 * @param sampler  receives the sampler; release with pm_sampler_close()
 * @param error    PM_ERROR_ACCESS, PM_ERROR_GONE, PM_ERROR_UNSUPPORTED, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_open(struct pm_process *process, const struct pm_sampler_options *options,
                              struct pm_sampler **sampler, struct pm_error *error);

/**
 * Closes a sampler.
 * @param sampler a sampler or NULL
 */
PM_PUBLIC void pm_sampler_close(struct pm_sampler *sampler);

/**
 * Takes a sample. The first sample always measures the regions.
 *
 * @param sampler  the sampler
 * @param sample   filled
 * @param error    PM_ERROR_GONE (the text gives the reason), PM_ERROR_ACCESS, PM_ERROR_RESOURCES.
 *                 After an error, the regions of the previous sample remain valid
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_take(struct pm_sampler *sampler, struct pm_sample *sample,
                              struct pm_error *error);

/**
 * Measures all regions for the last sample, even if the budget is used up or the totals did not
 * change. Does nothing if the last sample already measured all regions. Call this function before
 * acting on the sizes of a region, because these sizes can be out of date:
 * - If a mapping was replaced by another mapping of the same size between two samples, no total
 *   changed, so the sampler did not notice the change.
 * - A measurement may have been postponed because of the budget.
 *
 * The time and the totals of the sample do not change. The CPU time of this call counts towards the
 * budget.
 *
 * @param sampler  the sampler
 * @param sample   the last sample that pm_sampler_take() filled; everything except time and totals
 *                 may change
 * @param error    as for pm_sampler_take()
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_measure_all(struct pm_sampler *sampler, struct pm_sample *sample,
                                     struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
