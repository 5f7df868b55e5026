/* SPDX-License-Identifier: MIT */
#include "target/forecast.h"

#include <procmem/minmax.h>

#include "base/convert.h"

static struct forecast_time time_of(const struct pm_trend *trend, const struct pm_limit *limit)
{
	struct forecast_time time = { .estimate = trend->estimate || limit->approximate,
		                      .rate = pm_trend_growth_rate(trend) };

	if (!limit->exempt)
		time.known = pm_trend_lasts(trend, pm_limit_left(limit), &time.seconds);

	return time;
}

/**
 * Returns the values of what a limit counts over time.
 * @return the series; NULL if the usage was not measured
 */
static const struct pm_series *series_of(const struct forecast_source *source,
                                         const struct pm_limit *limit)
{
	const struct pm_series *series = limit_counters_find(source->counters, limit);

	/* The size of the address space is known also for the time when there was no limit. */
	if (limit->kind == PM_LIMIT_ADDRESS_SPACE && source->size->count > 0 &&
	    (!series || series->samples < source->size->samples))
		return source->size;

	return series;
}

/**
 * Estimates when the limit of address space is reached from the growth of the memory of the
 * process. Used if address space grows in large steps, of which none or too few were seen.
 *
 * If address space grew, it is assumed to continue to grow as fast as memory. If it did not, memory
 * grows in address space that was reserved before, and the limit is reached at the latest when all
 * address space is filled with memory.
 *
 * @param source  what was measured
 * @param size    sizes of address space
 * @param limit   the limit
 * @return        the time; not known if the rate of memory is not known
 */
static struct forecast_time estimate_address_space(const struct forecast_source *source,
                                                   const struct pm_series *size,
                                                   const struct pm_limit *limit)
{
	const struct pm_series *memory = source->memory;
	const struct pm_trend *trend = source->memory_trend;
	struct forecast_time time = { .estimate = true, .rate = pm_trend_growth_rate(trend) };

	if (memory->count == 0)
		return time;

	uint64_t left = pm_limit_left(limit), filled = memory->points[memory->count - 1].value;
	bool grew = size->points[size->count - 1].value > size->points[0].value;
	if (!grew && limit->max > filled && limit->max - filled > left)
		left = limit->max - filled;
	time.known = pm_trend_lasts(trend, left, &time.seconds);

	return time;
}

static bool limits_threads(const struct pm_limit *limit)
{
	return limit->kind == PM_LIMIT_PIDS || limit->kind == PM_LIMIT_USER_THREADS ||
	       limit->kind == PM_LIMIT_THREADS || limit->kind == PM_LIMIT_PID_MAX;
}

/** Returns whether the usage of a limit is that of several processes together. */
static bool is_shared(const struct pm_limit *limit)
{
	return limit->kind == PM_LIMIT_CGROUP || limit->kind == PM_LIMIT_CGROUP_WORKING_SET ||
	       limit->kind == PM_LIMIT_CGROUP_HIGH || limits_threads(limit);
}

/**
 * Returns whether usage moves enough to contain growth: its highest and its lowest value differ by
 * half of the growth at least. Processes that free memory in turn can hide growth, but the usage
 * then rises and falls by as much.
 */
static bool can_contain(const struct pm_series *series, const struct pm_trend *growth)
{
	const struct pm_point *points = series->points;
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < series->count; i++) {
		low = pm_min(low, points[i].value);
		high = pm_max(high, points[i].value);
	}

	double began = growth->began > points[0].time ? growth->began : points[0].time;
	double seconds = series->last - began;
	return (double)(high - low) >= pm_trend_growth_rate(growth) * seconds / 2;
}

/**
 * Returns whether the usage of a limit may hide growth of the process, because other processes use
 * more and less of the limit in turn. If the usage stays the same, falls, or rises by much less
 * than the process, the process does not use up the limit, for example because its memory is
 * charged to another cgroup.
 *
 * @param source    what was measured
 * @param limit     the limit
 * @param forecast  the forecast of the limit, with the trend of its usage
 * @param growth    the trend of the process
 */
static bool may_hide_growth(const struct forecast_source *source, const struct pm_limit *limit,
                            const struct forecast *forecast, const struct pm_trend *growth)
{
	const struct pm_series *series = series_of(source, limit);
	const struct pm_trend *trend = &forecast->trend;

	if (!forecast->measured)
		return true;
	if (!limit->counts && series && series->count > 0 && !can_contain(series, growth))
		return false;

	switch (trend->verdict) {
	case PM_VERDICT_NO_GROWTH:
	case PM_VERDICT_SHRINKING:
		return false;
	case PM_VERDICT_PLATEAU:
		return trend->sawtooth;
	default:
		return true;
	}
}

/**
 * Returns whether a limit is used up by other processes only, and not soon. When programs of the
 * machine start, the number of its threads looks like steady growth for a short time.
 */
static bool is_foreign(const struct forecast_source *source, const struct pm_limit *limit)
{
	bool outside = limit->kind == PM_LIMIT_USER_THREADS || limit->kind == PM_LIMIT_THREADS ||
	               limit->kind == PM_LIMIT_PID_MAX;
	bool near = limit->used / 9 >= limit->max / 10;

	return outside && !near && pm_trend_growth_rate(source->threads_trend) <= 0;
}

/** Returns whether memory that rises and falls can reach a limit while a region in it grows. */
static bool can_peaks_reach(const struct forecast_source *source, const struct pm_limit *limit,
                            const struct forecast *forecast)
{
	switch (limit->kind) {
	case PM_LIMIT_SYSTEM:
		return true;
	case PM_LIMIT_CGROUP:
	case PM_LIMIT_CGROUP_WORKING_SET:
	case PM_LIMIT_CGROUP_HIGH:
		return may_hide_growth(source, limit, forecast, source->beneath_trend);
	case PM_LIMIT_ADDRESS_SPACE:
	case PM_LIMIT_DATA:
		return forecast->measured && forecast->trend.sawtooth;
	default:
		return false;
	}
}

/**
 * Returns the bytes between a limit and the highest usage that was seen. The usage can have fallen
 * since the last measurement, so the peak is not computed from the usage now.
 */
static uint64_t left_above_peak(const struct forecast_source *source, const struct pm_limit *limit,
                                const struct forecast *forecast)
{
	const struct pm_series *series = series_of(source, limit);
	uint64_t left = pm_limit_left(limit), peak;

	if (!series || series->count == 0) {
		peak = convert_uint64(source->memory_trend->below_peak);
		return left > peak ? left - peak : 0;
	}

	uint64_t last = series->points[series->count - 1].value;
	peak = convert_uint64((double)last + forecast->trend.below_peak);
	if (peak >= limit->max)
		return 0;

	return pm_min(left, limit->max - peak);
}

void forecast_set_beneath(const struct forecast_source *source, const struct pm_limit *limit,
                          struct forecast *forecast)
{
	double rate = 0;

	forecast->beneath = (struct forecast_time){ 0 };
	if (source->beneath_trend)
		rate = pm_trend_growth_rate(source->beneath_trend);

	if (rate <= 0 || limit->exempt || forecast->time.known || forecast->by_process.known ||
	    !can_peaks_reach(source, limit, forecast))
		return;

	double above = (double)left_above_peak(source, limit, forecast);
	forecast->beneath = (struct forecast_time){ .known = true,
		                                    .estimate = true,
		                                    .beneath = true,
		                                    .seconds = above / rate,
		                                    .rate = rate };
}

const struct pm_trend *forecast_process_trend(const struct forecast_source *source,
                                              const struct pm_limit *limit)
{
	if (limits_threads(limit))
		return source->threads_trend;
	if (source->charged_trend && is_shared(limit))
		return source->charged_trend;

	return source->kept_trend ? source->kept_trend : source->memory_trend;
}

/**
 * Estimates when a limit whose used part contains garbage is reached. Only collections show what
 * the program keeps: the lowest values of the cycles of rise and fall. Only the old space of V8
 * falls at each collection of all that it contains. A Java heap falls at collections of its young
 * part, too, which leave garbage; Go seldom gives memory back.
 *
 * @return the time; not known if the usage did not fall at least twice
 */
static struct forecast_time time_with_garbage(const struct pm_series *series,
                                              const struct pm_limit *limit)
{
	struct forecast_time time = { .estimate = true };
	struct pm_trend trend;

	if (!series || limit->kind != PM_LIMIT_V8_OLD_SPACE)
		return time;

	pm_trend_judge(series, PM_TREND_BYTES, &trend);
	if (!trend.floor_known || trend.floor_rise <= 0 || trend.rate <= 0)
		return time;

	double left = (double)limit->max - trend.floor;
	time.known = left > 0;
	time.rate = trend.rate;
	time.seconds = left / trend.rate;
	return time;
}

void forecast_make(const struct forecast_source *source, const struct pm_limit *limit,
                   struct forecast *forecast)
{
	const struct pm_series *series = series_of(source, limit);

	/* The rate of garbage says nothing about what the program keeps. */
	*forecast = (struct forecast){ 0 };
	if (pm_limit_has_garbage(limit->kind)) {
		forecast->time = time_with_garbage(series, limit);
		return;
	}

	*forecast = (struct forecast){ .measured = series != NULL,
		                       .foreign = is_foreign(source, limit) };
	if (series) {
		pm_trend_judge(series, limit->counts ? PM_TREND_COUNT : PM_TREND_BYTES,
		               &forecast->trend);
		forecast->time = time_of(&forecast->trend, limit);
	}

	bool unknown = !forecast->time.known;
	const struct pm_trend *process = forecast_process_trend(source, limit);
	if (limit->kind == PM_LIMIT_SYSTEM ||
	    (is_shared(limit) && unknown && may_hide_growth(source, limit, forecast, process)))
		forecast->by_process = time_of(process, limit);
	else if (limit->kind == PM_LIMIT_ADDRESS_SPACE && series && unknown)
		forecast->by_process = estimate_address_space(source, series, limit);

	forecast_set_beneath(source, limit, forecast);
}

struct forecast_time forecast_time(const struct forecast *forecast)
{
	struct forecast_time time = forecast->time;

	if (time.known)
		return time;
	if (forecast->beneath.known)
		return forecast->beneath;

	time = forecast->by_process;
	time.by_process = time.known;
	time.estimate = true;
	return time;
}
