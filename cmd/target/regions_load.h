/* SPDX-License-Identifier: MIT */
/** @file Reading the regions of a target at the cost that the wanted columns justify. */
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

#include "target/region_columns.h"
#include "target/sampled.h"
#include "target/target.h"

/** The regions of a target at one moment, and what is known about it. */
struct loaded {
	const struct target *target; /**< whose they are */
	struct pm_regions regions;   /**< they, all of them */
	enum pm_maps_source source;  /**< what they were read from */
	bool sizes_known;            /**< resident sizes are known: not for a saved maps file */
	struct sampled recorded; /**< the sample of a recording that they are; its list of regions
	                            is empty. `word` is NULL for none */
	struct pm_core *core;    /**< the core file they are of; NULL for a process or saved text */
	bool from_pagemap;       /**< and come from pagemap */
	struct pm_process_info info;    /**< of the process; all zero for a saved file */
	char *command;                  /**< its command line, "" for a saved file */
	struct pm_cgroup_limit limit;   /**< its memory limit */
	struct pm_error reader_failure; /**< why its memory could not be read for the kinds;
	                                   PM_ERROR_NONE where it could */
	uint64_t read_us;               /**< time that reading sizes took, in microseconds */
	uint64_t kinds_us;              /**< time that the kinds took */
};

/**
 * Reads a target. What comes back is complete and of one process: a target that ends or calls exec
 * meanwhile is an error.
 *
 * @param loaded  filled; release with regions_load_deinit()
 * @param target  the target; must outlive the result
 * @param needs   enum region_needs bits
 * @param error   as pm_maps_read() and pm_maps_read_saved()
 * @return        0 or -1
 */
int regions_load(struct loaded *loaded, const struct target *target, unsigned needs,
                 struct pm_error *error);

/**
 * What tells the kinds of a core file's regions.
 * @param core it
 * @param reader of it
 * @return valid while both are open
 */
struct pm_kinds_evidence regions_load_evidence(const struct pm_core *core,
                                               struct pm_reader *reader);

/**
 * Releases what was read.
 * @param loaded as filled
 */
void regions_load_deinit(struct loaded *loaded);

#endif
