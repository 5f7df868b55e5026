/* SPDX-License-Identifier: MIT */
/** @file FILL options.c */
#ifndef CMD_WATCH_EVENTS_OPTIONS_H
#define CMD_WATCH_EVENTS_OPTIONS_H

#include "watch/events/events.h"

/**
 * Checks options against each other, and adds those that are usual.
 * @param options they @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int events_options_check(struct events_options *options, struct pm_error *error);

/**
 * Checks actions against the process.
 * @param options they
 * @param run the process
 * @param error as action_check_run()
 * @return 0 or -1
 */
int events_options_check_process(const struct events_options *options,
                                 const struct pm_process_id *run, struct pm_error *error);

/**
 * Releases options.
 * @param options they
 */
void events_options_deinit(struct events_options *options);

/** Takes one of them. @see cli_parse_option */
int events_options_parse(void *into, int id, const char *value, struct pm_error *error);

#endif
