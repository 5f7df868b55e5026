/* SPDX-License-Identifier: MIT */
/** @file Reads the regions of a recording: those of one sample, or all that it has. */
#ifndef PM_RECORDING_STORED_REGIONS_H
#define PM_RECORDING_STORED_REGIONS_H

#include <procmem/region.h>

#include "recording/database.h"

/** Prepared statements that read regions. */
struct pm_stored_regions {
	const struct pm_database *database; /**< the file */
	sqlite3_stmt *rows;                 /**< the regions */
	sqlite3_stmt *smaps;   /**< sizes from smaps; NULL if no sample has such sizes */
	sqlite3_stmt *details; /**< NULL if the recording has no table `fact` */
	sqlite3_stmt *owners;  /**< NULL if the recording has no table `region_owner` */
};

/** What is stored of a region besides the region. */
struct pm_stored_life {
	int64_t id;     /**< `id` of the region */
	uint64_t first; /**< first sample that contains the region */
	uint64_t until; /**< first later sample that does not contain it; UINT64_MAX: none */
};

/**
 * Prepares the statements.
 *
 * @param reading   filled; release with pm_stored_regions_close()
 * @param database  the file; must outlive the statements
 * @param all       the regions of all samples, without sizes; otherwise those of one sample
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          0, or -1; on failure, there is nothing to release
 */
int pm_stored_regions_open(struct pm_stored_regions *reading, const struct pm_database *database,
                           bool all, struct pm_error *error);

/** Releases the statements. */
void pm_stored_regions_close(struct pm_stored_regions *reading);

/**
 * Reads the regions of a sample.
 *
 * @param reading  the statements, which were prepared for one sample
 * @param number   number of the sample
 * @param regions  receives the regions
 * @param error    PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_stored_regions_read(struct pm_stored_regions *reading, uint64_t number,
                           struct pm_regions *regions, struct pm_error *error);

/**
 * Reads the next of all regions, by ascending address.
 *
 * @param reading  the statements, which were prepared for all samples
 * @param regions  receives the region, with RSS and swap 0, as its last element; overlaps are
 *                 possible, because the regions are of different samples
 * @param life     receives the samples that contain the region
 * @param error    as for pm_stored_regions_read()
 * @return         1, 0 at the end, or -1
 */
int pm_stored_regions_next(struct pm_stored_regions *reading, struct pm_regions *regions,
                           struct pm_stored_life *life, struct pm_error *error);

#endif
