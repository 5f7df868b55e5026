/* SPDX-License-Identifier: MIT */
/** @file What looking costs, and how much of that a budget allows. Private. */
#ifndef PM_SAMPLE_CPU_BUDGET_H
#define PM_SAMPLE_CPU_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/sample.h>

/** CPU time of the calling process against a budget. */
struct pm_cpu_budget {
	double budget;        /**< share of one core; 0: any */
	double opened;        /**< CLOCK_BOOTTIME in seconds */
	uint64_t cpu_opened;  /**< CPU time of the process then, in nanoseconds */
	uint64_t cpu_last;    /**< CPU time at the end of the last sample */
	uint64_t cpu_counted; /**< CPU time that is booked */
	double counted;       /**< when it was booked last */
	double seconds;       /**< CPU time that may be used; below 0 it must wait */
};

/**
 * Begins to count.
 * @param credit filled
 * @param budget share of one core; 0: any
 * @param now CLOCK_BOOTTIME in seconds
 */
void pm_cpu_budget_init(struct pm_cpu_budget *credit, double budget, double now);

/**
 * Books the CPU time used since the last call against what the passed time allows. Reading the
 * totals, and what the caller does with them, uses up half of that at the most: looks at the
 * regions become rare where that alone costs the budget, but they do not end.
 *
 * @param credit  the credit
 * @param looked  the regions were looked at since
 * @param now     CLOCK_BOOTTIME in seconds
 */
void pm_cpu_budget_count(struct pm_cpu_budget *credit, bool looked, double now);

/**
 * Whether a look has to wait.
 * @param credit the credit
 * @return true or false
 */
bool pm_cpu_budget_is_used_up(const struct pm_cpu_budget *credit);

/**
 * Fills what samples cost so far, but for `lock_ns`.
 *
 * @param credit  the credit
 * @param looked  the regions were looked at
 * @param now     CLOCK_BOOTTIME in seconds
 * @param cost    where to store it
 */
void pm_cpu_budget_fill_cost(struct pm_cpu_budget *credit, bool looked, double now,
                             struct pm_sample_cost *cost);

#endif
