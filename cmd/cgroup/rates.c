/* SPDX-License-Identifier: MIT */
#include "cgroup/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/minmax.h"

/** Fills the limits of a level. Names of files are those of its version of cgroups. */
static void fill_limits(struct cgroup_level_rates *rates, const struct pm_cgroup_level *level)
{
	const uint64_t *parts = level->split.parts;
	const char *slash = strcmp(level->path, "/") == 0 ? "" : "/";
	const struct {
		enum pm_limit_kind kind;
		uint64_t max;
		const char *name;
	} limits[CGROUP_LIMITS_MAX] = {
		{ PM_LIMIT_CGROUP, level->max,
		  level->version == 2 ? "memory.max" : "memory.limit_in_bytes" },
		{ PM_LIMIT_CGROUP_HIGH, level->high, "memory.high" },
	};

	rates->limit_count = 0;
	for (size_t i = 0; i < CGROUP_LIMITS_MAX; i++) {
		if (limits[i].max == UINT64_MAX || level->current == UINT64_MAX)
			continue;

		struct pm_limit *limit = &rates->limits[rates->limit_count++].limit;
		*limit = (struct pm_limit){ .kind = limits[i].kind,
			                    .max = limits[i].max,
			                    .used = level->current };
		limit->reclaimable = parts[PM_CGROUP_FILE_INACTIVE] + parts[PM_CGROUP_FILE_ACTIVE];
		snprintf(limit->source, sizeof limit->source, "%s%s%s", level->path, slash,
		         limits[i].name);
	}
}

/** Makes an entry for each level of the first sample. */
static void start(struct cgroup_rates *rates, const struct pm_cgroup_levels *levels)
{
	rates->count = levels->count;
	rates->items = alloc_array(NULL, levels->count, sizeof *rates->items);

	for (size_t i = 0; i < levels->count; i++)
		rates->items[i] = (struct cgroup_level_rates){ .folder = alloc_string(
								       levels->items[i].folder) };
}

/** Adds a sample of a counter. */
static void add_count(struct cgroup_counter *counter, double time, uint64_t value)
{
	if (counter->samples++ == 0) {
		counter->first = value;
		counter->first_time = time;
	}
	counter->last = value;
	counter->last_time = time;
}

double cgroup_rates_of_counter(const struct cgroup_counter *counter)
{
	double seconds = counter->last_time - counter->first_time;

	if (seconds <= 0 || counter->last < counter->first)
		return 0;
	return (double)(counter->last - counter->first) / seconds;
}

static int add_level(struct cgroup_rates *rates, size_t index, double time,
                     const struct pm_cgroup_level *level, struct pm_error *error)
{
	struct cgroup_level_rates *item = &rates->items[index];
	struct pm_headroom limits = { 0 };

	for (int part = 0; part < PM_CGROUP_PARTS; part++)
		if (pm_series_add(&item->parts[part], time, level->split.parts[part], error) < 0)
			return -1;
	if (level->current != UINT64_MAX &&
	    pm_series_add(&item->usage, time, level->current, error) < 0)
		return -1;

	if (level->events.known)
		add_count(&item->hits, time, level->events.max);
	if (level->refaults != UINT64_MAX)
		add_count(&item->refaults, time, level->refaults);

	fill_limits(item, level);
	for (size_t i = 0; i < item->limit_count; i++)
		limits.limits[limits.count++] = item->limits[i].limit;
	return limit_counters_add(&rates->counters, time, &limits, error);
}

int cgroup_rates_add(struct cgroup_rates *rates, double time, const struct pm_cgroup_levels *levels,
                     struct pm_error *error)
{
	if (!rates->items)
		start(rates, levels);

	rates->known = true;
	for (size_t i = 0; i < levels->count && i < rates->count; i++)
		if (strcmp(rates->items[i].folder, levels->items[i].folder) == 0 &&
		    add_level(rates, i, time, &levels->items[i], error) < 0)
			return -1;

	return 0;
}

void cgroup_rates_judge(struct cgroup_rates *rates, const struct pm_cgroup_levels *levels)
{
	static const struct pm_trend none = { 0 };
	static const struct pm_series empty = { 0 };
	const struct forecast_source source = { .counters = &rates->counters,
		                                .memory = &empty,
		                                .size = &empty,
		                                .memory_trend = &none,
		                                .threads_trend = &none };

	if (!rates->items)
		start(rates, levels);

	for (size_t i = 0; i < levels->count && i < rates->count; i++) {
		struct cgroup_level_rates *item = &rates->items[i];

		for (int part = 0; rates->known && part < PM_CGROUP_PARTS; part++)
			pm_trend_judge(&item->parts[part], PM_TREND_BYTES, &item->trends[part]);
		if (item->usage.count > 0)
			pm_trend_judge(&item->usage, PM_TREND_BYTES, &item->usage_trend);

		fill_limits(item, &levels->items[i]);
		for (size_t j = 0; j < item->limit_count; j++)
			forecast_make(&source, &item->limits[j].limit, &item->limits[j].forecast);
	}
}

/** Returns whether a limit is reached before another one. */
static bool is_sooner(const struct cgroup_limit *one, const struct cgroup_limit *other)
{
	struct forecast_time a = forecast_time(&one->forecast);
	struct forecast_time b = forecast_time(&other->forecast);

	if (a.known != b.known)
		return a.known;
	if (a.known)
		return a.seconds < b.seconds;
	return pm_limit_left(&one->limit) < pm_limit_left(&other->limit);
}

const struct cgroup_limit *cgroup_rates_first(const struct cgroup_level_rates *rates)
{
	const struct cgroup_limit *first = NULL;

	for (size_t i = 0; i < rates->limit_count; i++)
		if (!first || is_sooner(&rates->limits[i], first))
			first = &rates->limits[i];

	return first;
}

double cgroup_rates_growing(const struct cgroup_level_rates *rates, enum pm_cgroup_part *part)
{
	double largest = 0;

	for (int i = 0; i < PM_CGROUP_PARTS; i++) {
		double rate = pm_trend_growth_rate(&rates->trends[i]);
		if (rate <= largest)
			continue;
		largest = rate;
		*part = (enum pm_cgroup_part)i;
	}

	return largest;
}

void cgroup_rates_deinit(struct cgroup_rates *rates)
{
	for (size_t i = 0; i < rates->count; i++) {
		free(rates->items[i].folder);
		pm_series_deinit(&rates->items[i].usage);
		for (int part = 0; part < PM_CGROUP_PARTS; part++)
			pm_series_deinit(&rates->items[i].parts[part]);
	}

	free(rates->items);
	limit_counters_deinit(&rates->counters);
	*rates = (struct cgroup_rates){ 0 };
}
