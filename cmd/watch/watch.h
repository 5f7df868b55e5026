/* SPDX-License-Identifier: MIT */
/**
 * @file What `procmem watch` sees from moment to moment, for those who print it. Private to the
 * command.
 */
#ifndef CMD_WATCH_WATCH_H
#define CMD_WATCH_WATCH_H

#include <procmem/headroom.h>
#include <procmem/kills.h>
#include <procmem/recorder.h>
#include <procmem/sample.h>
#include <procmem/tracker.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/options.h"
#include "target/first_limit.h"
#include "target/selection.h"
#include "target/target.h"

/** What rows are sorted by. */
enum watch_sort {
	WATCH_BY_GROWTH, /**< how much it grew since the beginning */
	WATCH_BY_RATE,   /**< how fast it grows */
	WATCH_BY_RSS,    /**< how much it is */
	WATCH_BY_DELTA,  /**< how it changed at the last sample */
};

struct condition;
struct action;

/** What is to happen when a condition holds. */
struct events_options {
	struct condition *conditions; /**< each of them by itself; owned */
	size_t condition_count;       /**< how many; 0: nothing is to happen */
	struct action *actions;       /**< all of them, in this order; owned */
	size_t action_count;          /**< how many */
	bool again;                   /**< thresholds are acted on more than once */
	double cool_down;             /**< seconds between two times, 0: as usual */
};

/** What the user wants. */
struct watch_options {
	double interval; /**< seconds from one sample to the next */
	uint64_t count;  /**< most samples, 0: any number */
	double seconds;  /**< longest time, 0: for ever */
	double budget;   /**< share of a core, 0: any */
	enum watch_sort sort;
	uint64_t top;       /**< most rows */
	uint64_t peek;      /**< most strings that are shown of the new pages of a row, 0: none */
	bool keep_pages;    /**< new pages are kept in mind also without that, for peek_newest()
	                     */
	bool plain;         /**< text also on a terminal */
	bool live;          /**< a live screen */
	const char *record; /**< recording to write, NULL for none */
	const char *live_only; /**< an option that was given and is for living processes only, as it
	                          is called; NULL: none */
	struct events_options events;
	struct selection selection;
	struct output_options output;
};

/** One row: something that changed since the beginning. */
struct watch_row {
	const struct pm_track *track;
	int64_t growth;              /**< bytes since the beginning */
	struct pm_trend trend;       /**< of its bytes */
	struct pm_trend count_trend; /**< of the number of its regions, where that changed */
};

struct watch_kinds;
struct peek;
struct watch_replay;

/** A process that is being watched. */
struct watch {
	const struct watch_options *options;
	const struct target *target;
	struct pm_process_id run;
	struct pm_sampler *sampler;
	struct watch_replay *replay; /**< the recording whose samples are gone over, with a target
	                                that has no process; NULL: it lives */
	struct pm_tracker *tracker;
	struct pm_recorder *recorder;   /**< NULL: nothing is recorded */
	struct peek *peek;              /**< NULL: new pages are not kept in mind */
	struct pm_sample sample;        /**< the last one */
	struct pm_totals first;         /**< totals of the first */
	struct pm_totals previous;      /**< totals of the one before */
	struct pm_series memory;        /**< resident and swapped bytes of the process */
	struct pm_trend memory_trend;   /**< what they do */
	struct pm_series size;          /**< bytes of address space of the process */
	struct pm_trend size_trend;     /**< what they do, where they are bounded */
	struct pm_series mappings;      /**< number of its regions */
	struct pm_trend mappings_trend; /**< what it does */
	struct pm_series threads;       /**< number of its threads */
	struct pm_trend threads_trend;  /**< what it does */
	struct pm_headroom headroom; /**< limits at the last sample: of memory, and of what piles up
	                                steadily */
	struct pm_kills *kills;      /**< whom the kernel kills in its cgroup; NULL: not known */
	uint64_t killed;             /**< how many that were at the last sample */
	double began;                /**< time of the first sample */
	uint64_t samples;            /**< how many so far */
	uint64_t held_back;          /**< how many of them the budget did not allow */
	double based; /**< time from which growth counts: of the first sample, or of watch_rebase()
	               */
	uint64_t kind_weights[PM_KIND_COUNT]; /**< resident and swapped bytes of the chosen regions,
	                                         by kind */
	size_t kind_regions[PM_KIND_COUNT];   /**< how many of them there are */
	struct watch_kinds *kinds;            /**< the same over time (watch_kinds.h) */
	const struct pm_track *const
		*still;     /**< what rows are made of, where that is a picture of an earlier moment
	                       (screen_snapshot.h); NULL: the     tracker's tracks */
	size_t still_count; /**< how many they are */
	bool unjudged; /**< nobody sees the next looks: verdicts wait for watch_judge_now(), as they
	                  take long */
	bool all_rows; /**< all that changed become rows, without verdicts: whoever shows some calls
	                  watch_sort_judge() for these */
	struct watch_row *rows;      /**< what changed, sorted */
	size_t row_count;            /**< how many */
	struct pm_error none_chosen; /**< why none of the regions of the last look is one that the
	                                user chose; PM_ERROR_NONE: some are */
	bool (*will_act)(
		void *context); /**< whether something will be done because of the sample: then its
	                           regions are looked at more closely; NULL: never */
	void *acting;           /**< context of that */
	bool met;               /**< an action ended it */
	struct text firings; /**< the conditions that were met, and what was done: a line each, for
	                        the summary */
	uint64_t firing_count; /**< how many; of very many the first have a line */
	const char *ended;     /**< why it ended, for the summary; NULL: it goes on */
	bool gone;             /**< because the process is: none of its limits is ahead any more */
	struct text ended_words; /**< what that may point to, where it was made */
	struct pm_error failure; /**< where the target or the recording failed */
};

/**
 * Runs `procmem watch`.
 * @see command.run
 */
enum status watch_run(struct out *out, int argc, char **argv);

/** The command line of `procmem watch`. */
extern const struct cli_spec watch_spec;

#endif
