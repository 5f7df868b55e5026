/* SPDX-License-Identifier: MIT */
#include "headroom/rates.h"

#include <stdlib.h>

#include <procmem/recording.h>

#include "base/poll_loop.h"
#include "base/report.h"

/* Time between two samples, in seconds. If the measurement takes less than ten seconds, a tenth of
 * its time is used instead. */
static const double usual_interval = 1;

void headroom_rates_deinit(struct headroom_rates *rates)
{
	pm_series_deinit(&rates->memory);
	pm_series_deinit(&rates->size);
	pm_series_deinit(&rates->mappings);
	pm_series_deinit(&rates->threads);
}

static int add_totals(struct headroom_rates *rates, double time, const struct pm_totals *totals,
                      struct pm_error *error)
{
	if (pm_series_add(&rates->memory, time, totals->rss + totals->swap, error) < 0 ||
	    pm_series_add(&rates->size, time, totals->size, error) < 0 ||
	    pm_series_add(&rates->threads, time, totals->threads, error) < 0)
		return -1;

	return 0;
}

/**
 * Waits for the next sample.
 * @return false if the user interrupted
 */
static bool await_sample(struct poll_loop *wait)
{
	while (!*wait->interrupted)
		if (poll_loop_wait(wait))
			return true;
	return false;
}

/**
 * Takes samples of the process for the given time, and adds the sampled values to the rates.
 *
 * @return 0, 1 if the user interrupted, -1 on error
 */
static int watch(struct headroom_rates *rates, struct pm_process *process, double seconds,
                 struct pm_error *error)
{
	const struct pm_sampler_options options = { 0 };
	struct pm_sampler *sampler;
	struct pm_sample sample;
	double interval = usual_interval;

	if (seconds / 10 < interval)
		interval = seconds / 10;

	if (pm_sampler_open(process, &options, &sampler, error) < 0)
		return -1;

	int result = pm_sampler_take(sampler, &sample, error);
	double begin = sample.time;
	struct poll_loop wait;
	poll_loop_init(&wait, interval);

	while (result == 0) {
		result = add_totals(rates, sample.time, &sample.totals, error);
		if (result == 0)
			result = pm_series_add(&rates->mappings, sample.time, sample.regions->count,
			                       error);
		if (result < 0 || sample.time - begin >= seconds - interval / 2)
			break;

		result = 1;
		if (await_sample(&wait))
			result = pm_sampler_take(sampler, &sample, error);
	}

	poll_loop_deinit(&wait);
	pm_sampler_close(sampler);

	return result;
}

static int read_recording(struct headroom_rates *rates, struct pm_process *process,
                          const char *path, struct pm_error *error)
{
	struct pm_recording *recording;
	struct pm_recorded recorded;
	struct pm_process_id run;
	uint64_t count = 0;

	if (pm_process_id_read(process, &run, error) < 0)
		return -1;

	int result = pm_recording_open(path, &recording, error);
	if (result == 0) {
		if (!pm_process_id_equal(pm_recording_process_id(recording), &run))
			result = pm_error_set(error, PM_ERROR_USAGE, 0,
			                      "%s is a recording of another process", path);
		else
			result = pm_recording_count(recording, &count, error);
		for (uint64_t number = 1; result == 0 && number <= count; number++) {
			result = pm_recording_read(recording, number, &recorded, NULL, error);
			if (result == 0)
				result = add_totals(rates, recorded.time, &recorded.totals, error);
		}
		pm_recording_close(recording);
	}

	pm_process_id_deinit(&run);
	return result;
}

int headroom_rates_measure(struct headroom_rates *rates, struct pm_process *process,
                           const struct headroom_options *options, struct pm_error *error)
{
	*rates = (struct headroom_rates){ .known = options->recording || options->seconds > 0 };
	int result = 0;
	if (options->recording)
		result = read_recording(rates, process, options->recording, error);
	else if (rates->known)
		result = watch(rates, process, options->seconds, error);

	if (result < 0)
		headroom_rates_deinit(rates);
	if (result > 0 && !options->output.quiet)
		report_note("interrupted: the results are based on the measurements so far");

	if (result < 0)
		return -1;
	return 0;
}

bool headroom_rates_lasts(const struct headroom_rates *rates, const struct pm_limit *limit,
                          struct pm_trend *trend, double *seconds)
{
	const struct pm_series *series = NULL;

	switch (limit->kind) {
	case PM_LIMIT_CGROUP:
	case PM_LIMIT_CGROUP_HIGH:
	case PM_LIMIT_SYSTEM:
		series = &rates->memory;
		break;
	case PM_LIMIT_ADDRESS_SPACE:
		series = &rates->size;
		break;
	case PM_LIMIT_MAPPINGS:
		series = &rates->mappings;
		break;
	case PM_LIMIT_PIDS:
	case PM_LIMIT_THREADS:
		series = &rates->threads;
		break;
	default:
		break;
	}
	*trend = (struct pm_trend){ 0 };

	if (!rates->known || !series || series->count == 0)
		return false;

	pm_trend_judge(series, limit->counts ? PM_TREND_COUNT : PM_TREND_BYTES, trend);
	if (trend->verdict != PM_VERDICT_STEADY || trend->rate <= 0)
		return false;

	*seconds = (double)pm_limit_left(limit) / trend->rate;
	return true;
}
