/* SPDX-License-Identifier: MIT */
#include "target/limit_counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Maximum number of limits. A process that is often moved to another cgroup has other limits each
 * time. */
enum { COUNTERS_MAX = 256 };

static struct limit_counter *find(const struct limit_counters *counters,
                                  const struct pm_limit *limit)
{
	for (size_t i = 0; i < counters->count; i++) {
		struct limit_counter *counter = &counters->items[i];
		if (counter->kind == limit->kind && strcmp(counter->source, limit->source) == 0)
			return counter;
	}

	return NULL;
}

/** Returns the counter of a limit, which is added if necessary; NULL if there are too many. */
static struct limit_counter *find_or_add(struct limit_counters *counters,
                                         const struct pm_limit *limit)
{
	struct limit_counter *counter = find(counters, limit);
	if (counter || counters->count >= COUNTERS_MAX)
		return counter;

	counters->items = alloc_array(counters->items, counters->count + 1,
	                              sizeof *counters->items);
	counter = &counters->items[counters->count++];
	*counter = (struct limit_counter){ .kind = limit->kind,
		                           .source = alloc_string(limit->source) };

	return counter;
}

int limit_counters_add(struct limit_counters *counters, double time,
                       const struct pm_headroom *headroom, struct pm_error *error)
{
	for (size_t i = 0; i < headroom->count; i++) {
		const struct pm_limit *limit = &headroom->limits[i];
		struct limit_counter *counter = NULL;
		uint64_t used = 0;

		if (!limit->used_unknown)
			counter = find_or_add(counters, limit);

		if (limit->used > limit->reclaimable)
			used = limit->used - limit->reclaimable;
		if (counter && pm_series_add(&counter->series, time, used, error) < 0)
			return -1;
	}

	return 0;
}

void limit_counters_deinit(struct limit_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		free(counters->items[i].source);
		pm_series_deinit(&counters->items[i].series);
	}

	free(counters->items);
	*counters = (struct limit_counters){ 0 };
}

const struct pm_series *limit_counters_find(const struct limit_counters *counters,
                                            const struct pm_limit *limit)
{
	const struct limit_counter *counter = find(counters, limit);
	return counter ? &counter->series : NULL;
}
