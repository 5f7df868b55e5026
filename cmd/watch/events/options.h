/* SPDX-License-Identifier: MIT */
/** @file The options for conditions and actions: --on, --do, --again, --cool-down. */
#ifndef CMD_WATCH_EVENTS_OPTIONS_H
#define CMD_WATCH_EVENTS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/recording.h>

#include "cli/cli.h"

struct condition;
struct action;

/** The conditions and the actions of a run. */
struct events_options {
	struct condition *conditions; /**< the conditions, each evaluated independently of the
	                                 others; owned */
	size_t condition_count;       /**< number of conditions; 0: no actions are performed */
	struct action *actions;       /**< the actions, all performed in this order; owned */
	size_t action_count;          /**< number of actions */
	bool again;                   /**< a threshold can be met more than once */
	double cool_down; /**< if `again`: minimum time between two events of the same threshold, in
	                     seconds */
};

/** Table of the options for conditions and actions. */
extern const struct cli_option events_options_table[];

/**
 * Parses one of the options.
 * @param into a struct events_options
 * @param id ID of the option
 * @param value its argument
 * @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int events_options_parse(void *into, int id, const char *value, struct pm_error *error);

/**
 * Checks that the options are consistent, and sets defaults.
 * @param options the options
 * @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int events_options_check(struct events_options *options, struct pm_error *error);

/**
 * Checks actions when the process is known.
 * @param options the options
 * @param process the process
 * @param error as action_check_process()
 * @return 0 or -1
 */
int events_options_check_process(const struct events_options *options,
                                 const struct pm_process_id *process, struct pm_error *error);

/**
 * Releases options.
 * @param options the options; zeroed afterwards
 */
void events_options_deinit(struct events_options *options);

#endif
