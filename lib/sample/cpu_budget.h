/* SPDX-License-Identifier: MIT */
/** @file Limits the CPU time that samples use to a budget. Private. */
#ifndef PM_SAMPLE_CPU_BUDGET_H
#define PM_SAMPLE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/sample.h>

/** A budget, and the CPU time that the calling process has used of it. */
struct pm_cpu_budget {
	double share;         /**< CPU time allowed, as a fraction of one core; 0 means unlimited */
	double opened;        /**< time of pm_cpu_budget_init(): CLOCK_BOOTTIME in seconds */
	uint64_t cpu_opened;  /**< CPU time of the calling process at the time `opened`, in
	                         nanoseconds */
	uint64_t cpu_last;    /**< CPU time of the calling process at the end of the last sample, in
	                         nanoseconds */
	uint64_t cpu_counted; /**< CPU time of the calling process at the last charge, in
	                         nanoseconds */
	double counted;       /**< time of the last charge: CLOCK_BOOTTIME in seconds */
	double seconds; /**< CPU time that may be used now, in seconds. While this is negative,
	                   regions are not measured */
};

/**
 * Starts counting CPU time.
 *
 * @param budget  filled
 * @param share   CPU time allowed, as a fraction of one core; 0 means unlimited
 * @param now     CLOCK_BOOTTIME in seconds
 */
void pm_cpu_budget_init(struct pm_cpu_budget *budget, double share, double now);

/**
 * Charges the CPU time used since the last charge: adds the budget for the time elapsed since then,
 * and subtracts that CPU time. If the regions were not measured, at most half of the added budget
 * is subtracted. So the budget is filled again, and the regions are measured from time to time,
 * even if reading the totals alone costs more than the budget.
 *
 * @param budget    the budget
 * @param measured  true if the regions were measured since the last charge
 * @param now       CLOCK_BOOTTIME in seconds
 */
void pm_cpu_budget_count(struct pm_cpu_budget *budget, bool measured, double now);

/**
 * Checks whether the budget is used up. Regions are then not measured until it is filled again.
 * @param budget the budget
 * @return true if the budget is used up; false if there is CPU time left, or if the budget is
 *         unlimited
 */
bool pm_cpu_budget_is_used_up(const struct pm_cpu_budget *budget);

/**
 * Fills all fields of the cost of sampling, except `lock_ns`. If the regions were measured for this
 * sample, charges its CPU time.
 *
 * @param budget    the budget
 * @param measured  true if the regions were measured for this sample
 * @param now       CLOCK_BOOTTIME in seconds
 * @param cost      filled
 */
void pm_cpu_budget_fill_cost(struct pm_cpu_budget *budget, bool measured, double now,
                             struct pm_sample_cost *cost);

#endif
