/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Takes samples of a living process repeatedly, at low cost.
 *
 * A sampler works in steps of increasing cost. If a step shows that nothing changed, the next steps
 * are skipped. The steps are: the totals in /proc/PID/status (every time, some microseconds); maps,
 * if the virtual size changed; page states of the regions that can have changed, in short calls, if
 * resident bytes changed; smaps only on request. The sampler measures the CPU time of the calling
 * process. While the CPU time is above the budget, the sampler reads only the totals. If the totals
 * alone need more than the budget, half of the budget is reserved for the other steps, so that
 * regions are still measured.
 */
#ifndef PROCMEM_SAMPLE_H
#define PROCMEM_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>
#include <procmem/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes of a whole process, in bytes, as in proc_pid_status(5). */
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

/** Options of a sampler. Zeroed: no budget, no kinds, no smaps. */
struct pm_sampler_options {
	double budget; /**< CPU time that may be used, as a share of one core (0.01: one percent);
	                    0: unlimited */
	double full_every; /**< seconds after which all regions are measured even if the totals are
	                      unchanged; 0: never. As long as such a measurement finds no change,
	                      the interval doubles, up to 16 times this value */
	bool kinds;        /**< classify new regions */
	bool pages;        /**< store which pages are present, to find pages that appear
	                      (pm_sample.appeared); not with smaps */
	bool smaps; /**< read all sizes from smaps each time: costs the target page-table walks
	                 under its map lock */
};

/** Cost of the samples so far. */
struct pm_sample_cost {
	uint64_t cpu_ns; /**< CPU time of the whole calling process since the sampler was opened */
	uint64_t last_cpu_ns; /**< part of `cpu_ns` since the end of the previous sample */
	uint64_t lock_ns; /**< nanoseconds that the longest system call took which held the map lock
	                     of the target: at least as long as the lock was held. With smaps, the
	                     duration of the whole read */
	double credit; /**< seconds of CPU time that the budget allows now; negative if the sampler
	                  has to wait; HUGE_VAL without a budget */
	double share;  /**< CPU time since the sampler was opened as a share of one core; 0 at first
	                */
};

/** One sample. */
struct pm_sample {
	double time;             /**< CLOCK_BOOTTIME in seconds, which includes time in suspend */
	int64_t wall_ns;         /**< the same time in nanoseconds since 1970, UTC */
	struct pm_totals totals; /**< totals, always of this time */
	const struct pm_regions *regions; /**< the regions with RSS and swap; owned by the sampler,
	                                       valid until the next sample is taken */
	/**
	 * Pages that became present or swapped since the last measurement, if
	 * pm_sampler_options.pages is set. The ranges are split at the borders of regions, are in
	 * ascending order of address, and are valid as long as `regions`.
	 */
	const struct pm_region_range *appeared;
	size_t appeared_count; /**< number of these ranges; 0 at the first measurement, and if the
	                            sample is not fresh */
	bool fresh;     /**< the regions were measured for this sample; false: by an earlier one */
	bool held_back; /**< something changed, but the budget does not allow to measure it yet */
	bool exact;     /**< false: the sizes of some regions may differ from smaps; see
	                   pm_pagemap_measure() */
	struct pm_sample_cost cost; /**< up to the end of this sample */
};

/** Takes samples; opaque. Only one thread at a time may use it. */
struct pm_sampler;

/**
 * Opens a sampler.
 *
 * @param process  the process; must outlive the result
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
 * Takes a sample. The first one always measures the regions.
 *
 * @param sampler  the sampler
 * @param sample   filled
 * @param error    PM_ERROR_GONE with the reason, PM_ERROR_ACCESS, PM_ERROR_RESOURCES; the regions
 *                 of the previous sample then remain valid
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_take(struct pm_sampler *sampler, struct pm_sample *sample,
                              struct pm_error *error);

/**
 * Measures all regions for the last sample, even if the budget is used up or the totals did not
 * change. Does nothing if the last sample already measured all regions. Call this before acting on
 * the sizes of a region: if one mapping was replaced by another one of the same size between two
 * samples, no total changed, so the change was not noticed; and the budget may have postponed the
 * measurement. The time and the totals of the sample do not change. The CPU time of this call
 * counts towards the budget.
 *
 * @param sampler  the sampler
 * @param sample   the last sample that pm_sampler_take() filled; everything except time and totals
 *                 may change
 * @param error    as pm_sampler_take()
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_measure_all(struct pm_sampler *sampler, struct pm_sample *sample,
                                     struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
