/* SPDX-License-Identifier: MIT */
/**
 * @file One thread of a scan. It reads units, passes each unit to the scanner in windows, and
 * records the hits. Private.
 */
#ifndef PM_SCAN_WORKER_H
#define PM_SCAN_WORKER_H

#include "scan/gather.h"
#include "scan/scanner.h"

/** One thread of a scan. */
struct pm_worker {
	unsigned number;             /**< number of the thread, from 0 */
	const struct pm_scan *scan;  /**< parameters of the scan */
	struct pm_scan_queue *queue; /**< the queue of units */
	pthread_t thread;            /**< the thread */
	void *scanning;              /**< state of the scanner for this thread */
	struct pm_gathered gathered; /**< the bytes of the current unit */
	uint8_t *overlap;            /**< buffer with the bytes of the current window if the
	                                window has grown; otherwise NULL */
	uint8_t *check; /**< buffer of PM_CHECK_ROOM bytes to read hits again; NULL if not needed */
	struct pm_hits hits;               /**< hits of the current window */
	struct pm_scan_batch batch;        /**< recorded hits that have not been pushed to the
	                                      queue yet */
	struct pm_job *job;                /**< job of the current unit */
	const struct pm_gather_part *part; /**< the part that contains the current window */
	uint64_t limit; /**< address of the end of the bytes after the part that can be read */
	bool zeros;     /**< memory that was never touched follows `limit` */
	bool more;      /**< more bytes follow `limit`, but are not read for this unit */
	uint64_t ends[PM_STREAMS];    /**< for each stream, the end address of the last hit in
	                                 this unit */
	struct pm_scan_counts counts; /**< counters of this unit */
};

/**
 * Initialises a worker.
 *
 * @param worker  the worker; the caller has set `number`, `scan` and `queue`, and all other fields
 *                to zero
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int pm_worker_init(struct pm_worker *worker, struct pm_error *error);

/**
 * Releases a worker.
 * @param worker  the worker; may be all zeros
 */
void pm_worker_deinit(struct pm_worker *worker);

/**
 * Scans units until there are no more, or the scan is stopped. This is the start function of the
 * thread.
 * @param worker  a struct pm_worker
 * @return        NULL
 */
void *pm_worker_run(void *worker);

/**
 * Maximum number of bytes that one call reads again. If a hit is longer, only its first
 * PM_CHECK_ROOM bytes are compared.
 */
enum { PM_CHECK_ROOM = 64 * 1024 };

#endif
