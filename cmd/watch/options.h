/* SPDX-License-Identifier: MIT */
/** @file The options of `procmem watch`. */
#ifndef CMD_WATCH_OPTIONS_H
#define CMD_WATCH_OPTIONS_H

#include <procmem/family.h>

#include "cli/options.h"
#include "target/selection.h"
#include "watch/columns.h"
#include "watch/events/options.h"
#include "watch/view.h"

/** The options of a run. */
struct watch_options {
	double interval;   /**< seconds between samples */
	uint64_t count;    /**< maximum number of samples, 0: no limit */
	double seconds;    /**< maximum time, 0: no limit */
	double budget;     /**< maximum CPU time of watch, as a share of one core from 0 to 1; 0: no
	                      limit */
	bool budget_given; /**< --budget was given */
	enum watch_sort sort;
	uint64_t top;  /**< maximum number of rows */
	uint64_t peek; /**< number of strings to show for the new pages of a row; 0: none */
	bool heap;     /**< walk over the heap of the process */
	bool by_owner; /**< the rows are the sums by owner, not regions */
	bool plain;    /**< print each sample as text, even on a terminal */
	bool live;     /**< a live screen is shown; set after parsing */
	bool several;  /**< several processes are watched; set after parsing */
	struct watch_columns columns; /**< columns of the tables */
	/** Processes that belong to TARGET are watched, too: `family` says which. */
	bool has_family;
	enum pm_family_kind family;
	const char *record; /**< recording to write; NULL if none is written */
	/**
	 * Name of a given option that cannot be used with a recording; NULL if there is no such
	 * option.
	 */
	const char *live_only;
	struct events_options events;
	struct selection selection;
	struct output_options output;
};

/**
 * Checks whether watching ends at a known time and its text goes to a pipe or a file: then only the
 * summary is printed, unless --plain is given.
 * @param options the options
 * @param out the output
 * @return true or false
 */
bool watch_options_is_report(const struct watch_options *options, const struct out *out);

/**
 * Checks whether the time of --for, or that of the samples of -c, is over. Used when no more
 * samples are taken.
 * @param options the options
 * @param seconds time since the first sample
 * @return true or false; false without --for and -c
 */
bool watch_options_time_is_over(const struct watch_options *options, double seconds);

/**
 * Refuses options that need a single process.
 * @param options the options
 * @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int watch_options_check_several(const struct watch_options *options, struct pm_error *error);

/** The options by group; they fill a struct watch_options. */
extern const struct cli_group watch_options_groups[];

/** Options that exclude each other, as in cli_spec.exclusive. */
extern const char *const watch_options_exclusive[];

#endif
