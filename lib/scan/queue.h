/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who does what, and what comes when: units are handed out to the workers in order, and what they
 * find is handed on in order, with a bounded number of units on the way. Private.
 */
#ifndef PM_SCAN_QUEUE_H
#define PM_SCAN_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "scan/batch.h"
#include "scan/scanner.h"

/**
 * Bytes of the target that one page table is for: 512 entries of 4 KiB on x86-64; more elsewhere,
 * where this is a half measure.
 */
#define PM_PAGE_TABLE_SPAN ((uint64_t)2 << 20)

/** Segments behind a unit that a hit in it may reach into, where not all of them are runs. */
enum { PM_NEXT_SEGMENTS = 64 };

/** Where a unit is. */
enum pm_job_state {
	PM_JOB_FREE,   /**< nowhere: there is no unit */
	PM_JOB_ACTIVE, /**< with a worker */
	PM_JOB_DONE,   /**< all that was found in it is ready */
	PM_JOB_AGAIN,  /**< waits for a worker to scan it anew */
};

/** A unit on its way. */
struct pm_job {
	uint64_t index;            /**< counts from 0 */
	enum pm_job_state state;   /**< where it is */
	bool pushed;               /**< some of what was found in it was handed on before the end */
	bool restart;              /**< its worker shall begin anew: see pm_scan_queue_restart() */
	uint64_t from[PM_STREAMS]; /**< addresses before which hits of each stream do not count; the
	                              worker's */
	uint64_t anew[PM_STREAMS]; /**< the same for the next time that it is scanned */
	struct pm_unit unit;       /**< what to read */
	uint64_t chain_before;     /**< bytes directly before it that may be read too */
	uint8_t type_before;       /**< of which enum pm_segment_type those of the last page are */
	uint64_t chain_after;      /**< the same behind it */
	size_t next_count;         /**< how many of these there are */
	struct pm_segment next[PM_NEXT_SEGMENTS]; /**< the segments with which those begin; what is
	                                             behind them is a run */
	bool zeros_after; /**< behind those is memory that was never touched */
	bool more_after;  /**< behind those are further ones, of which it is not known how to read
	                     them */
	bool goes_on;     /**< behind its last segment the same thing goes on, whatever it is */
	struct pm_scan_batch ready; /**< found, and not yet taken by pm_scan_queue_pop() */
	struct pm_unreadable_list unreadable; /**< what could not be read, by ascending address */
	struct pm_scan_counts counts;         /**< of the scanner, once it is done */
};

/** All units on their way. */
struct pm_scan_queue {
	pthread_mutex_t lock; /**< of everything here but `stop` and the jobs that are active */
	pthread_cond_t for_worker; /**< there may be work, or room */
	pthread_cond_t for_taker;  /**< there may be something to take */
	struct pm_plan *plan;      /**< where units come from */
	struct pm_unit *ahead;     /**< the unit behind the last one handed out */
	bool all_runs;             /**< the plan wants nothing but what the target's reader reads */
	bool has_ahead;            /**< whether there is a unit ahead */
	bool started;              /**< the first unit was asked for */
	bool delivering; /**< some hits of the unit at the head were taken, and it may still have to
	                    be scanned anew */
	bool dense; /**< more was found in the last unit than a worker keeps, so that workers wait
	               for their turns */
	uint8_t type_behind;          /**< type of the segment that ends where `ahead` begins */
	uint64_t behind;              /**< bytes directly before `ahead` that may be read */
	uint64_t claimed;             /**< units handed out */
	uint64_t head;                /**< the unit whose hits come next */
	size_t count;                 /**< how many jobs there are */
	struct pm_job **jobs;         /**< unit i is in job i % count */
	uint64_t searched;            /**< bytes of the units before that */
	struct pm_scan_counts counts; /**< of these units */
	atomic_bool stop;             /**< the scan ends */
	bool failed;                  /**< because of `failure` */
	struct pm_error failure;      /**< the first one */
};

/**
 * Starts.
 *
 * @param order filled; release with pm_scan_queue_deinit(), also on failure
 * @param plan the plan
 * @param all_runs as in the structure
 * @param count most units on their way
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_scan_queue_init(struct pm_scan_queue *order, struct pm_plan *plan, bool all_runs,
                       size_t count, struct pm_error *error);

/**
 * Releases everything.
 * @param order no thread uses it any more
 */
void pm_scan_queue_deinit(struct pm_scan_queue *order);

/**
 * The unit whose hits come next, where there is one.
 * @param order the order, locked
 * @return the job
 */
static inline struct pm_job *pm_scan_queue_head(const struct pm_scan_queue *order)
{
	return order->jobs[order->head % order->count];
}

/**
 * Hands on what was found so far, when its turn comes: for what is too much to keep.
 *
 * @param order the order
 * @param job the job; where the one at the head has to be scanned anew and nobody is free for that,
 * becomes that one
 * @param batch emptied
 * @return 0: go on; 1: end this unit, and ask pm_scan_queue_again() whether to begin the job anew
 */
int pm_scan_queue_push(struct pm_scan_queue *order, struct pm_job **job,
                       struct pm_scan_batch *batch);

/**
 * Hands on the rest.
 *
 * @param order the order
 * @param job the job; not to be used any more on success
 * @param counts of the scanner, in this unit
 * @param batch emptied
 * @return 0: done with it; 1: as pm_scan_queue_push()
 */
int pm_scan_queue_finish(struct pm_scan_queue *order, struct pm_job *job,
                         const struct pm_scan_counts *counts, struct pm_scan_batch *batch);

/** What pm_scan_queue_pop() came to. */
enum pm_taken {
	PM_TAKEN_BATCH,   /**< `batch` holds what was found in `job`, of which there may be more */
	PM_TAKEN_LAST,    /**< the same, and it is all: pm_scan_queue_retire() comes next */
	PM_TAKEN_NOTHING, /**< nothing was ready for a while */
	PM_TAKEN_END,     /**< there is nothing any more, or the scan was stopped */
};

/**
 * Waits for the hits that come next.
 *
 * @param order the order
 * @param job which unit
 * @param batch exchanged for them
 * @return what it came to
 */
enum pm_taken pm_scan_queue_pop(struct pm_scan_queue *order, struct pm_job **job,
                                struct pm_scan_batch *batch);

/**
 * Done with the unit whose hits were taken.
 * @param order the order
 */
void pm_scan_queue_retire(struct pm_scan_queue *order);

/**
 * Has a unit scanned anew, because a hit of the one before reaches into a hit of this one.
 *
 * @param order the order
 * @param job the job
 * @param from addresses from which on hits count
 */
void pm_scan_queue_restart(struct pm_scan_queue *order, struct pm_job *job,
                           const uint64_t from[PM_STREAMS]);

/**
 * Whether a worker shall begin its unit anew; then it is ready for that.
 * @param order the order
 * @param job the job
 */
bool pm_scan_queue_again(struct pm_scan_queue *order, struct pm_job *job);

/**
 * What is done so far.
 * @param order the order
 * @param totals all but the hits is filled; `unreadable` is there already
 */
void pm_scan_queue_totals(struct pm_scan_queue *order, struct pm_scan_totals *totals);

/**
 * Ends the scan.
 * @param order the order
 * @param error why, NULL: it is done
 */
void pm_scan_queue_stop(struct pm_scan_queue *order, const struct pm_error *error);

#endif
