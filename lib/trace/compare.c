/* SPDX-License-Identifier: MIT */
/* Compares the list of mapped memory of a trace with /proc/PID/maps, and corrects the list. */
#include "trace/compare.h"

#include <time.h>

#include <procmem/maps.h>

#include "base/clock.h"
#include "trace/snapshot.h"

/* Comparisons: a call that takes long is in the list, but not in the regions yet. */
enum { COMPARE_TRIES = 3 };

/* Nanoseconds within which the list and the regions may differ because of calls. */
enum { SETTLE_NS = 20 * 1000 * 1000 };

/**
 * Compares the list with the regions. Both are not of the same moment: what calls have changed
 * within SETTLE_NS before, or since, is left out.
 */
static int compare_once(struct pm_trace *trace, bool correct, struct pm_trace_intervals *suspects,
                        struct pm_trace_difference *difference, struct pm_error *error)
{
	struct pm_trace_space *space = &trace->space;
	struct pm_regions regions;
	uint64_t settled = pm_clock_ns(CLOCK_MONOTONIC) + SETTLE_NS;

	pm_trace_intervals_clear(space->changed);
	space->changed_since = pm_clock_ns(CLOCK_MONOTONIC);
	while (pm_clock_ns(CLOCK_MONOTONIC) < settled && !trace->exited)
		if (pm_trace_record(trace, settled, error) < 0)
			return -1;

	pm_regions_init(&regions);
	int result = pm_maps_read(pm_trace_process(trace), PM_MAPS, &regions, error);
	if (result == 0)
		result = pm_trace_drain(trace, error);
	if (result == 0)
		result = pm_trace_snapshot_compare(space, &regions, correct, suspects, difference,
		                                   error);

	pm_regions_deinit(&regions);
	return result;
}

int pm_trace_compare(struct pm_trace *trace, struct pm_error *error)
{
	const struct pm_range all = { 0, PM_TRACE_ADDRESS_END };
	struct pm_trace_intervals *suspects;
	uint64_t lost = trace->lost;
	uint64_t bytes = 1;

	if (pm_trace_intervals_open(&suspects, error) < 0)
		return -1;

	int result = pm_trace_intervals_set(suspects, all, (struct pm_trace_owner){ 0 }, error);
	for (int i = 0; result == 0 && bytes > 0 && i < COMPARE_TRIES; i++) {
		struct pm_trace_difference difference = { 0, 0 };
		/* What differs only in some comparisons was changed by a call that took long. */
		result = compare_once(trace, i == COMPARE_TRIES - 1, suspects, &difference, error);
		bytes = difference.list + difference.regions;
	}

	pm_trace_intervals_close(suspects);
	trace->space.changed_since = UINT64_MAX;
	if (result == 0) {
		trace->difference += bytes;
		trace->corrected = lost;
	}
	return result;
}
