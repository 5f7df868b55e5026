/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A limit for the duration of a stop during which memory is read: after the limit, reading fails,
 * so that the command ends and the process runs again.
 */
#ifndef CMD_TARGET_STOP_LIMIT_H
#define CMD_TARGET_STOP_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/read_plan.h>
#include <procmem/reader.h>

/** A limit. Must not be moved while `limited` or `limited_pages` is in use. */
struct stop_limit {
	uint64_t max_ns;          /**< the duration that the user allows, in nanoseconds; 0: any */
	uint64_t begun_us;        /**< when the stop began, as clock_us() returns it */
	uint64_t spent_ns;        /**< duration of earlier stops in nanoseconds */
	bool ended;               /**< the stop has ended */
	struct pm_reader source;  /**< reads the memory */
	struct pm_reader limited; /**< reads from `source` until the limit is reached */
	const struct pm_page_source *pages;  /**< reads the page states */
	struct pm_page_source limited_pages; /**< reads from `pages` until the limit is reached */
};

/**
 * Compares the predicted duration of a stop with the duration that the user allows.
 *
 * @param pid           ID of the process, for the message
 * @param predicted_ns  predicted duration in nanoseconds; 0 if it is not known
 * @param max_ns        the duration that the user allows, in nanoseconds; 0: any
 * @param error         PM_ERROR_RESOURCES, with what helps
 * @return              0, or -1 if the process must not be stopped
 */
int stop_limit_check_prediction(pid_t pid, uint64_t predicted_ns, uint64_t max_ns,
                                struct pm_error *error);

/**
 * Sets the error of a stop that was ended because it took more than twice the allowed time.
 *
 * @param spent_ns  duration of the stop in nanoseconds, with that of earlier stops
 * @param max_ns    the duration that the user allows, in nanoseconds
 * @param error     PM_ERROR_RESOURCES, with what helps
 * @return          -1
 */
int stop_limit_set_ended(uint64_t spent_ns, uint64_t max_ns, struct pm_error *error);

/**
 * Starts the time of a stop.
 *
 * @param limit  with `max_ns` and `spent_ns`
 */
void stop_limit_begin(struct stop_limit *limit);

/**
 * Ends the limit, because the stop has ended: reading does not fail any more.
 * @param limit  the limit
 */
void stop_limit_end(struct stop_limit *limit);

/**
 * Makes the reader `limited`. If more than twice the allowed time has passed, it fails with
 * PM_ERROR_RESOURCES. Several threads may use it at the same time if that is true of `source`.
 *
 * @param limit   begun
 * @param source  reads the memory; must stay open while `limited` is in use
 * @return        `limited`, or `source` if any time is allowed
 */
struct pm_reader *stop_limit_reader(struct stop_limit *limit, struct pm_reader *source);

/**
 * Makes the source `limited_pages`. It tests the limit as `limited` does, before each
 * PM_PAGE_STEP bytes.
 *
 * @param limit   begun
 * @param source  reads the page states; must outlive `limited_pages`
 * @return        `limited_pages`, or `source` if any time is allowed
 */
const struct pm_page_source *stop_limit_pages(struct stop_limit *limit,
                                              const struct pm_page_source *source);

#endif
