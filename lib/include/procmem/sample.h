/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Taking samples of a living process, again and again, at the least cost.
 *
 * A sampler climbs a ladder and stops at the first step that tells that nothing changed: the totals
 * in /proc/PID/status (each time, some microseconds); maps when the virtual size moved; page states
 * of the regions that can have changed, in short calls, when resident bytes moved; smaps only where
 * it was asked for. It counts the CPU time of its own process, and does not climb while that is
 * above the budget; where reading the totals alone is, half of the budget is kept for the rest, so
 * that it goes on.
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

/** Sizes of a whole process, in bytes, as proc_pid_status(5) has them. */
struct pm_totals {
	uint64_t size;    /**< VmSize: address space */
	uint64_t rss;     /**< VmRSS */
	uint64_t anon;    /**< RssAnon: private memory */
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

/** What a sampler shall do. Zeroed: no budget, no kinds, no smaps. */
struct pm_sampler_options {
	double budget; /**< CPU time that may be used, as a share of one core (0.01: one percent);
	                  0: any */
	double full_every; /**< seconds after which all regions are looked at even if the totals
	                      stand still; 0: never. Where that finds nothing new the next time
	                      comes after twice as long, up to 16 times */
	bool kinds;        /**< find out what new regions are for */
	bool pages; /**< remember which pages are there, to tell which appeared; not with smaps */
	bool smaps; /**< take all sizes from smaps each time: costs the target page-table walks
	               under its map lock */
};

/** What samples cost so far. */
struct pm_sample_cost {
	uint64_t cpu_ns; /**< CPU time of the whole calling process since the sampler was opened */
	uint64_t last_cpu_ns; /**< the part of it since the previous sample was done */
	uint64_t lock_ns;     /**< longest single call that held the target's map lock, as seen from
	                         outside; with smaps the time of the whole     read */
	double credit; /**< seconds of CPU time that the budget allows now, less than 0 where it
	                  waits; HUGE_VAL without budget */
	double share;  /**< CPU time since the sampler was opened as a share of one core; 0 at first
	                */
};

/** One sample. */
struct pm_sample {
	double time;             /**< CLOCK_BOOTTIME in seconds: goes on while the machine sleeps */
	int64_t wall_ns;         /**< the same moment in nanoseconds since 1970, UTC */
	struct pm_totals totals; /**< always of this moment */
	const struct pm_regions
		*regions; /**< with RSS and SWAP; the sampler's, valid until it takes another */
	const struct pm_region_range
		*appeared; /**< with pm_sampler_options.pages: present or swapped pages that were
	                      not there at the look before, cut at regions, by ascending address;
	                      valid as the regions are */
	size_t appeared_count; /**< how many; 0 at the first look, and where it is not fresh */
	bool fresh; /**< the regions are of this moment; false: they were not looked at again since
	               an earlier one */
	bool held_back; /**< something changed, but the budget does not allow to look yet */
	bool exact;     /**< no region's sizes may differ from smaps, see pm_pagemap_measure() */
	struct pm_sample_cost cost; /**< up to the end of this sample */
};

/** Takes samples; opaque. Not to be shared between threads. */
struct pm_sampler;

/**
 * Opens a sampler.
 *
 * @param process  the process; must outlive the result
 * @param options  what it shall do; copied
 * @param sampler  where to store it; release with pm_sampler_close()
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
 * Takes a sample. The first one always looks at the regions.
 *
 * @param sampler  the sampler
 * @param sample   filled
 * @param error    PM_ERROR_GONE with the reason, PM_ERROR_ACCESS, PM_ERROR_RESOURCES; the regions
 * of the sample before stay valid then
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_take(struct pm_sampler *sampler, struct pm_sample *sample,
                              struct pm_error *error);

/**
 * Looks at all regions for the sample that was taken last, whatever the budget says and the totals
 * tell; nothing is done where that sample did so. For whoever is about to act on what it says of a
 * region: two mappings of the same size that took each other's place between two samples move no
 * total, and what the budget holds back is not known at all. The time and the totals stay those of
 * the sample; the budget is charged afterwards.
 *
 * @param sampler  the sampler
 * @param sample   the last one that pm_sampler_take() filled; all but its time and totals may
 * change
 * @param error    as pm_sampler_take()
 * @return         0 or -1
 */
PM_PUBLIC int pm_sampler_measure_all(struct pm_sampler *sampler, struct pm_sample *sample,
                                     struct pm_error *error);

#ifdef __cplusplus
}
#endif

#endif
