/* SPDX-License-Identifier: MIT */
/** @file Measures the memory of each owner for `procmem watch`. */
#ifndef CMD_WATCH_OWNERS_H
#define CMD_WATCH_OWNERS_H

#include <procmem/owner_sums.h>
#include <procmem/pagemap.h>
#include <procmem/sample.h>

/** What is needed to measure. A zeroed struct has not measured. */
struct watch_owners {
	struct pm_pagemap *pagemap; /**< page states; opened when needed; NULL if not available */
	bool opened;                /**< opening `pagemap` was tried */
	bool known;                 /**< `sums` are known */
	double due;                 /**< time when the sums may be measured again */
	struct pm_owner_sums sums;  /**< as last measured */
};

/** Whether the sums belong to a sample. */
enum watch_owners_state {
	WATCH_OWNERS_UNKNOWN, /**< they do not: the series of the owners get no point */
	WATCH_OWNERS_SAME,    /**< they do: nothing has changed since they were measured */
	WATCH_OWNERS_NEW,     /**< they do: they were measured for this sample */
};

/**
 * Measures the sums for a sample. They are measured only if the sizes of the regions and the
 * runtimes are those of this sample: otherwise memory that a runtime has got since it was read
 * would count as that of another owner. Measuring uses at most a small share of CPU time.
 *
 * @param owners   what was measured before
 * @param process  the process
 * @param sample   the sample
 * @return         whether `sums` belong to the sample
 */
enum watch_owners_state watch_owners_measure(struct watch_owners *owners,
                                             struct pm_process *process,
                                             const struct pm_sample *sample);

/**
 * Releases what is needed to measure.
 * @param owners  the owners; zeroed afterwards
 */
void watch_owners_deinit(struct watch_owners *owners);

#endif
