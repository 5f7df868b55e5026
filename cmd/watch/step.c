/* SPDX-License-Identifier: MIT */
#include "watch/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "target/sampled.h"
#include "watch/events/events.h"
#include "watch/events/options.h"
#include "watch/kinds.h"
#include "watch/peek/peek.h"
#include "watch/replay.h"
#include "watch/sort.h"

/* All regions are looked at so often, even if the totals stand still: as much may be mapped as is
 * unmapped. In seconds. */
static const double full_every = 30;

/** Looks at all regions before one of them is blamed: what the sample knows of them may be old. */
static int look_closer(struct watch *watch, struct pm_error *error)
{
	struct pm_error failure = { 0 };
	if (!watch->will_act || !watch->will_act(watch->acting) ||
	    pm_sampler_measure_all(watch->sampler, &watch->sample, &failure) == 0)
		return 0;

	/* That the process is gone is told by the next sample; what it did before is acted on all
	 * the same. */
	if (failure.kind == PM_ERROR_GONE)
		return 0;

	*error = failure;
	return -1;
}

/** Whether it is gone or about to be: whom the kernel has chosen to kill lives on for a moment. */
static bool is_ending(const struct watch *watch)
{
	struct pm_process *process = watch->target->process;
	struct pm_process_info info;
	return pm_process_check(process, NULL) < 0 ||
	       pm_process_read_info(process, &info, NULL) < 0 || info.killed;
}

static bool is_steady(const struct pm_trend *trend)
{
	return trend->verdict == PM_VERDICT_STEADY && trend->rate > 0;
}

/**
 * Reads the limits anew. One that cannot be read is no reason to stop; one on a number is asked for
 * only where that number grows.
 */
static void read_headroom(struct watch *watch)
{
	struct pm_headroom now;
	bool counts = is_steady(&watch->mappings_trend) || is_steady(&watch->threads_trend);
	if (watch->replay) {
		watch_replay_headroom(watch->replay, counts, &watch->headroom);
		return;
	}

	if (pm_headroom_read_memory(watch->target->process, NULL, &now, NULL) < 0)
		now = (struct pm_headroom){ 0 };
	if (counts)
		pm_headroom_add_counts(watch->target->process, NULL, watch->sample.regions, &now,
		                       NULL);

	/* A process leaves its cgroup when it exits; the limit that it was killed for is that of
	 * the group where it was. */
	if (pm_headroom_find(&watch->headroom, PM_LIMIT_CGROUP) &&
	    !pm_headroom_find(&now, PM_LIMIT_CGROUP) && is_ending(watch))
		return;

	watch->headroom = now;
}

/** Judges what the process does, and reads which limits that meets. */
static void judge_process(struct watch *watch)
{
	pm_trend_judge(&watch->memory, PM_TREND_BYTES, &watch->memory_trend);
	pm_trend_judge(&watch->mappings, PM_TREND_COUNT, &watch->mappings_trend);
	pm_trend_judge(&watch->threads, PM_TREND_COUNT, &watch->threads_trend);
	read_headroom(watch);
	if (pm_headroom_find(&watch->headroom, PM_LIMIT_ADDRESS_SPACE))
		pm_trend_judge(&watch->size, PM_TREND_BYTES, &watch->size_trend);
}

int watch_judge_now(struct watch *watch, struct pm_error *error)
{
	watch->unjudged = false;
	judge_process(watch);
	return watch_sort_rows(watch, error);
}

/** Books a sample that was taken. */
static int add_sample(struct watch *watch, struct pm_error *error)
{
	const struct pm_sample *sample = &watch->sample;

	watch->samples++;
	if (pm_series_add(&watch->memory, sample->time, sample->totals.rss + sample->totals.swap,
	                  error) < 0 ||
	    pm_series_add(&watch->size, sample->time, sample->totals.size, error) < 0 ||
	    pm_series_add(&watch->mappings, sample->time, sample->regions->count, error) < 0 ||
	    pm_series_add(&watch->threads, sample->time, sample->totals.threads, error) < 0)
		return -1;

	if (!watch->unjudged)
		judge_process(watch);

	/* All that conditions look at is known now. */
	if (look_closer(watch, error) < 0)
		return -1;

	watch->held_back += sample->held_back;
	/* What was not looked at is not known to be unchanged. */
	if (!sample->held_back && pm_tracker_add(watch->tracker, sample->time,
	                                         sample->fresh ? sample->regions : NULL, error) < 0)
		return -1;
	if (watch->recorder &&
	    pm_recorder_add(watch->recorder, sample, &watch->headroom, error) < 0)
		return -1;
	if (watch_sort_rows(watch, error) < 0 || watch_kinds_add(watch->kinds, watch, error) < 0)
		return -1;

	return peek_step(watch, error);
}

/** Opens what samples come from. */
static int open_source(struct watch *watch, bool pages, struct pm_error *error)
{
	const struct watch_options *options = watch->options;
	struct pm_process *process = watch->target->process;
	const struct pm_sampler_options sampling = {
		.budget = options->budget, .full_every = full_every, .kinds = true, .pages = pages
	};

	if (!process)
		return watch_replay_open(watch->target->path, &watch->replay, &watch->run, error);
	if (pm_process_id_read(process, &watch->run, error) < 0 ||
	    events_options_check_process(&options->events, &watch->run, error) < 0)
		return -1;

	return pm_sampler_open(process, &sampling, &watch->sampler, error);
}

static int take(struct watch *watch, struct pm_sample *sample, struct pm_error *error)
{
	return watch->replay ? watch_replay_next(watch->replay, sample, error)
	                     : pm_sampler_take(watch->sampler, sample, error);
}

int watch_init(struct watch *watch, const struct watch_options *options,
               const struct target *target, struct pm_error *error)
{
	bool pages = options->peek > 0 || options->keep_pages;

	*watch = (struct watch){ .options = options, .target = target };
	watch->kinds = alloc_array(NULL, 1, sizeof *watch->kinds);
	*watch->kinds = (struct watch_kinds){ 0 };

	/* A file is begun only when there is something to put into it. */
	if (open_source(watch, pages, error) < 0 || pm_tracker_create(&watch->tracker, error) < 0 ||
	    (pages && peek_open(options, target, &watch->peek, error) < 0) ||
	    take(watch, &watch->sample, error) < 0 ||
	    (options->record &&
	     pm_recorder_open(options->record, &watch->run, &watch->recorder, error) < 0)) {
		watch_deinit(watch);
		return -1;
	}

	/* Without that an end is told all the same, but not its reason. */
	if (!target->process || pm_kills_open(target->process, NULL, &watch->kills, NULL) < 0)
		watch->kills = NULL;
	else
		pm_kills_count(watch->kills, &watch->killed);

	watch->first = watch->previous = watch->sample.totals;
	watch->began = watch->based = watch->sample.time;
	if (add_sample(watch, error) == 0)
		return 0;

	watch_deinit(watch);
	return -1;
}

void watch_deinit(struct watch *watch)
{
	free(watch->rows);
	if (watch->kinds)
		watch_kinds_deinit(watch->kinds);
	free(watch->kinds);
	peek_close(watch->peek);
	pm_series_deinit(&watch->memory);
	pm_series_deinit(&watch->size);
	pm_series_deinit(&watch->mappings);

	pm_series_deinit(&watch->threads);
	pm_recorder_close(watch->recorder);
	pm_tracker_destroy(watch->tracker);
	pm_kills_close(watch->kills);
	pm_sampler_close(watch->sampler);
	watch_replay_close(watch->replay);
	text_deinit(&watch->ended_words);
	text_deinit(&watch->firings);

	pm_process_id_deinit(&watch->run);
	*watch = (struct watch){ 0 };
}

void watch_end_with(struct watch *watch, const char *why, const char *what)
{
	text_clear(&watch->ended_words);
	text_format(&watch->ended_words, "%s: %s", why, what);
	watch->ended = text_terminate(&watch->ended_words);
}

/** Says how it ended: whether the kernel killed since the last look. */
static void name_end(struct watch *watch)
{
	const struct pm_limit *limit = pm_headroom_find(&watch->headroom, PM_LIMIT_CGROUP);
	struct text why = { 0 };
	uint64_t killed;

	watch->ended = "the process is gone";
	watch->gone = true;
	if (!watch->kills || !pm_kills_count(watch->kills, &killed) || killed <= watch->killed)
		return;

	/* The limit stands in a file of the group that has it. */
	const char *slash = limit ? strrchr(limit->source, '/') : NULL;
	if (slash)
		text_format(&why, "memory limit of %.*s",
		            slash > limit->source ? (int)(slash - limit->source) : 1,
		            limit->source);
	else
		text_string(&why, "the machine has no memory left");

	watch_end_with(watch, "killed by the kernel", text_terminate(&why));
	text_deinit(&why);
}

/** Says how it ended, to whoever reads the recording later, too. */
static void end_gone(struct watch *watch)
{
	struct pm_error error;
	name_end(watch);
	if (watch->recorder && pm_recorder_end(watch->recorder, watch->ended, &error) < 0)
		report_failure(&error);
}

bool watch_step(struct watch *watch)
{
	struct pm_sample sample;
	/* Counted before the process is seen to be alive: a kill during the look, which may take
	 * long, is none of before. */
	uint64_t killed = watch->killed;

	if (watch->kills)
		pm_kills_count(watch->kills, &killed);
	if (take(watch, &sample, &watch->failure) < 0) {
		watch->ended = watch->replay ? "the recording cannot be read on"
		                             : "it cannot be watched any more";
		if (watch->failure.kind == PM_ERROR_GONE)
			end_gone(watch);
		return false;
	}

	if (killed != watch->killed && !is_ending(watch))
		watch->killed = killed;
	watch->previous = watch->sample.totals;
	watch->sample = sample;
	if (add_sample(watch, &watch->failure) < 0) {
		watch->ended = "an error ended it";
		return false;
	}

	return true;
}

void watch_rebase(struct watch *watch)
{
	pm_tracker_rebase(watch->tracker);
	watch_kinds_rebase(watch->kinds);
	watch->first = watch->sample.totals;
	watch->based = watch->sample.time;
	for (size_t i = 0; i < watch->row_count; i++)
		watch->rows[i].growth = 0;
}

/**
 * What a limit bounds over time.
 * @return NULL where that is not followed
 */
static const struct pm_trend *trend_of(const struct watch *watch, enum pm_limit_kind kind)
{
	switch (kind) {
	case PM_LIMIT_CGROUP:
	case PM_LIMIT_CGROUP_HIGH:
	case PM_LIMIT_SYSTEM:
		return &watch->memory_trend;
	case PM_LIMIT_ADDRESS_SPACE:
		return &watch->size_trend;
	case PM_LIMIT_MAPPINGS:
		return &watch->mappings_trend;
	case PM_LIMIT_PIDS:
	case PM_LIMIT_THREADS:
		return &watch->threads_trend;
	default:
		return NULL;
	}
}

bool watch_lasts(const void *context, const struct pm_limit *limit, double *seconds)
{
	const struct watch *watch = context;
	const struct pm_trend *trend = trend_of(watch, limit->kind);
	if (!trend || !is_steady(trend) || watch->gone)
		return false;
	*seconds = (double)pm_limit_left(limit) / trend->rate;
	return true;
}
