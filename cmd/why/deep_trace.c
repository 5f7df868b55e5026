/* SPDX-License-Identifier: MIT */
/*
 * Memory of a region that grows is touched or mapped by the code that makes it grow. If the finding
 * has no region, or the new memory is in new regions, all sites of the trace are compared.
 */
#include "why/deep_trace.h"

#include <procmem/maps.h>
#include <procmem/trace.h>

#include "base/interrupt.h"
#include "base/report.h"
#include "base/utf8.h"
#include "target/frames.h"

/** Returns the site with the most resident bytes whose stack is known; NULL if there is none. */
static const struct pm_site *largest_site(const struct pm_site_list *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		if (sites->sites[i].stack.count > 0 && sites->sites[i].resident > 0 &&
		    (!sites->sites[i].before || sites->sites[i].faults > 0))
			return &sites->sites[i];
	return NULL;
}

/** Lists the sites of a result. */
static int list_sites(struct why_deep_trace *found, const struct pm_trace *trace,
                      const struct pm_trace_result *result, struct pm_error *error)
{
	pm_site_list_deinit(&found->sites);
	if (pm_site_list_make(result, pm_trace_stacks(trace), &found->sites, error) < 0)
		return -1;
	found->site = largest_site(&found->sites);
	return 0;
}

/** Returns the addresses of a region, which can have grown since the finding was made. */
static struct pm_range range_now(struct pm_process *process,
                                 const struct pm_evidence_region *region)
{
	struct pm_range range = { region->start, region->end };
	struct pm_regions regions;

	pm_regions_init(&regions);
	if (pm_maps_read(process, PM_MAPS, &regions, NULL) == 0) {
		size_t at = pm_regions_index(&regions, range.start);

		if (at < regions.count && regions.items[at].start <= range.start &&
		    regions.items[at].end > range.end)
			range.end = regions.items[at].end;
	}
	pm_regions_deinit(&regions);
	return range;
}

/** Finds the code: in the region of the finding or, if there is none, in all memory. */
static int find_site(struct why_deep_trace *found, struct pm_process *process,
                     struct pm_trace *trace, const struct pm_finding *finding,
                     struct pm_error *error)
{
	struct pm_trace_result all = { 0 }, part = { 0 };

	if (pm_trace_measure(trace, &all, error) < 0)
		return -1;

	int result = 0;
	found->seconds = all.seconds;
	if (finding->region) {
		const struct pm_range range = range_now(process, finding->region);

		result = pm_trace_measure_ranges(trace, &range, 1, &part, error);
		if (result == 0)
			result = list_sites(found, trace, &part, error);
		pm_trace_result_deinit(&part);
	}
	if (result == 0 && !found->site)
		result = list_sites(found, trace, &all, error);
	pm_trace_result_deinit(&all);
	return result;
}

static int record(struct why_deep_trace *found, struct pm_process *process,
                  const struct pm_finding *finding, struct pm_error *error)
{
	const struct pm_trace_options options = { .backend = PM_TRACE_PERF,
		                                  .faults = true,
		                                  .cancel = interrupt_catch() };
	struct pm_trace *trace;
	enum pm_trace_end end;

	if (pm_trace_attach(process, &options, &trace, error) < 0)
		return -1;

	int result = pm_trace_run(trace, WHY_DEEP_TRACE_SECONDS, &end, error);
	if (result == 0 && end == PM_TRACE_EXITED)
		result = pm_error_set(error, PM_ERROR_GONE, 0, "the process has exited");
	if (result == 0)
		result = find_site(found, process, trace, finding, error);
	pm_trace_close(trace);
	return result;
}

void why_deep_trace_find(struct why_deep_trace *trace, struct pm_process *process,
                         const struct pm_finding *finding, bool quiet)
{
	struct text line = { 0 };

	if (!quiet)
		report_note("tracing process %d for %d s, without stopping it: which code maps and "
		            "touches memory",
		            (int)finding->pid, WHY_DEEP_TRACE_SECONDS);
	if (record(trace, process, finding, &trace->failure) < 0)
		return;
	if (!trace->site) {
		pm_error_set(&trace->failure, PM_ERROR_NOT_FOUND, 0,
		             "no code with a known stack made memory resident in %d s",
		             WHY_DEEP_TRACE_SECONDS);
		return;
	}

	frames_line(&trace->site->stack, false, &line);
	utf8_escape(&trace->code, line.bytes, line.length);
	text_terminate(&trace->code);
	text_deinit(&line);
}

void why_deep_trace_deinit(struct why_deep_trace *trace)
{
	pm_site_list_deinit(&trace->sites);
	text_deinit(&trace->code);
}
