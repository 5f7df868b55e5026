/* SPDX-License-Identifier: MIT */
/**
 * @file One thread of a scan: reads a unit, passes it to the scanner in windows, and records the
 * hits. Private.
 */
#ifndef PM_SCAN_WORKER_H
#define PM_SCAN_WORKER_H

#include "scan/gather.h"
#include "scan/scanner.h"

/** A thread. */
struct pm_worker {
	unsigned number;             /**< counts from 0 */
	const struct pm_scan *scan;  /**< parameters of the scan */
	struct pm_scan_queue *queue; /**< the queue of units */
	pthread_t thread;            /**< the thread */
	void *scanning;              /**< state of the scanner for this thread */
	struct pm_gathered gathered; /**< the bytes of the unit */
	uint8_t *overlap;    /**< bytes of a window that has grown into the next unit; else NULL */
	uint8_t *check;      /**< PM_CHECK_ROOM bytes, to read hits again */
	struct pm_hits hits; /**< hits of the window */
	struct pm_scan_batch batch;        /**< recorded hits */
	struct pm_job *job;                /**< the unit */
	const struct pm_gather_part *part; /**< the part that contains the window */
	uint64_t limit;                    /**< end of the bytes after it that may be read */
	bool zeros;                        /**< zeros follow `limit` */
	bool more;                    /**< bytes that are not read for this unit follow `limit` */
	uint64_t ends[PM_STREAMS];    /**< end of the last hit of each stream in this unit */
	struct pm_scan_counts counts; /**< counters of this unit */
};

/**
 * Initialises a worker.
 *
 * @param worker  `number`, `scan` and `queue` are set, all else is zero
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
 * Scans units until there are no more. The body of the thread.
 * @param worker  a struct pm_worker
 * @return        NULL
 */
void *pm_worker_run(void *worker);

/** Bytes of hits that are read again at once. Only as many are compared of a longer hit. */
enum { PM_CHECK_ROOM = 64 * 1024 };

#endif
