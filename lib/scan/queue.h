/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The queue of a scan. Workers claim units in the order of the plan, and the hits of the units are
 * delivered in the same order. The number of units in progress is limited. A job is the structure
 * for a unit in progress. The head is the unit whose hits are delivered next. Private.
 */
#ifndef PM_SCAN_QUEUE_H
#define PM_SCAN_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "scan/batch.h"
#include "scan/scanner.h"

/**
 * Number of bytes of the target that one page table maps: 512 pages of 4 KiB on x86-64. On other
 * processors a page table may map more bytes. Workers may then wait for each other in the kernel
 * more often (see pm_scan_queue_claim()), but the hits are the same.
 */
#define PM_PAGE_TABLE_SPAN ((uint64_t)2 << 20)

/**
 * Maximum number of segments after a unit into which a hit may extend if mapped files are read,
 * too.
 */
enum { PM_NEXT_SEGMENTS = 64 };

/** State of a unit. */
enum pm_job_state {
	PM_JOB_FREE,   /**< the job has no unit */
	PM_JOB_ACTIVE, /**< a worker scans the unit */
	PM_JOB_DONE,   /**< the scan of the unit has ended; the last hits of the unit are in
	                  `ready` */
	PM_JOB_AGAIN,  /**< the unit must be scanned again, and no worker has started this yet */
};

/** A unit in progress. */
struct pm_job {
	uint64_t index;                 /**< number of the unit, from 0 */
	enum pm_job_state state;        /**< state of the unit */
	bool pushed;                    /**< hits were pushed before the scan of the unit ended */
	bool restart;                   /**< the worker of the unit must scan the unit again; see
	                                   pm_scan_queue_restart() */
	uint64_t from[PM_STREAMS];      /**< for each stream, the address before which hits must not
	                                   start; used by the worker */
	uint64_t next_from[PM_STREAMS]; /**< value of `from` for the next scan of the unit */
	struct pm_unit unit;            /**< the unit */
	uint64_t chain_before; /**< number of bytes directly before the unit that can be read */
	uint8_t type_before;   /**< enum pm_segment_type of the page directly before the unit */
	uint64_t chain_after;  /**< number of bytes directly after the unit that can be read */
	/**
	 * Number of segments in `next`. Bytes after the unit that are not in these segments are
	 * read from the target.
	 */
	size_t next_count;
	struct pm_segment next[PM_NEXT_SEGMENTS]; /**< the segments directly after the unit */
	bool zeros_after;     /**< memory that was never touched follows the `chain_after` bytes */
	bool more_after;      /**< more bytes follow the `chain_after` bytes, but the types of their
	                         segments are not recorded */
	bool continues_after; /**< the mapping continues after the last segment of the unit, with a
	                         segment of any type */
	struct pm_scan_batch ready;           /**< hits that were pushed, but not popped yet */
	struct pm_unreadable_list unreadable; /**< unreadable ranges of the unit, ascending */
	struct pm_scan_counts counts; /**< counters of the scanner, valid in state PM_JOB_DONE */
};

/** The queue with all units in progress. */
struct pm_scan_queue {
	/**
	 * Protects all fields except `stop`. While a job is in state PM_JOB_ACTIVE, its worker also
	 * uses fields of the job without the lock.
	 */
	pthread_mutex_t lock;
	pthread_cond_t for_worker;   /**< signalled if there may be a unit to scan, or if a
	                                worker may be able to push hits */
	pthread_cond_t for_delivery; /**< signalled if there may be hits to deliver */
	struct pm_plan *plan;        /**< the plan that returns the units */
	struct pm_unit *ahead;       /**< the unit that will be claimed next */
	bool all_runs;  /**< all wanted bytes are read from the target, none from mapped files */
	bool has_ahead; /**< `ahead` contains a unit; false at the end of the plan */
	bool started;   /**< the first unit was requested from the plan */
	/**
	 * The hits of the unit at the head that were popped last are being delivered. This may show
	 * that the unit must be scanned again.
	 */
	bool delivering;
	/**
	 * The unit that was finished last had more hits than a worker can keep. Workers then have
	 * to wait until their unit is at the head, so they do not claim two units at once.
	 */
	bool dense;
	uint8_t type_before_ahead; /**< enum pm_segment_type of the last segment before `ahead` */
	uint64_t before_ahead;     /**< number of bytes directly before `ahead` that can be read */
	uint64_t claimed;          /**< number of units that were claimed */
	uint64_t head;             /**< index of the unit whose hits are delivered next */
	size_t count;              /**< number of jobs */
	struct pm_job **jobs;      /**< unit i is in job i % count */
	uint64_t searched;         /**< number of bytes of the units before the head */
	struct pm_scan_counts counts; /**< sums of the counters of the units before the head */
	atomic_bool stop;             /**< set to end the scan */
	bool failed;                  /**< the scan ended with the error `failure` */
	struct pm_error failure;      /**< the first error, if `failed` is true */
};

/**
 * Initialises a queue.
 *
 * @param queue     the queue; release it with pm_scan_queue_deinit(), also after a failure
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
 * @param queue  the queue; no other thread may use the queue any more
 */
void pm_scan_queue_deinit(struct pm_scan_queue *queue);

/**
 * Returns the unit whose hits are delivered next.
 * @param queue  the queue, locked
 * @return       the job of the unit; a job in state PM_JOB_FREE if there is no such unit
 */
static inline struct pm_job *pm_scan_queue_head(const struct pm_scan_queue *queue)
{
	return queue->jobs[queue->head % queue->count];
}

/**
 * Pushes the hits of a unit that were found so far. Called if a worker has more hits than it can
 * keep. Waits until the unit is at the head, and the hits pushed before were popped.
 *
 * @param queue  the queue
 * @param job    the job of the unit. If the unit at the head has to be scanned again while the
 *               caller waits, `job` receives the job of the unit at the head, and the result is 1
 * @param batch  the hits; empty afterwards
 * @return       0: continue with the unit; 1: the hits were dropped; end the scan of the unit, and
 *               call pm_scan_queue_again() with `job`
 */
int pm_scan_queue_push(struct pm_scan_queue *queue, struct pm_job **job,
                       struct pm_scan_batch *batch);

/**
 * Pushes the last hits of a unit.
 *
 * @param queue   the queue
 * @param job     the job of the unit; the caller must not use the job if the result is 0
 * @param counts  counters of the scanner, for this unit
 * @param batch   the hits; empty afterwards
 * @return        0: the unit is done; 1: the hits were dropped; call pm_scan_queue_again()
 */
int pm_scan_queue_finish(struct pm_scan_queue *queue, struct pm_job *job,
                         const struct pm_scan_counts *counts, struct pm_scan_batch *batch);

/** Results of pm_scan_queue_pop(). */
enum pm_popped {
	PM_POPPED_BATCH,   /**< `batch` received hits of the unit; more hits of this unit may
	                      follow */
	PM_POPPED_LAST,    /**< `batch` received the last hits of the unit; after their delivery,
	                      call pm_scan_queue_retire() or pm_scan_queue_restart() */
	PM_POPPED_NOTHING, /**< no hits became ready within a tenth of a second */
	PM_POPPED_END,     /**< all units were delivered, or the scan was stopped */
};

/**
 * Waits for the hits that have to be delivered next, and removes them from the queue.
 *
 * @param queue  the queue
 * @param job    receives the job of the unit if there are hits
 * @param batch  receives the hits; earlier contents are discarded
 * @return       see enum pm_popped
 */
enum pm_popped pm_scan_queue_pop(struct pm_scan_queue *queue, struct pm_job **job,
                                 struct pm_scan_batch *batch);

/**
 * Removes the unit at the head, all hits of which were delivered.
 * @param queue  the queue
 */
void pm_scan_queue_retire(struct pm_scan_queue *queue);

/**
 * Makes a worker scan the unit at the head again. Called if a hit of the unit starts before the end
 * of a hit that was delivered before, but ends after it: a different hit may then exist after the
 * delivered hit.
 *
 * @param queue  the queue
 * @param job    the job of the unit at the head
 * @param from   for each stream, the address before which hits must not start; copied
 */
void pm_scan_queue_restart(struct pm_scan_queue *queue, struct pm_job *job,
                           const uint64_t from[PM_STREAMS]);

/**
 * Tests whether a worker has to scan its unit again. If so, copies `next_from` of the job to
 * `from`.
 * @param queue  the queue
 * @param job    the job
 */
bool pm_scan_queue_again(struct pm_scan_queue *queue, struct pm_job *job);

/**
 * Reports the progress of the scan.
 * @param queue   the queue
 * @param totals  receives `searched`, `gave_up` and `passed`; `unreadable` must be set before the
 *                call
 */
void pm_scan_queue_totals(struct pm_scan_queue *queue, struct pm_scan_totals *totals);

/**
 * Ends the scan, if it has not ended yet.
 * @param queue  the queue
 * @param error  the error with which the scan fails; NULL if the scan is to succeed. Ignored if the
 *               scan has already been stopped
 */
void pm_scan_queue_stop(struct pm_scan_queue *queue, const struct pm_error *error);

/**
 * Claims a unit to scan. Waits for one if necessary.
 *
 * If two threads read pages of the same page table at the same time, one waits in the kernel for
 * the lock of the table (follow_page_pte() in mm/gup.c; docs/KERNEL.md describes the cost). So a
 * worker claims two units at once if both are in the same page table, and scans them one after the
 * other.
 *
 * @param queue   the queue
 * @param second  a variable of the worker that is NULL before the first call and must not be
 *                changed between the calls. Receives the job of the second unit, which a later call
 *                returns; NULL if there is none
 * @return        the job of the unit; NULL if there are no more units
 */
struct pm_job *pm_scan_queue_claim(struct pm_scan_queue *queue, struct pm_job **second);

#endif
