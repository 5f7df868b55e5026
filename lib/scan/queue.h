/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The queue of a scan. Workers claim units in the order of the plan, and the hits of the units are
 * delivered in the same order. The number of units in progress is bounded. Private.
 */
#ifndef PM_SCAN_QUEUE_H
#define PM_SCAN_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "scan/batch.h"
#include "scan/scanner.h"

/**
 * Number of bytes of the target that one page table maps: 512 pages of 4 KiB on x86-64. On other
 * processors a page table may map more; then not all units of a page table are claimed together,
 * which only costs time.
 */
#define PM_PAGE_TABLE_SPAN ((uint64_t)2 << 20)

/**
 * Maximum number of segments after a unit that a hit may extend into, if not all segments are runs.
 */
enum { PM_NEXT_SEGMENTS = 64 };

/** State of a unit. */
enum pm_job_state {
	PM_JOB_FREE,   /**< the job has no unit */
	PM_JOB_ACTIVE, /**< a worker scans it */
	PM_JOB_DONE,   /**< the scan of the unit has ended; its last hits are in `ready` */
	PM_JOB_AGAIN,  /**< the unit must be scanned again, and waits for a worker */
};

/** A unit in progress. */
struct pm_job {
	uint64_t index;          /**< number of the unit, from 0 */
	enum pm_job_state state; /**< state of the unit */
	bool pushed;             /**< some hits were pushed before the end of the unit */
	bool restart; /**< the worker of the unit must scan it again: see pm_scan_queue_restart() */
	uint64_t from[PM_STREAMS]; /**< for each stream, the address before which hits do not count;
	                              used by the worker */
	uint64_t next_from[PM_STREAMS]; /**< value of `from` for the next scan of the unit */
	struct pm_unit unit;            /**< the unit */
	uint64_t chain_before; /**< number of bytes directly before the unit that can be read */
	uint8_t type_before;   /**< enum pm_segment_type of the page directly before the unit */
	uint64_t chain_after;  /**< number of bytes directly after the unit that can be read */
	size_t next_count;     /**< number of segments in `next`; the bytes after these segments are
	                          runs */
	struct pm_segment next[PM_NEXT_SEGMENTS]; /**< segments after the unit */
	bool zeros_after; /**< after `chain_after` bytes, memory follows that was never touched */
	bool more_after;  /**< after `chain_after` bytes, more bytes follow, but their type is not
	                     known */
	bool continues_after; /**< the mapping continues after the last segment of the unit, with a
	                         segment of any type */
	struct pm_scan_batch ready;           /**< hits that were not popped yet */
	struct pm_unreadable_list unreadable; /**< unreadable ranges of the unit, ascending */
	struct pm_scan_counts counts; /**< counters of the scanner, valid in state PM_JOB_DONE */
};

/** The queue with all units in progress. */
struct pm_scan_queue {
	pthread_mutex_t lock;        /**< protects all but `stop` and jobs in PM_JOB_ACTIVE */
	pthread_cond_t for_worker;   /**< signalled if there may be a unit to scan, or room */
	pthread_cond_t for_delivery; /**< signalled if there may be hits to deliver */
	struct pm_plan *plan;        /**< the plan that returns the units */
	struct pm_unit *ahead;       /**< the unit after the last one that was claimed */
	bool all_runs;   /**< all wanted bytes are read from the target, none from mapped files */
	bool has_ahead;  /**< `ahead` is valid */
	bool started;    /**< the first unit was requested from the plan */
	bool delivering; /**< hits of the unit at the head are being delivered; their delivery may
	                    show that the unit must be scanned again */
	bool dense; /**< the last unit had more hits than a worker can keep, so workers have to wait
	               until their unit is at the head */
	uint8_t type_before_ahead; /**< enum pm_segment_type of the segment before `ahead` */
	uint64_t before_ahead;     /**< number of bytes directly before `ahead` that can be read */
	uint64_t claimed;          /**< number of units that were claimed */
	uint64_t head;             /**< index of the unit whose hits are delivered next */
	size_t count;              /**< number of jobs */
	struct pm_job **jobs;      /**< unit i is in job i % count */
	uint64_t searched;         /**< number of bytes of the units before the head */
	struct pm_scan_counts counts; /**< sums of the counters of these units */
	atomic_bool stop;             /**< set to end the scan */
	bool failed;                  /**< the scan ended because of `failure` */
	struct pm_error failure;      /**< the first failure */
};

/**
 * Initialises a queue.
 *
 * @param queue     filled; release with pm_scan_queue_deinit(), also after a failure
 * @param plan      the plan; must outlive the queue
 * @param all_runs  value of pm_scan_queue.all_runs
 * @param count     maximum number of units in progress
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_scan_queue_init(struct pm_scan_queue *queue, struct pm_plan *plan, bool all_runs,
                       size_t count, struct pm_error *error);

/**
 * Releases a queue.
 * @param queue  the queue; no thread may use it any more
 */
void pm_scan_queue_deinit(struct pm_scan_queue *queue);

/**
 * Returns the unit whose hits are delivered next.
 * @param queue  the queue, locked
 * @return       the job of that unit; a job without a unit if all units were delivered
 */
static inline struct pm_job *pm_scan_queue_head(const struct pm_scan_queue *queue)
{
	return queue->jobs[queue->head % queue->count];
}

/**
 * Pushes the hits of a unit found so far, if they are too many to keep. Waits until the unit is at
 * the head.
 *
 * @param queue  the queue
 * @param job    the job of the unit. If the unit at the head has to be scanned again while the
 *               caller waits, set to the job of that unit, which the caller then has to scan
 * @param batch  the hits; empty afterwards
 * @return       0: continue with the unit; 1: end the scan of the unit, and call
 *               pm_scan_queue_again()
 */
int pm_scan_queue_push(struct pm_scan_queue *queue, struct pm_job **job,
                       struct pm_scan_batch *batch);

/**
 * Pushes the last hits of a unit.
 *
 * @param queue   the queue
 * @param job     the job of the unit; the caller must not use it after success
 * @param counts  counters of the scanner, for this unit
 * @param batch   the hits; empty afterwards
 * @return        0: the unit is done; 1: as for pm_scan_queue_push()
 */
int pm_scan_queue_finish(struct pm_scan_queue *queue, struct pm_job *job,
                         const struct pm_scan_counts *counts, struct pm_scan_batch *batch);

/** Results of pm_scan_queue_pop(). */
enum pm_popped {
	PM_POPPED_BATCH,   /**< `batch` has hits of `job`; more hits may follow */
	PM_POPPED_LAST,    /**< `batch` has the last hits: call pm_scan_queue_retire() next */
	PM_POPPED_NOTHING, /**< no hits became ready within a tenth of a second */
	PM_POPPED_END,     /**< there are no more hits, or the scan was stopped */
};

/**
 * Waits for the hits that have to be delivered next, and removes them from the queue.
 *
 * @param queue  the queue
 * @param job    receives the unit
 * @param batch  receives the hits; its earlier contents are discarded
 * @return       the result
 */
enum pm_popped pm_scan_queue_pop(struct pm_scan_queue *queue, struct pm_job **job,
                                 struct pm_scan_batch *batch);

/**
 * Removes the unit at the head, whose hits were popped.
 * @param queue  the queue
 */
void pm_scan_queue_retire(struct pm_scan_queue *queue);

/**
 * Makes a worker scan a unit again, because a hit of the previous unit overlaps a hit of this unit.
 *
 * @param queue  the queue
 * @param job    the job
 * @param from   for each stream, the address before which hits do not count
 */
void pm_scan_queue_restart(struct pm_scan_queue *queue, struct pm_job *job,
                           const uint64_t from[PM_STREAMS]);

/**
 * Tests whether a worker has to scan its unit again. If so, prepares the job for that.
 * @param queue  the queue
 * @param job    the job
 */
bool pm_scan_queue_again(struct pm_scan_queue *queue, struct pm_job *job);

/**
 * Reports the progress of the scan.
 * @param queue   the queue
 * @param totals  filled, except `hits` and `changed`; the caller has set `unreadable`
 */
void pm_scan_queue_totals(struct pm_scan_queue *queue, struct pm_scan_totals *totals);

/**
 * Ends the scan.
 * @param queue  the queue
 * @param error  the reason; NULL if the scan succeeded
 */
void pm_scan_queue_stop(struct pm_scan_queue *queue, const struct pm_error *error);

/**
 * Claims a unit to scan. Waits for one if necessary.
 *
 * If two threads read pages of the same page table, they wait for the lock of this table in the
 * kernel (follow_page_pte() in mm/gup.c; docs/KERNEL.md describes the cost). So one worker claims
 * both units of a page table, and scans one after the other.
 *
 * @param queue   the queue
 * @param second  variable of the worker, NULL at first; receives the job of a second unit, which
 *                the next call returns
 * @return        the job of the unit; NULL if there are no more units
 */
struct pm_job *pm_scan_queue_claim(struct pm_scan_queue *queue, struct pm_job **second);

#endif
