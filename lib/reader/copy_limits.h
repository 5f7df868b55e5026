/* SPDX-License-Identifier: MIT */
/** @file Limits of a copy of a process: its memory, and the duration of the stop. Private. */
#ifndef PM_READER_COPY_LIMITS_H
#define PM_READER_COPY_LIMITS_H

#include <procmem/copy.h>

/**
 * Sets `predicted_ns`, from `planned` and `threads`.
 * @param walk_ns  measured duration of reading all page states, in nanoseconds
 */
void pm_copy_limits_predict(struct pm_copy_info *info, uint64_t walk_ns);

/** Returns the maximum size in bytes of the vector registers that are copied of all threads. */
uint64_t pm_copy_limits_vectors(const struct pm_copy_options *options);

/**
 * Compares the memory that the planned copy and its index need with the limit of the caller.
 *
 * @param error  PM_ERROR_RESOURCES
 * @return       0, or -1 if more memory is needed than is allowed
 */
int pm_copy_limits_check_plan(const struct pm_copy_info *info,
                              const struct pm_copy_options *options, struct pm_error *error);

/**
 * Compares the predicted duration of a stop with the limit of the caller.
 *
 * @param pid    process ID, for the message
 * @param error  PM_ERROR_RESOURCES
 * @return       0, or -1 if the stop would be too long
 */
int pm_copy_limits_check_prediction(const struct pm_copy_info *info,
                                    const struct pm_copy_options *options, pid_t pid,
                                    struct pm_error *error);

/**
 * Tests whether a stop takes more than twice the time that the caller allows.
 *
 * @param begun  time at which the stop began, in nanoseconds of CLOCK_MONOTONIC
 * @param error  PM_ERROR_RESOURCES
 * @return       0, or -1 if the stop must be ended
 */
int pm_copy_limits_check_duration(const struct pm_copy_options *options, uint64_t begun,
                                  struct pm_error *error);

/**
 * Tests whether a copy becomes larger than the caller allows, because the process has grown.
 *
 * @param next   number of bytes that are to be copied next
 * @param error  PM_ERROR_RESOURCES
 * @return       0, or -1 if they must not be copied
 */
int pm_copy_limits_check_size(const struct pm_copy_info *info,
                              const struct pm_copy_options *options, uint64_t next,
                              struct pm_error *error);

#endif
