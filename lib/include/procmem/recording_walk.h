/* SPDX-License-Identifier: MIT */
/**
 * @file
 * All samples of a recording in their order.
 */
#ifndef PROCMEM_RECORDING_WALK_H
#define PROCMEM_RECORDING_WALK_H

#include <procmem/error.h>
#include <procmem/recording.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reads all samples in their order; opaque. Several threads must not use it concurrently. */
struct pm_recording_walk;

/**
 * Starts to read all samples, which is much faster than pm_recording_read() for each of them.
 * Samples that are added later are not read.
 *
 * @param recording  the recording; must outlive the walk, and can be used during it
 * @param walk       receives the walk; release with pm_recording_walk_close()
 * @param error      PM_ERROR_IO, PM_ERROR_FORMAT, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_recording_walk_open(struct pm_recording *recording,
                                     struct pm_recording_walk **walk, struct pm_error *error);

/**
 * Reads the next sample.
 *
 * @param walk      the walk
 * @param recorded  receives time and totals
 * @param regions   receives the regions with RSS and swap, but no other sizes; valid until the
 *                  next call, and not to be changed
 * @param error     PM_ERROR_IO, PM_ERROR_FORMAT
 * @return          1, 0 if there are no more samples, or -1
 */
PM_PUBLIC int pm_recording_walk_next(struct pm_recording_walk *walk, struct pm_recorded *recorded,
                                     const struct pm_regions **regions, struct pm_error *error);

/**
 * Ends a walk.
 * @param walk  the walk; may be NULL
 */
PM_PUBLIC void pm_recording_walk_close(struct pm_recording_walk *walk);

#ifdef __cplusplus
}
#endif

#endif
