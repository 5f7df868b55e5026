/* SPDX-License-Identifier: MIT */
#include "watch/step.h"

#include "base/clock.h"
#include "target/sampled.h"
#include "watch/heap.h"
#include "watch/peek/peek.h"
#include "watch/replay.h"

/**
 * Measures all regions if a condition holds. Otherwise the sizes of some regions could be those of
 * an earlier sample, and the wrong region could be blamed.
 */
static int measure_suspects(struct watch *watch, struct pm_error *error)
{
	struct watch_run *run = &watch->run;
	struct pm_error failure = { 0 };

	if (!run->will_act || !run->will_act(run->acting) ||
	    pm_sampler_measure_all(run->sampler, &watch->history.sample, &failure) == 0)
		return 0;

	/* The next sample will report that the process is gone. Evaluate the condition
	 * nevertheless, with the sizes of the last measurement. */
	if (failure.kind == PM_ERROR_GONE)
		return 0;

	*error = failure;
	return -1;
}

/*
 * To count the threads of the user, all processes of the machine are read. At most this share of
 * one processor is spent on the limits on counts.
 */
static const double counts_share = 0.002;

/**
 * Reads the limits on counts (mappings, threads, PIDs), unless too little time has passed since
 * they were read, or the regions are those of an earlier sample.
 *
 * @param watch     the run
 * @param headroom  receives the limits
 * @return          whether the limits were read
 */
static bool read_counts(struct watch *watch, struct pm_headroom *headroom)
{
	const struct pm_sample *sample = &watch->history.sample;
	struct pm_process *process = watch->run.target->process;

	if (sample->held_back || sample->time < watch->counts_due)
		return false;

	double begin = clock_cpu_seconds();
	bool read = pm_headroom_add_counts(process, NULL, sample->regions, headroom, NULL) == 0;
	watch->counts_due = sample->time + (clock_cpu_seconds() - begin) / counts_share;

	return read;
}

/** Replaces the limits by those of the recording. */
static void replay_headroom(struct watch *watch)
{
	struct pm_headroom now;
	bool counts = false;

	watch_replay_headroom(watch->run.replay, &now);
	for (size_t i = 0; i < now.count; i++)
		counts = counts || now.limits[i].counts;

	watch_history_set_headroom(&watch->history, &now, counts);
}

/** Adds the usage of the limits in a recording to their series, without computing trends. */
static void count_limits(struct watch *watch)
{
	struct pm_headroom now;

	watch_replay_headroom(watch->run.replay, &now);
	watch_history_count_limits(&watch->history, &now);
}

/** Reads the limits. */
static void read_headroom(struct watch *watch)
{
	struct watch_history *history = &watch->history;
	struct pm_headroom now;

	if (watch->run.replay) {
		replay_headroom(watch);
		return;
	}

	/* If limits cannot be read, watching continues without them. */
	if (pm_headroom_read_memory(watch->run.target->process, NULL, &now, NULL) < 0)
		now = (struct pm_headroom){ 0 };
	bool counts = read_counts(watch, &now);
	if (history->sample.runtimes_fresh)
		pm_headroom_add_runtimes(&now, history->sample.runtimes);

	/* A process leaves its cgroup when it exits. Keep the limit of its last cgroup, which may
	 * be the reason why it was killed. */
	if (pm_headroom_find(&history->headroom, PM_LIMIT_CGROUP) &&
	    !pm_headroom_find(&now, PM_LIMIT_CGROUP) && watch_run_is_ending(&watch->run)) {
		now = history->headroom;
		counts = true;
	}

	watch_history_set_headroom(history, &now, counts);
}

/** Adds the last sample, and the limits that were read for this sample, to the recording. */
static int record(struct watch *watch, struct pm_error *error)
{
	const struct watch_history *history = &watch->history;
	struct pm_headroom read = history->headroom;

	if (!watch->run.recorder)
		return 0;

	if (watch_heap_walked(watch->run.heap))
		pm_recorder_set_chunks(watch->run.recorder, watch_heap_chunks(watch->run.heap));
	if (history->owners_fresh)
		pm_recorder_set_owners(watch->run.recorder, &history->owner_sums);
	read.count = history->limits_read;
	return pm_recorder_add(watch->run.recorder, &history->sample, &read, error);
}

/** Computes the trends of the process, and reads its limits. */
static void judge_process(struct watch *watch)
{
	watch_history_judge(&watch->history);
	read_headroom(watch);
}

/** Finds what grows although the process does not, and computes the trends of reserves. */
static void judge_regions(struct watch_history *history)
{
	watch_history_find_beneath(history);
	watch_reserve_judge(&history->reserves);
}

int watch_step_judge(struct watch *watch, struct pm_error *error)
{
	watch->view.unjudged = false;
	judge_process(watch);
	judge_regions(&watch->history);
	return watch_view_update(&watch->view, &watch->history, error);
}

/** Counts the sample if a signal has stopped the process, which then cannot grow. */
static void count_stopped(struct watch *watch)
{
	struct pm_process *process = watch->run.target->process;

	if (process && sampled_is_stopped(process))
		watch->history.stopped++;
}

/** Adds the memory of each owner to the history, if it is known for the last sample. */
static int add_owners(struct watch *watch, struct pm_error *error)
{
	struct watch_history *history = &watch->history;
	struct watch_owners *owners = &watch->owners;
	enum watch_owners_state state;
	bool known;

	if (watch->run.replay) {
		known = watch_replay_owners(watch->run.replay, &owners->sums);
	} else {
		state = watch_owners_measure(owners, watch->run.target->process, &history->sample);
		known = state != WATCH_OWNERS_UNKNOWN;
	}

	return watch_history_add_owners(history, known ? &owners->sums : NULL, error);
}

/** Adds a sample to the history, the recording and the rows, and searches new pages. */
static int add_sample(struct watch *watch, const struct pm_sample *sample, struct pm_error *error)
{
	struct watch_run *run = &watch->run;
	struct watch_history *history = &watch->history;

	if (watch_history_add(history, sample, error) < 0)
		return -1;

	count_stopped(watch);
	watch_around_step(run->around, sample->time);
	if (!watch->view.unjudged)
		judge_process(watch);
	else if (run->replay)
		count_limits(watch);

	/* The history now contains all values that conditions compare, so it can be found out
	 * whether a condition holds. */
	if (measure_suspects(watch, error) < 0 || watch_history_follow(history, error) < 0 ||
	    watch_reserve_add(&history->reserves, &history->sample, run->target->process, error) <
	            0)
		return -1;
	if (!watch->view.unjudged)
		judge_regions(history);
	if (run->heap && watch_heap_step(run->heap, &history->sample, error) < 0)
		return -1;
	if (add_owners(watch, error) < 0)
		return -1;
	if (record(watch, error) < 0 || watch_view_update(&watch->view, history, error) < 0 ||
	    watch_history_add_kinds(history, watch->view.kinds, error) < 0)
		return -1;
	if (!run->peek)
		return 0;

	return peek_step(run->peek, history, &watch->view, run->options->peek, error);
}

int watch_step_init(struct watch *watch, const struct watch_options *options,
                    const struct target *target, struct pm_error *error)
{
	struct pm_sample sample;

	*watch = (struct watch){ .history.recorded = !target->process,
		                 .view = { .select = options->selection.select,
		                           .sort = options->sort,
		                           .top = options->top,
		                           .bytes = options->output.bytes } };

	watch->history.similar = watch_similar_create();

	/* The recording is created only when there is a sample for it. */
	if (watch_run_init(&watch->run, options, target, error) == 0 &&
	    pm_tracker_create(&watch->history.tracker, error) == 0 &&
	    watch_run_sample(&watch->run, &sample, error) == 0 &&
	    watch_run_start(&watch->run, error) == 0 && add_sample(watch, &sample, error) == 0)
		return 0;

	watch_step_deinit(watch);
	return -1;
}

bool watch_step_next(struct watch *watch)
{
	struct watch_run *run = &watch->run;
	struct pm_sample sample;

	/* Read the kill count before the sample is taken: a sample may take long, and a kill during
	 * the sample must count as new. */
	uint64_t killed = run->killed;
	if (run->kills)
		pm_kills_count(run->kills, &killed);

	if (watch_run_sample(run, &sample, &run->failure) < 0) {
		if (run->failure.kind == PM_ERROR_GONE) {
			watch->history.gone = true;
			watch_run_end_gone(run, pm_headroom_find(&watch->history.headroom,
			                                         PM_LIMIT_CGROUP));
		} else if (run->replay) {
			run->ended = "the rest of the recording cannot be read";
		} else {
			run->ended = "the process cannot be watched any longer";
		}
		return false;
	}

	if (killed != run->killed && !watch_run_is_ending(run))
		run->killed = killed;

	if (add_sample(watch, &sample, &run->failure) < 0) {
		run->ended = "a sample could not be processed";
		return false;
	}

	return true;
}

void watch_step_rebase(struct watch *watch)
{
	watch_history_rebase(&watch->history);
	for (size_t i = 0; i < watch->view.row_count; i++)
		watch->view.rows[i].growth = 0;
}

void watch_step_deinit(struct watch *watch)
{
	watch_view_deinit(&watch->view);
	watch_owners_deinit(&watch->owners);
	watch_history_deinit(&watch->history);
	watch_run_deinit(&watch->run);
}
