/* SPDX-License-Identifier: MIT */
#include "trace/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"

bool trace_report_is_untouched(const struct trace_report *report, size_t site)
{
	return report->result->sites[site].before && report->stacks[site].count == 0;
}

uint64_t trace_report_untouched(const struct trace_report *report)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < report->result->count; i++) {
		if (trace_report_is_untouched(report, i))
			sum += report->result->sites[i].resident;
	}
	return sum;
}

static int compare_stacks(const void *one, const void *other)
{
	const struct pm_trace_site *a = one, *b = other;

	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	return (int)a->before - (int)b->before;
}

/** Orders sites as compare_stacks() does; those of the same stack by thread. */
static int compare_threads(const void *one, const void *other)
{
	const struct pm_trace_site *a = one, *b = other;
	int order = compare_stacks(a, b);

	return order != 0 ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

void trace_report_sort(struct pm_trace_result *result)
{
	if (result->count > 0)
		qsort(result->sites, result->count, sizeof *result->sites, compare_threads);
}

const struct pm_trace_site *trace_report_last(const struct trace_report *report,
                                              const struct pm_trace_site *site)
{
	if (!report->last || report->last->count == 0)
		return NULL;

	return bsearch(site, report->last->sites, report->last->count, sizeof *site,
	               report->per_thread ? compare_threads : compare_stacks);
}

void trace_report_add_released(struct pm_trace_result *result, const struct trace_report *report)
{
	const struct pm_trace_result *last = report->last;
	size_t count = result->count;
	struct pm_trace_result now = { .count = count };

	now.sites = alloc_array(NULL, pm_max_size(count, 1), sizeof *now.sites);
	if (count > 0)
		memcpy(now.sites, result->sites, count * sizeof *now.sites);
	trace_report_sort(&now);

	const struct trace_report current = { .last = &now, .per_thread = report->per_thread };
	result->sites = alloc_array(result->sites, pm_max_size(count + last->count, 1),
	                            sizeof *result->sites);
	for (size_t i = 0; i < last->count; i++) {
		const struct pm_trace_site *site = &last->sites[i];

		if (site->resident == 0 || trace_report_last(&current, site))
			continue;
		result->sites[result->count++] = (struct pm_trace_site){ .stack = site->stack,
			                                                 .before = site->before,
			                                                 .tid = site->tid };
	}

	free(now.sites);
}

static int compare_thread(const void *tid, const void *thread)
{
	pid_t a = *(const pid_t *)tid, b = ((const struct pm_thread *)thread)->tid;

	return (a > b) - (a < b);
}

const char *trace_report_thread(const struct trace_report *report, pid_t tid)
{
	const struct pm_thread *found = NULL;

	if (report->thread_count > 0)
		found = bsearch(&tid, report->threads, report->thread_count, sizeof *found,
		                compare_thread);
	return found && found->name[0] ? found->name : NULL;
}

struct pm_stack *trace_report_stacks(const struct pm_trace_result *result,
                                     const struct pm_stacks *stacks)
{
	struct pm_stack *copies = alloc_array(NULL, pm_max_size(result->count, 1), sizeof *copies);

	for (size_t i = 0; i < result->count; i++)
		pm_stacks_get(stacks, result->sites[i].stack, &copies[i]);

	return copies;
}
