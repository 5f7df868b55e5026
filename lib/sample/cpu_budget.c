/* SPDX-License-Identifier: MIT */
#include "sample/cpu_budget.h"

#include <math.h>

#include "base/clock.h"

/* Unused budget can be saved up for so many seconds: a large look now and then is allowed, an
 * endless debt is not. */
static const double saved_seconds = 60;

static void book(struct pm_cpu_budget *credit, bool looked, uint64_t cpu, double now)
{
	double allowed = credit->budget * (now - credit->counted);
	double left = allowed - (double)(cpu - credit->cpu_counted) / 1e9;
	credit->seconds += looked || left > allowed / 2 ? left : allowed / 2;
	credit->counted = now;
	credit->cpu_counted = cpu;
	if (credit->seconds > credit->budget * saved_seconds)
		credit->seconds = credit->budget * saved_seconds;
}

void pm_cpu_budget_init(struct pm_cpu_budget *credit, double budget, double now)
{
	uint64_t cpu = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	*credit = (struct pm_cpu_budget){ .budget = budget,
		                          .opened = now,
		                          .counted = now,
		                          .cpu_opened = cpu,
		                          .cpu_last = cpu,
		                          .cpu_counted = cpu };
}

void pm_cpu_budget_count(struct pm_cpu_budget *credit, bool looked, double now)
{
	book(credit, looked, pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID), now);
}

bool pm_cpu_budget_is_used_up(const struct pm_cpu_budget *credit)
{
	return credit->budget > 0 && credit->seconds < 0;
}

void pm_cpu_budget_fill_cost(struct pm_cpu_budget *credit, bool looked, double now,
                             struct pm_sample_cost *cost)
{
	uint64_t cpu = pm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	double passed = now - credit->opened;
	cost->cpu_ns = cpu - credit->cpu_opened;
	cost->last_cpu_ns = cpu - credit->cpu_last;
	cost->share = passed > 0 ? (double)cost->cpu_ns / 1e9 / passed : 0;
	credit->cpu_last = cpu;

	/* What a look did not use is counted with the time until the next one. */
	if (looked)
		book(credit, true, cpu, now);
	cost->credit = credit->budget > 0 ? credit->seconds : HUGE_VAL;
}
