/* SPDX-License-Identifier: MIT */
/**
 * @file One thread of a scan: reads a unit, shows it to the scanner in windows, and writes down the
 * hits. Private.
 */
#ifndef PM_SCAN_WORKER_H
#define PM_SCAN_WORKER_H

#include "scan/gather.h"
#include "scan/scanner.h"

/** A thread. */
struct pm_worker {
	unsigned number;             /**< counts from 0 */
	const struct pm_scan *scan;  /**< what the caller wants */
	struct pm_scan_queue *order; /**< where units come from */
	pthread_t thread;            /**< it */
	void *scanning;              /**< the scanner's state for this thread */
	struct pm_gathered gathered; /**< the bytes of the unit */
	uint8_t *seam;               /**< those of the window, once it has grown; else NULL */
	uint8_t *check;              /**< PM_CHECK_ROOM bytes to look at hits again */
	struct pm_hits hits;         /**< of the window */
	struct pm_scan_batch batch;  /**< hits written down */
	struct pm_job *job;          /**< the unit */
	const struct pm_gather_part *stretch; /**< the one that the window lies in */
	uint64_t limit;                       /**< where the bytes that may be read behind it end */
	bool zeros;                           /**< zeros follow there */
	bool more; /**< further bytes follow there, which are not read for this unit */
	uint64_t ends[PM_STREAMS];    /**< of the last hit of each stream in this unit */
	struct pm_scan_counts counts; /**< of this unit */
};

/**
 * Prepares a thread.
 * @param worker all zero but what the caller knows
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_worker_init(struct pm_worker *worker, struct pm_error *error);

/**
 * Releases it.
 * @param worker also one that is all zero
 */
void pm_worker_deinit(struct pm_worker *worker);

/**
 * Works until there is nothing more to do; the body of the thread.
 * @param worker a struct pm_worker
 * @return NULL
 */
void *pm_worker_run(void *worker);

/** Bytes of hits that are looked at again at a time; of longer ones only as many. */
enum { PM_CHECK_ROOM = 64 * 1024 };

#endif
