/* SPDX-License-Identifier: MIT */
/** @file The CPU time that samples cost, against a budget. Private. */
#ifndef PM_SAMPLE_CPU_BUDGET_H
#define PM_SAMPLE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/sample.h>

/** CPU time of the calling process against a budget. */
struct pm_cpu_budget {
	double share;         /**< CPU time allowed, as a share of one core; 0: unlimited */
	double opened;        /**< time of pm_cpu_budget_init(): CLOCK_BOOTTIME in seconds */
	uint64_t cpu_opened;  /**< CPU time of the process at that time, in nanoseconds */
	uint64_t cpu_last;    /**< CPU time at the end of the last sample */
	uint64_t cpu_counted; /**< CPU time up to the last charge */
	double counted;       /**< time of the last charge: CLOCK_BOOTTIME in seconds */
	double seconds;       /**< CPU time left; less than 0: measuring has to wait */
};

/**
 * Starts counting.
 *
 * @param budget  filled
 * @param share   CPU time allowed, as a share of one core; 0: unlimited
 * @param now     CLOCK_BOOTTIME in seconds
 */
void pm_cpu_budget_init(struct pm_cpu_budget *budget, double share, double now);

/**
 * Charges the CPU time used since the last charge against what the elapsed time allows. Reading
 * the totals, and what the caller does with them, is charged at most half of that: if it alone
 * costs the budget, measuring the regions becomes rare, but does not stop.
 *
 * @param budget    the budget
 * @param measured  the regions were measured since the last charge
 * @param now       CLOCK_BOOTTIME in seconds
 */
void pm_cpu_budget_count(struct pm_cpu_budget *budget, bool measured, double now);

/**
 * Checks whether measuring has to wait.
 * @param budget the budget
 * @return true if the budget is used up
 */
bool pm_cpu_budget_is_used_up(const struct pm_cpu_budget *budget);

/**
 * Fills the cost of samples so far, except `lock_ns`.
 *
 * @param budget    the budget
 * @param measured  the regions were measured for this sample
 * @param now       CLOCK_BOOTTIME in seconds
 * @param cost      filled
 */
void pm_cpu_budget_fill_cost(struct pm_cpu_budget *budget, bool measured, double now,
                             struct pm_sample_cost *cost);

#endif
