/* SPDX-License-Identifier: MIT */
#include "trace/report.h"

#include "base/alloc.h"
#include "base/minmax.h"

uint64_t trace_report_untouched(const struct trace_report *report)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < report->result->count; i++) {
		const struct pm_trace_site *site = &report->result->sites[i];

		if (site->before && report->stacks[i].count == 0)
			sum += site->resident;
	}
	return sum;
}

const struct pm_trace_site *trace_report_last(const struct trace_report *report,
                                              const struct pm_trace_site *site)
{
	for (size_t i = 0; report->last && i < report->last->count; i++) {
		const struct pm_trace_site *other = &report->last->sites[i];

		if (other->stack == site->stack && other->before == site->before &&
		    (!report->per_thread || other->tid == site->tid))
			return other;
	}
	return NULL;
}

const char *trace_report_thread(const struct trace_report *report, pid_t tid)
{
	for (size_t i = 0; i < report->thread_count; i++) {
		if (report->threads[i].tid == tid && report->threads[i].name[0])
			return report->threads[i].name;
	}
	return NULL;
}

struct pm_stack *trace_report_stacks(const struct pm_trace_result *result,
                                     const struct pm_stacks *stacks)
{
	struct pm_stack *copies = alloc_array(NULL, pm_max_size(result->count, 1), sizeof *copies);

	for (size_t i = 0; i < result->count; i++)
		pm_stacks_get(stacks, result->sites[i].stack, &copies[i]);

	return copies;
}
