/* SPDX-License-Identifier: MIT */
/** @file What `procmem watch` sees from moment to moment, for those who print it. Private to the command. */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include <signal.h>

#include <procmem/headroom.h>
#include <procmem/recording.h>
#include <procmem/sample.h>
#include <procmem/tracker.h>

#include "list_options.h"
#include "selection.h"
#include "target.h"

/** What rows are sorted by. */
enum watch_sort {
	WATCH_BY_GROWTH, /**< how much it grew since the beginning */
	WATCH_BY_RATE,   /**< how fast it grows */
	WATCH_BY_RSS,    /**< how much it is */
	WATCH_BY_DELTA,  /**< how it changed at the last sample */
};

/** What the user wants. */
struct watch_options {
	double interval;      /**< seconds from one sample to the next */
	uint64_t count;       /**< most samples, 0: any number */
	double seconds;       /**< longest time, 0: for ever */
	double budget;        /**< share of a core, 0: any */
	enum watch_sort sort;
	uint64_t top;         /**< most rows */
	const char *record;   /**< recording to write, NULL for none */
	struct selection selection;
	struct output_options output;
};

/** One row: something that changed since the beginning. */
struct watch_row {
	const struct pm_track *track;
	int64_t growth;               /**< bytes since the beginning */
	struct pm_trend trend;        /**< of its bytes */
	struct pm_trend count_trend;  /**< of the number of its regions, where that changed */
};

/** A process that is being watched. */
struct watch {
	const struct watch_options *options;
	const struct target *target;
	struct pm_run run;
	struct pm_sampler *sampler;
	struct pm_tracker *tracker;
	struct pm_recorder *recorder;   /**< NULL: nothing is recorded */
	struct pm_sample sample;        /**< the last one */
	struct pm_totals first;         /**< totals of the first */
	struct pm_totals previous;      /**< totals of the one before */
	struct pm_series memory;        /**< resident and swapped bytes of the process */
	struct pm_trend memory_trend;   /**< what they do */
	struct pm_headroom headroom;    /**< limits of memory at the last sample */
	double began;                   /**< time of the first sample */
	uint64_t samples;               /**< how many so far */
	uint64_t held_back;             /**< how many of them the budget did not allow */
	struct watch_row *rows;         /**< what changed, sorted */
	size_t row_count;               /**< how many */
	const char *ended;              /**< why it ended, for the summary; NULL: it goes on */
	struct pm_error failure;        /**< where the target or the recording failed */
};

/**
 * Starts watching: takes the first sample.
 *
 * @param watch    filled; release with watch_deinit()
 * @param options  what the user wants
 * @param target   a living process
 * @param error    what went wrong
 * @return         0 or -1
 */
int watch_init(struct watch *watch, const struct watch_options *options, const struct target *target, struct pm_error *error);

/** Releases it. @param watch as filled, or zeroed */
void watch_deinit(struct watch *watch);

/** Takes the next sample, and sorts the rows. @param watch the process @return true: go on; false: it ended, `ended` and `failure` say why */
bool watch_step(struct watch *watch);

/** How long memory lasts at the rate that was seen. @param watch the process @param seconds where to store it @return false where it does not end */
bool watch_lasts(const struct watch *watch, double *seconds);

/** Prints what is so now, as text. @param watch the process @param out where to */
void watch_print(const struct watch *watch, struct out *out);

/** Prints what was seen in all, as text. @param watch the process @param out where to */
void watch_print_summary(const struct watch *watch, struct out *out);

/** Prints what is so now, as an object in one line. @param watch the process @param summary it is the last one @param out where to */
void watch_print_json(const struct watch *watch, bool summary, struct out *out);

/** Adds what a row is: mapping, detail, number of regions. @param row the row @param text gets it, escaped */
void watch_describe(const struct watch_row *row, struct text *text);

#endif
