/* SPDX-License-Identifier: MIT */
#include "watch/run.h"

#include <errno.h>
#include <string.h>

#include "base/report.h"
#include "target/first_limit.h"
#include "target/sampled.h"
#include "watch/heap.h"
#include "watch/peek/peek.h"
#include "watch/replay.h"

/* Interval in seconds at which all regions are measured even if the totals of the process have not
 * changed. This is needed because mapping and unmapping the same number of bytes does not change
 * the totals. */
static const double full_every = 30;

/* Share of one processor that may be spent on reading the runtimes of the process: without and with
 * --by owner, as sums by owner are measured only when the runtimes were read. */
static const double runtimes_share = 0.01, owners_share = 0.03;

static int open_sampler(struct watch_run *run, bool pages, struct pm_error *error)
{
	const struct watch_options *options = run->options;
	struct pm_process *process = run->target->process;
	double budget = options->budget;
	double share = options->by_owner ? owners_share : runtimes_share;

	/* The default of --budget does not limit what --by owner asks for. */
	if (options->by_owner && !options->budget_given)
		budget += share;
	else if (budget > 0 && budget / 2 < share)
		share = budget / 2;

	const struct pm_sampler_options sampling = { .budget = budget,
		                                     .full_every = full_every,
		                                     .kinds = true,
		                                     .pages = pages,
		                                     .runtimes = share };

	if (pm_process_id_read(process, &run->process, error) < 0 ||
	    events_options_check_process(&options->events, &run->process, error) < 0)
		return -1;

	return pm_sampler_open(process, &sampling, &run->sampler, error);
}

int watch_run_init(struct watch_run *run, const struct watch_options *options,
                   const struct target *target, struct pm_error *error)
{
	bool pages = options->peek > 0 || options->live;
	double within = options->budget_given ? 0 : options->seconds;
	const struct watch_heap_options walks = { .word = target->word,
		                                  .budget = options->budget,
		                                  .within = within,
		                                  .keep = options->record != NULL,
		                                  .background = options->live };

	*run = (struct watch_run){ .options = options, .target = target };
	if (!target->process)
		return watch_replay_open(target->path, &run->replay, &run->process, error);
	if (open_sampler(run, pages, error) < 0)
		return -1;
	if (!options->several)
		run->around = watch_around_open(target->process);
	if (options->heap)
		watch_heap_open(target->process, &walks, &run->heap);
	if (!pages)
		return 0;

	return peek_open(target->process, options->peek > 0, &run->peek, error);
}

int watch_run_sample(struct watch_run *run, struct pm_sample *sample, struct pm_error *error)
{
	if (run->replay)
		return watch_replay_next(run->replay, sample, error);

	return pm_sampler_take(run->sampler, sample, error);
}

int watch_run_start(struct watch_run *run, struct pm_error *error)
{
	const char *file = run->options->record;
	struct pm_process *process = run->target->process;

	if (file && pm_recorder_open(file, &run->process, &run->recorder, error) < 0)
		return -1;

	/* If kills cannot be counted, the end of the process is reported without its reason. */
	if (!process || pm_kills_open(process, NULL, &run->kills, NULL) < 0)
		run->kills = NULL;
	else
		pm_kills_count(run->kills, &run->killed);

	return 0;
}

bool watch_run_is_ending(const struct watch_run *run)
{
	struct pm_process *process = run->target->process;
	struct pm_process_info info;
	return pm_process_check(process, NULL) < 0 ||
	       pm_process_read_info(process, &info, NULL) < 0 || info.killed;
}

void watch_run_end(struct watch_run *run, const char *why)
{
	if (!run->ended)
		run->ended = why;
}

void watch_run_end_with(struct watch_run *run, const char *why, const char *what)
{
	text_clear(&run->ended_text);
	text_format(&run->ended_text, "%s: %s", why, what);
	run->ended = text_terminate(&run->ended_text);
}

/**
 * Checks whether the process still exists, but has called exec, so that its former memory is gone.
 */
static bool has_called_exec(const struct watch_run *run)
{
	struct pm_error error;

	return pm_process_check(run->target->process, &error) < 0 && error.kind == PM_ERROR_GONE &&
	       error.os_errno == ESTALE;
}

/**
 * Sets the reason why the run ended: "the process called exec", "the process is gone" or, if the
 * number of OOM kills in its cgroup has increased since the last sample, "killed by the kernel"
 * with the limit that was exceeded.
 */
static void name_end(struct watch_run *run, const struct pm_limit *limit)
{
	struct text why = { 0 };
	uint64_t killed;

	if (has_called_exec(run)) {
		run->ended = "the process called exec";
		return;
	}

	run->ended = "the process is gone";
	if (!run->kills || !pm_kills_count(run->kills, &killed) || killed <= run->killed)
		return;

	first_limit_put_cause(limit, &why);
	watch_run_end_with(run, "killed by the kernel", text_terminate(&why));
	text_deinit(&why);
}

void watch_run_end_gone(struct watch_run *run, const struct pm_limit *limit)
{
	struct pm_error error;

	name_end(run, limit);
	if (run->recorder && pm_recorder_end(run->recorder, run->ended, &error) < 0)
		report_failure(&error);
}

void watch_run_deinit(struct watch_run *run)
{
	peek_close(run->peek);
	watch_around_close(run->around);
	watch_heap_close(run->heap);
	pm_recorder_close(run->recorder);
	pm_kills_close(run->kills);
	pm_sampler_close(run->sampler);
	watch_replay_close(run->replay);
	text_deinit(&run->ended_text);
	text_deinit(&run->firings);
	pm_process_id_deinit(&run->process);

	*run = (struct watch_run){ 0 };
}
