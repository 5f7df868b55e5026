/* SPDX-License-Identifier: MIT */
/** @file Reads the regions of a target, and only the data that the columns need. */
#ifndef CMD_TARGET_REGIONS_LOAD_H
#define CMD_TARGET_REGIONS_LOAD_H

#include <stdint.h>

#include <procmem/core.h>
#include <procmem/kinds.h>
#include <procmem/limits.h>
#include <procmem/maps.h>
#include <procmem/pagemap.h>
#include <procmem/process.h>
#include <procmem/region.h>
#include <procmem/runtimes.h>

#include "target/region_columns.h"
#include "target/sampled.h"
#include "target/target.h"

/** The regions of a target at one time, and information about the target. */
struct loaded {
	const struct target *target; /**< the target; owned by the caller */
	struct pm_regions regions;   /**< all regions */
	enum pm_maps_source source;  /**< where the regions were read from */
	bool sizes_known;            /**< resident sizes are known; false for a saved maps file */
	struct sampled recorded; /**< the sample of a recording, without its regions, which are in
	                            `regions`. For other targets, its `word` is NULL */
	/** The runtimes of the target, read with the kinds; owned; NULL if they are not known. */
	struct pm_runtimes *runtimes;
	struct pm_core *core;         /**< the core file; NULL for other targets */
	bool from_pagemap;            /**< resident sizes were read from pagemap, not from smaps */
	struct pm_process_info info;  /**< information about the process; for a recording only PID
	                                 and name; zeroed for other files */
	char *command;                /**< command line, "" for a saved smaps or maps file; owned */
	struct pm_cgroup_limit limit; /**< memory limit of the process */
	struct pm_error reader_failure; /**< why the memory of the process, which is needed to
	                                   determine the kinds, could not be read; PM_ERROR_NONE if
	                                   there was no such error */
	uint64_t read_us;               /**< time to read the regions, in microseconds */
	uint64_t kinds_us;              /**< time to classify the regions, in microseconds */
};

/**
 * Reads the regions of a target. If the target exits or calls exec during the call, the function
 * fails, so the result is always complete and always belongs to one program.
 *
 * @param loaded  filled; release with regions_load_deinit()
 * @param target  the target; must outlive the result
 * @param needs   enum region_needs bits
 * @param error   as for pm_maps_read() and pm_maps_read_saved()
 * @return        0 or -1
 */
int regions_load(struct loaded *loaded, const struct target *target, unsigned needs,
                 struct pm_error *error);

/**
 * Returns the evidence about the kinds of regions that a core file contains.
 *
 * @param core    the core file
 * @param reader  a reader of that file
 * @return        the evidence; valid while `core` and `reader` are open
 */
struct pm_kinds_evidence regions_load_evidence(const struct pm_core *core,
                                               struct pm_reader *reader);

/**
 * Releases the regions and everything else that was read.
 * @param loaded as filled by regions_load(), or zeroed
 */
void regions_load_deinit(struct loaded *loaded);

#endif
