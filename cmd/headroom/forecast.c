/* SPDX-License-Identifier: MIT */
#include "headroom/forecast.h"

static struct headroom_time time_of(const struct pm_trend *trend, const struct pm_limit *limit)
{
	struct headroom_time time = { .estimate = trend->estimate || limit->approximate,
		                      .rate = pm_trend_growth_rate(trend) };

	if (!limit->exempt)
		time.known = pm_trend_lasts(trend, pm_limit_left(limit), &time.seconds);

	return time;
}

/**
 * Returns the values of what a limit counts over time.
 * @return the series; NULL if the usage was not measured
 */
static const struct pm_series *series_of(const struct headroom_rates *rates,
                                         const struct pm_limit *limit)
{
	const struct pm_series *series = limit_counters_find(&rates->counters, limit);

	/* A recording has the size of the address space even if there was no limit then. */
	if (!series && limit->kind == PM_LIMIT_ADDRESS_SPACE && rates->size.count > 0)
		return &rates->size;

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
 * @param rates  the rates
 * @param size   sizes of address space
 * @param limit  the limit
 * @return       the time; not known if the rate of memory is not known
 */
static struct headroom_time estimate_address_space(const struct headroom_rates *rates,
                                                   const struct pm_series *size,
                                                   const struct pm_limit *limit)
{
	const struct pm_series *memory = &rates->memory;
	struct headroom_time time = { .estimate = true,
		                      .rate = pm_trend_growth_rate(&rates->trend) };
	if (memory->count == 0)
		return time;

	uint64_t left = pm_limit_left(limit), filled = memory->points[memory->count - 1].value;
	bool grew = size->points[size->count - 1].value > size->points[0].value;
	if (!grew && limit->max > filled && limit->max - filled > left)
		left = limit->max - filled;
	time.known = pm_trend_lasts(&rates->trend, left, &time.seconds);

	return time;
}

void headroom_forecast_make(const struct headroom_rates *rates, const struct pm_limit *limit,
                            struct headroom_forecast *forecast)
{
	const struct pm_series *series = series_of(rates, limit);

	*forecast = (struct headroom_forecast){ .measured = series != NULL };
	if (series) {
		pm_trend_judge(series, limit->counts ? PM_TREND_COUNT : PM_TREND_BYTES,
		               &forecast->trend);
		forecast->time = time_of(&forecast->trend, limit);
	}

	if (limit->kind == PM_LIMIT_SYSTEM)
		forecast->by_process = time_of(&rates->trend, limit);
	else if (limit->kind == PM_LIMIT_ADDRESS_SPACE && series && !forecast->time.known)
		forecast->by_process = estimate_address_space(rates, series, limit);
}

struct headroom_time headroom_forecast_time(const struct headroom_forecast *forecast)
{
	struct headroom_time time = forecast->time;

	if (!time.known) {
		time = forecast->by_process;
		time.estimate = true;
	}

	return time;
}
