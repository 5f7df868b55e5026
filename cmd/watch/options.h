/* SPDX-License-Identifier: MIT */
/** @file The options of `procmem watch`. */
#ifndef CMD_WATCH_OPTIONS_H
#define CMD_WATCH_OPTIONS_H

#include "cli/options.h"
#include "target/selection.h"
#include "watch/events/options.h"
#include "watch/view.h"

/** What the user wants. */
struct watch_options {
	double interval; /**< seconds between samples */
	uint64_t count;  /**< maximum number of samples, 0: no limit */
	double seconds;  /**< maximum time, 0: no limit */
	double budget;   /**< maximum share of one core, 0: no limit */
	enum watch_sort sort;
	uint64_t top;          /**< maximum number of rows */
	uint64_t peek;         /**< strings shown of the new pages of a row, 0: none */
	bool plain;            /**< text even on a terminal */
	bool live;             /**< a live screen is shown; set after parsing */
	const char *record;    /**< recording to write, NULL: none */
	const char *live_only; /**< name of an option that was given and is for living processes
	                          only; NULL: none */
	struct events_options events;
	struct selection selection;
	struct output_options output;
};

/** The options by group; they fill a struct watch_options. */
extern const struct cli_group watch_options_groups[];

/** Options that exclude each other, as in cli_spec.exclusive. */
extern const char *const watch_options_exclusive[];

#endif
