/* SPDX-License-Identifier: MIT */
#include "headroom/rates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <procmem/headroom.h>
#include <procmem/number.h>
#include <procmem/recording.h>
#include <procmem/recording_walk.h>
#include <procmem/sample.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/poll_loop.h"
#include "base/report.h"
#include "target/first_limit.h"
#include "target/sampled.h"

/* Time between two samples, in seconds. If the measurement takes less than ten seconds, a tenth of
 * its time is used instead. */
static const double usual_interval = 1;

void headroom_rates_deinit(struct headroom_rates *rates)
{
	pm_kills_close(rates->last.kills);
	free(rates->last.command);
	text_deinit(&rates->last.reason);
	pm_tracker_destroy(rates->tracker);
	pm_reserves_destroy(rates->reserves);
	limit_counters_deinit(&rates->counters);
	headroom_around_deinit(&rates->around);
	pm_series_deinit(&rates->memory);
	pm_series_deinit(&rates->kept);
	pm_series_deinit(&rates->own);
	pm_series_deinit(&rates->shmem);
	pm_series_deinit(&rates->size);
	pm_series_deinit(&rates->threads);
	*rates = (struct headroom_rates){ 0 };
}

struct forecast_source headroom_rates_source(const struct headroom_rates *rates)
{
	return (struct forecast_source){ .counters = &rates->counters,
		                         .memory = &rates->memory,
		                         .size = &rates->size,
		                         .memory_trend = &rates->trend,
		                         .kept_trend = &rates->kept_trend,
		                         .charged_trend = rates->charged_elsewhere
		                                                  ? &rates->own_trend
		                                                  : NULL,
		                         .threads_trend = &rates->threads_trend,
		                         .beneath_trend = &rates->beneath_trend };
}

static int add_totals(struct headroom_rates *rates, double time, const struct pm_totals *totals,
                      struct pm_error *error)
{
	if (pm_series_add(&rates->memory, time, totals->rss + totals->swap, error) < 0 ||
	    pm_series_add(&rates->kept, time, totals->anon + totals->shmem + totals->swap, error) <
	            0 ||
	    pm_series_add(&rates->own, time, totals->anon + totals->swap, error) < 0 ||
	    pm_series_add(&rates->shmem, time, totals->shmem, error) < 0 ||
	    pm_series_add(&rates->size, time, totals->size, error) < 0 ||
	    pm_series_add(&rates->threads, time, totals->threads, error) < 0)
		return -1;

	return 0;
}

/** Measures the usage of the limits during --for. */
struct limits_watch {
	struct pm_process *process;
	double counts_due; /* time when the limits on numbers are read again, as pm_sample.time */
};

/*
 * To count the threads of the user, all processes of the machine are read. At most this share of
 * one processor is spent on it.
 */
static const double counts_share = 0.05;

/*
 * Share of one processor that may be spent on reading the runtimes of the process. If the
 * measurement takes more than ten seconds, they are read often enough with less.
 */
static const double runtimes_share = 0.1, runtimes_share_long = 0.04, long_seconds = 10;

/** Adds the usage of the limits at the time of a sample. */
static int add_limits(struct headroom_rates *rates, struct limits_watch *watch,
                      const struct pm_sample *sample, struct pm_error *error)
{
	struct pm_headroom headroom;
	if (pm_headroom_read_memory(watch->process, NULL, &headroom, error) < 0)
		return -1;

	if (sample->time >= watch->counts_due) {
		double begin = clock_cpu_seconds();
		if (pm_headroom_add_counts(watch->process, NULL, sample->regions, &headroom,
		                           error) < 0)
			return -1;
		double cost = clock_cpu_seconds() - begin;
		watch->counts_due = sample->time + cost / counts_share;
	}
	if (sample->runtimes_fresh)
		pm_headroom_add_runtimes(&headroom, sample->runtimes);

	if (!rates->last.known)
		rates->reached = headroom.events.max;
	rates->last.headroom = headroom;
	if (sample->runtimes)
		pm_headroom_add_runtimes(&rates->last.headroom, sample->runtimes);

	return limit_counters_add(&rates->counters, sample->time, &headroom, error);
}

static int add_sample(struct headroom_rates *rates, struct limits_watch *watch,
                      const struct pm_sample *sample, struct pm_error *error)
{
	if (sampled_is_stopped(watch->process))
		rates->stopped++;

	if (add_totals(rates, sample->time, &sample->totals, error) < 0 ||
	    pm_tracker_add(rates->tracker, sample->time, sample->regions, error) < 0 ||
	    pm_reserves_add(rates->reserves, sample->time, sample->regions, watch->process, error) <
	            0)
		return -1;
	if (headroom_around_add(&rates->around, sample->time, sample->regions, error) < 0)
		return -1;

	return add_limits(rates, watch, sample, error);
}

/** Reads what is reported if the process ends. */
static int begin_last(struct headroom_last *last, struct pm_process *process,
                      struct pm_error *error)
{
	if (pm_process_read_info(process, &last->info, error) < 0 ||
	    pm_process_read_command(process, &last->command, error) < 0)
		return -1;

	/* If kills cannot be counted, the end of the process is reported without its reason. */
	if (pm_kills_open(process, NULL, &last->kills, NULL) < 0)
		last->kills = NULL;
	else
		pm_kills_count(last->kills, &last->killed);

	return 0;
}

/**
 * Takes a sample, and keeps its totals. A kill before or during the sample of a process that dies
 * counts as new.
 */
static int take_sample(struct headroom_last *last, struct pm_process *process,
                       struct pm_sampler *sampler, struct pm_sample *sample, struct pm_error *error)
{
	struct pm_process_info info;
	uint64_t killed = last->killed;

	if (last->kills)
		pm_kills_count(last->kills, &killed);
	if (pm_sampler_take(sampler, sample, error) < 0)
		return -1;

	last->totals = sample->totals;
	if (pm_process_read_info(process, &info, NULL) == 0 && !info.killed)
		last->killed = killed;
	return 0;
}

void headroom_rates_end(struct headroom_rates *rates, const struct pm_error *error)
{
	struct headroom_last *last = &rates->last;
	struct text *reason = &last->reason;
	char duration[PM_DURATION_TEXT_SIZE];
	uint64_t killed = 0;

	rates->ended = true;
	text_clear(reason);
	pm_format_duration(headroom_rates_seconds(rates), duration);
	if (error->os_errno == ESTALE) {
		text_format(reason, "called exec after %s", duration);
	} else if (!last->kills || !pm_kills_count(last->kills, &killed) ||
	           killed <= last->killed) {
		text_format(reason, "exited after %s", duration);
	} else {
		text_string(reason, "killed by the kernel: ");
		first_limit_put_cause(pm_headroom_find(&last->headroom, PM_LIMIT_CGROUP), reason);
		text_format(reason, ", after %s", duration);
	}

	text_terminate(reason);
}

/**
 * Takes samples of the process for the given time, and adds the sampled values to the rates.
 *
 * @return 0, 1 if the user interrupted, -1 on error
 */
static int take_samples(struct headroom_rates *rates, struct pm_process *process,
                        const struct headroom_source *source, struct pm_error *error)
{
	double seconds = source->seconds;
	const struct headroom_hook *hook = source->hook;
	bool is_long = hook && seconds > long_seconds;
	const struct pm_sampler_options options = { .kinds = true,
		                                    .pages = hook && hook->pages,
		                                    .runtimes = is_long ? runtimes_share_long
		                                                        : runtimes_share };
	struct limits_watch limits = { .process = process };
	struct pm_sampler *sampler;
	struct pm_sample sample;
	double interval = usual_interval;

	if (seconds / 10 < interval)
		interval = seconds / 10;

	if (pm_sampler_open(process, &options, &sampler, error) < 0)
		return -1;

	int result = begin_last(&rates->last, process, error);
	if (result == 0)
		result = take_sample(&rates->last, process, sampler, &sample, error);
	struct poll_loop wait;
	double begin = 0;

	poll_loop_init(&wait, interval);
	if (result == 0)
		begin = sample.time;

	while (result == 0) {
		result = add_sample(rates, &limits, &sample, error);
		rates->last.known = rates->last.known || result == 0;
		if (result == 0 && hook)
			result = hook->sampled(hook->context, rates, &sample, error);
		if (result > 0) {
			result = 0;
			break;
		}
		if (result < 0 || sample.time - begin >= seconds - interval / 2)
			break;

		result = 1;
		if (poll_loop_await(&wait))
			result = take_sample(&rates->last, process, sampler, &sample, error);
	}

	poll_loop_deinit(&wait);
	pm_sampler_close(sampler);
	return result;
}

/**
 * Observes the process and what is around it for the given time.
 * @return as take_samples()
 */
static int watch(struct headroom_rates *rates, struct pm_process *process,
                 const struct headroom_source *source, struct pm_error *error)
{
	const volatile sig_atomic_t *interrupted = interrupt_hold();
	int result = headroom_around_begin(&rates->around, process, source, error);

	if (result == 0)
		result = headroom_around_walk(&rates->around, error);
	if (result == 0)
		result = take_samples(rates, process, source, error);

	/* After an interrupt, the results are completed, but a second one ends the program. */
	bool held = result == 0;
	if (!held)
		interrupt_release();
	if (result >= 0 && headroom_around_end(&rates->around, error) < 0)
		result = -1;
	if (result < 0 && error->kind == PM_ERROR_GONE && rates->last.known)
		headroom_around_stop(&rates->around);
	if (result == 0 && *interrupted)
		result = 1;
	if (held)
		interrupt_release();

	return result;
}

/** Adds the sizes, regions and the usage of the limits that a recording has for one sample. */
static int add_recorded(struct headroom_rates *rates, struct pm_recording *recording,
                        const struct pm_recorded *recorded, const struct pm_regions *regions,
                        const struct headroom_hook *hook, struct pm_error *error)
{
	struct pm_headroom headroom;
	double time = recorded->time, now = clock_boot_seconds();

	if (pm_recording_read_headroom(recording, recorded->number, &headroom, error) < 0 ||
	    add_totals(rates, time, &recorded->totals, error) < 0 ||
	    pm_tracker_add(rates->tracker, time, regions, error) < 0 ||
	    pm_reserves_add(rates->reserves, time, regions, NULL, error) < 0 ||
	    limit_counters_add(&rates->counters, time, &headroom, error) < 0)
		return -1;
	if (hook && hook->recorded(hook->context, recorded, regions, error) < 0)
		return -1;

	/* The recorded process is the target, so the times have the same clock. */
	rates->recorded = true;
	rates->age = time < now ? now - time : 0;
	return 0;
}

/** Adds all samples of a recording. */
static int add_all(struct headroom_rates *rates, struct pm_recording *recording,
                   const struct headroom_hook *hook, struct pm_error *error)
{
	struct pm_recording_walk *walk;
	struct pm_recorded recorded;
	const struct pm_regions *regions;
	int result;

	if (pm_recording_walk_open(recording, &walk, error) < 0)
		return -1;

	while ((result = pm_recording_walk_next(walk, &recorded, &regions, error)) > 0) {
		if (add_recorded(rates, recording, &recorded, regions, hook, error) < 0) {
			result = -1;
			break;
		}
	}
	pm_recording_walk_close(walk);
	return result;
}

static int read_recording(struct headroom_rates *rates, struct pm_process *process,
                          const char *path, struct pm_error *error)
{
	struct pm_recording *recording;
	struct pm_process_id run;

	if (pm_process_id_read(process, &run, error) < 0)
		return -1;

	int result = pm_recording_open(path, &recording, error);
	if (result == 0) {
		if (!pm_process_id_equal(pm_recording_process_id(recording), &run))
			result = pm_error_set(error, PM_ERROR_USAGE, 0,
			                      "%s is a recording of another process", path);
		else
			result = add_all(rates, recording, NULL, error);
		pm_recording_close(recording);
	}

	pm_process_id_deinit(&run);
	return result;
}

double headroom_rates_seconds(const struct headroom_rates *rates)
{
	const struct pm_series *series = &rates->memory;

	return series->count > 0 ? series->last - series->points[0].time : 0;
}

double headroom_rates_reached(const struct headroom_rates *rates)
{
	const struct pm_limit_events *events = &rates->last.headroom.events;
	double seconds = headroom_rates_seconds(rates);

	if (!rates->last.known || seconds <= 0 || events->max <= rates->reached)
		return 0;

	return (double)(events->max - rates->reached) / seconds;
}

/**
 * Returns whether the shared memory of the process grows more than twice as fast as that which is
 * charged to the cgroup with the limit: another cgroup is charged for its pages.
 */
static bool is_charged_elsewhere(const struct headroom_rates *rates)
{
	const struct pm_series *shmem = &rates->shmem;
	double seconds = headroom_rates_seconds(rates);

	if (!rates->around.shmem_known || shmem->count == 0 || seconds <= 0)
		return false;

	double growth = (double)shmem->points[shmem->count - 1].value -
	                (double)shmem->points[0].value;
	return growth > 0 && rates->around.shmem_rate < growth / seconds / 2;
}

/**
 * Judges the memory of the process and, if it does not grow, finds a track that does. Finds the
 * reserve that will be used up first.
 */
static void judge(struct headroom_rates *rates)
{
	if (rates->memory.count == 0)
		return;

	pm_trend_judge(&rates->memory, PM_TREND_BYTES, &rates->trend);
	pm_trend_judge(&rates->kept, PM_TREND_BYTES, &rates->kept_trend);
	pm_trend_judge(&rates->own, PM_TREND_BYTES, &rates->own_trend);
	pm_trend_judge(&rates->threads, PM_TREND_COUNT, &rates->threads_trend);
	rates->charged_elsewhere = is_charged_elsewhere(rates);
	if (rates->trend.verdict != PM_VERDICT_TOO_EARLY &&
	    pm_trend_growth_rate(&rates->trend) <= 0)
		rates->beneath = pm_tracker_find_growing(rates->tracker, &rates->beneath_trend);
	rates->reserve = pm_reserves_soonest(rates->reserves, &rates->reserve_trend,
	                                     &rates->reserve_seconds);
}

int headroom_rates_read(struct headroom_rates *rates, struct pm_recording *recording,
                        const struct headroom_hook *hook, struct pm_error *error)
{
	*rates = (struct headroom_rates){ .known = true,
		                          .pid = pm_recording_process_id(recording)->pid };
	if (pm_tracker_create(&rates->tracker, error) < 0 ||
	    pm_reserves_create(&rates->reserves, error) < 0 ||
	    add_all(rates, recording, hook, error) < 0) {
		headroom_rates_deinit(rates);
		return -1;
	}

	judge(rates);
	return 0;
}

/**
 * Watches the process as watch() does. If stderr is a terminal, a line there says so until the
 * end, because nothing else is printed before.
 */
static int watch_visibly(struct headroom_rates *rates, struct pm_process *process,
                         const struct headroom_source *source, struct pm_error *error)
{
	bool shown = !source->quiet && isatty(STDERR_FILENO);
	char duration[PM_DURATION_TEXT_SIZE];

	if (shown) {
		pm_format_duration(source->seconds, duration);
		fprintf(stderr, "watching for %s (Ctrl-C ends this early)", duration);
		fflush(stderr);
	}

	int result = watch(rates, process, source, error);

	if (shown)
		fputs("\r\033[K", stderr);

	return result;
}

/** Reads the processes that have rows of their own once. */
static int read_around(struct headroom_rates *rates, struct pm_process *process,
                       const struct headroom_source *source, struct pm_error *error)
{
	if (headroom_around_begin(&rates->around, process, source, error) < 0)
		return -1;

	return headroom_around_add(&rates->around, clock_boot_seconds(), NULL, error);
}

/** Reads the recording, or takes samples. @return 0, 1 if the user interrupted, -1 on error */
static int measure(struct headroom_rates *rates, struct pm_process *process,
                   const struct headroom_source *source, struct pm_error *error)
{
	if (!rates->known && source->scope == HEADROOM_ALONE)
		return 0;
	if (!rates->known)
		return read_around(rates, process, source, error);

	if (pm_tracker_create(&rates->tracker, error) < 0 ||
	    pm_reserves_create(&rates->reserves, error) < 0)
		return -1;
	if (source->recording)
		return read_recording(rates, process, source->recording, error);

	return watch_visibly(rates, process, source, error);
}

int headroom_rates_measure(struct headroom_rates *rates, struct pm_process *process,
                           const struct headroom_source *source, struct pm_error *error)
{
	*rates = (struct headroom_rates){ .known = source->recording || source->seconds > 0,
		                          .pid = pm_process_pid(process) };

	int result = measure(rates, process, source, error);
	bool gone = result < 0 && error->kind == PM_ERROR_GONE;
	if (gone && rates->last.known)
		headroom_rates_end(rates, error);
	if (gone && (source->follow || rates->last.known)) {
		rates->ended = true;
		result = 0;
	}

	if (result < 0) {
		headroom_rates_deinit(rates);
		return -1;
	}
	if (result > 0 && !source->quiet)
		report_note("interrupted: the results are based on the measurements so far");

	if (rates->stopped > 0 && !source->quiet)
		report_note("a signal or a debugger had stopped the process at %llu sample%s: a "
		            "stopped process cannot grow, so the rates do not apply to the process "
		            "when it runs",
		            (unsigned long long)rates->stopped, text_plural(rates->stopped));

	if (rates->known)
		judge(rates);
	return result;
}
