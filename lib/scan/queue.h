/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The scan queue: workers claim units in order, and their hits are delivered in order. The number
 * of units in progress is bounded. Private.
 */
#ifndef PM_SCAN_QUEUE_H
#define PM_SCAN_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "scan/batch.h"
#include "scan/scanner.h"

/**
 * Bytes of the target that one page table maps: 512 entries of 4 KiB on x86-64. Elsewhere it may
 * map more, and units of one page table are then not always claimed together.
 */
#define PM_PAGE_TABLE_SPAN ((uint64_t)2 << 20)

/** Segments after a unit that a hit in it may extend into, if not all of them are runs. */
enum { PM_NEXT_SEGMENTS = 64 };

/** State of a unit. */
enum pm_job_state {
	PM_JOB_FREE,   /**< the job has no unit */
	PM_JOB_ACTIVE, /**< a worker scans it */
	PM_JOB_DONE,   /**< all hits are in `ready` */
	PM_JOB_AGAIN,  /**< it waits for a worker, to be scanned again */
};

/** A unit in progress. */
struct pm_job {
	uint64_t index;            /**< counts from 0 */
	enum pm_job_state state;   /**< its state */
	bool pushed;               /**< some hits were pushed before the end of the unit */
	bool restart;              /**< its worker shall start again: see pm_scan_queue_restart() */
	uint64_t from[PM_STREAMS]; /**< addresses before which hits of each stream do not count;
	                              used by the worker */
	uint64_t next_from[PM_STREAMS]; /**< the same, for the next time that it is scanned */
	struct pm_unit unit;            /**< what to read */
	uint64_t chain_before;          /**< bytes directly before it that may be read, too */
	uint8_t type_before;            /**< enum pm_segment_type of the last page of those */
	uint64_t chain_after;           /**< bytes directly after it that may be read, too */
	size_t next_count;              /**< number of segments in `next` */
	struct pm_segment next[PM_NEXT_SEGMENTS]; /**< the segments at the start of those; after
	                                             them is a run */
	bool zeros_after;     /**< memory that was never touched follows those */
	bool more_after;      /**< more bytes follow those, with an unknown reader */
	bool continues_after; /**< the mapping continues after its last segment, in any type */
	struct pm_scan_batch ready;           /**< hits that were not popped yet */
	struct pm_unreadable_list unreadable; /**< what could not be read, by ascending address */
	struct pm_scan_counts counts;         /**< counters of the scanner, once it is done */
};

/** All units in progress. */
struct pm_scan_queue {
	pthread_mutex_t lock;      /**< guards everything except `stop` and jobs that are active */
	pthread_cond_t for_worker; /**< there may be work, or room */
	pthread_cond_t for_delivery; /**< there may be hits to deliver */
	struct pm_plan *plan;        /**< the plan of the units */
	struct pm_unit *ahead;       /**< the unit after the last one that was claimed */
	bool all_runs;               /**< the plan wants only bytes that the target is read for */
	bool has_ahead;              /**< `ahead` is valid */
	bool started;                /**< the first unit was requested */
	bool delivering; /**< some hits of the unit at the head were popped, and it may still have
	                    to be scanned again */
	bool dense; /**< the last unit had more hits than a worker keeps, so that workers wait for
	               their turns */
	uint8_t type_before_ahead;    /**< type of the segment directly before `ahead` */
	uint64_t before_ahead;        /**< bytes directly before `ahead` that may be read */
	uint64_t claimed;             /**< number of units that were claimed */
	uint64_t head;                /**< index of the unit whose hits are delivered next */
	size_t count;                 /**< number of jobs */
	struct pm_job **jobs;         /**< unit i is in job i % count */
	uint64_t searched;            /**< bytes of the units before the head */
	struct pm_scan_counts counts; /**< counters of these units */
	atomic_bool stop;             /**< the scan ends */
	bool failed;                  /**< it ends because of `failure` */
	struct pm_error failure;      /**< the first failure */
};

/**
 * Initialises a queue.
 *
 * @param queue     filled; release with pm_scan_queue_deinit(), also after a failure
 * @param plan      the plan; must outlive the queue
 * @param all_runs  as in the structure
 * @param count     maximum number of units in progress
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_scan_queue_init(struct pm_scan_queue *queue, struct pm_plan *plan, bool all_runs,
                       size_t count, struct pm_error *error);

/**
 * Releases a queue.
 * @param queue  the queue, which no thread uses any more
 */
void pm_scan_queue_deinit(struct pm_scan_queue *queue);

/**
 * Returns the unit whose hits are delivered next.
 * @param queue  the queue, locked
 * @return       its job; without a unit if all are delivered
 */
static inline struct pm_job *pm_scan_queue_head(const struct pm_scan_queue *queue)
{
	return queue->jobs[queue->head % queue->count];
}

/**
 * Pushes the hits found so far, if they are too many to keep. Waits until the unit is at the head.
 *
 * @param queue  the queue
 * @param job    the job. If the unit at the head has to be scanned again, and no worker is free,
 * the caller gets that job instead
 * @param batch  the hits; empty afterwards
 * @return       0: continue; 1: end this unit, and call pm_scan_queue_again()
 */
int pm_scan_queue_push(struct pm_scan_queue *queue, struct pm_job **job,
                       struct pm_scan_batch *batch);

/**
 * Pushes the last hits of a unit.
 *
 * @param queue   the queue
 * @param job     the job; not to be used any more on success
 * @param counts  counters of the scanner, for this unit
 * @param batch   the hits; empty afterwards
 * @return        0: the unit is done; 1: as pm_scan_queue_push()
 */
int pm_scan_queue_finish(struct pm_scan_queue *queue, struct pm_job *job,
                         const struct pm_scan_counts *counts, struct pm_scan_batch *batch);

/** Results of pm_scan_queue_pop(). */
enum pm_popped {
	PM_POPPED_BATCH,   /**< `batch` has hits of `job`, which may have more */
	PM_POPPED_LAST,    /**< `batch` has the last hits: call pm_scan_queue_retire() next */
	PM_POPPED_NOTHING, /**< no hits were ready for a while */
	PM_POPPED_END,     /**< there are no more hits, or the scan was stopped */
};

/**
 * Waits for the hits that are delivered next.
 *
 * @param queue  the queue
 * @param job    receives the unit
 * @param batch  exchanged for the hits
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
 * Causes a unit to be scanned again, because a hit of the unit before overlaps a hit of this one.
 *
 * @param queue  the queue
 * @param job    the job
 * @param from   addresses before which hits of each stream do not count
 */
void pm_scan_queue_restart(struct pm_scan_queue *queue, struct pm_job *job,
                           const uint64_t from[PM_STREAMS]);

/**
 * Tests whether a worker shall start its unit again, and prepares the job for that.
 * @param queue  the queue
 * @param job    the job
 */
bool pm_scan_queue_again(struct pm_scan_queue *queue, struct pm_job *job);

/**
 * Adds up the progress.
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
 * Claims a unit to scan, and waits for one if necessary.
 *
 * Two threads that read pages of one page table wait for its lock in the kernel (follow_page_pte()
 * in mm/gup.c; docs/KERNEL.md says what that costs). So a worker claims both units of such a page
 * table, and scans one after the other.
 *
 * @param queue   the queue
 * @param second  the unit that this worker scans next; kept by the worker, NULL at first
 * @return        the job; NULL if there is nothing more to do
 */
struct pm_job *pm_scan_queue_claim(struct pm_scan_queue *queue, struct pm_job **second);

#endif
