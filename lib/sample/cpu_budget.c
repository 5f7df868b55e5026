/* SPDX-License-Identifier: MIT */
#include "sample/cpu_budget.h"

#include <math.h>

#include "base/clock.h"

/*
 * Maximum time for which unused budget accumulates, in seconds. The accumulated budget allows an
 * expensive measurement from time to time. The maximum limits how expensive that measurement can
 * be.
 */
static const double saved_seconds = 60;

static void charge(struct pm_cpu_budget *budget, bool measured, uint64_t cpu, double now)
{
	double allowed = budget->share * (now - budget->counted);
	double left = allowed - (double)(cpu - budget->cpu_counted) / 1e9;

	if (!measured && left < allowed / 2)
		left = allowed / 2;

	budget->seconds += left;
	if (budget->seconds > budget->share * saved_seconds)
		budget->seconds = budget->share * saved_seconds;

	budget->counted = now;
	budget->cpu_counted = cpu;
}

void pm_cpu_budget_init(struct pm_cpu_budget *budget, double share, double now)
{
	uint64_t cpu = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	*budget = (struct pm_cpu_budget){ .share = share,
		                          .opened = now,
		                          .counted = now,
		                          .cpu_opened = cpu,
		                          .cpu_last = cpu,
		                          .cpu_counted = cpu };
}

void pm_cpu_budget_count(struct pm_cpu_budget *budget, bool measured, double now)
{
	charge(budget, measured, pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID), now);
}

bool pm_cpu_budget_is_used_up(const struct pm_cpu_budget *budget)
{
	return budget->share > 0 && budget->seconds < 0;
}

void pm_cpu_budget_fill_cost(struct pm_cpu_budget *budget, bool measured, double now,
                             struct pm_sample_cost *cost)
{
	uint64_t cpu = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	double elapsed = now - budget->opened;

	cost->cpu_ns = cpu - budget->cpu_opened;
	cost->last_cpu_ns = cpu - budget->cpu_last;
	cost->share = 0;
	if (elapsed > 0)
		cost->share = (double)cost->cpu_ns / 1e9 / elapsed;
	budget->cpu_last = cpu;

	/*
	 * If this sample did not measure regions, its CPU time is charged at the next sample, by
	 * pm_cpu_budget_count().
	 */
	if (measured)
		charge(budget, true, cpu, now);
	cost->credit = budget->share > 0 ? budget->seconds : HUGE_VAL;
}
