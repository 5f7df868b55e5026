/* SPDX-License-Identifier: MIT */
/** @file FILL action_check.c */
#ifndef CMD_WATCH_EVENTS_ACTION_CHECK_H
#define CMD_WATCH_EVENTS_ACTION_CHECK_H

#include "watch/events/actions.h"

/**
 * Checks what can be known of an action before anything is met: the folder of its file is there,
 * and a sample goes to a recording or a new file. Names with placeholders are looked at only where
 * these do not matter.
 *
 * @param action  the action
 * @param error   PM_ERROR_USAGE with the file
 * @return        0 or -1
 */
int action_check(const struct action *action, struct pm_error *error);

/**
 * Checks what can be known once the process is: a recording that a sample is to go to is one of
 * this process. Names in which more varies than the PID are not looked at.
 *
 * @param action  the action
 * @param run     the process
 * @param error   PM_ERROR_USAGE with the file, or why the recording cannot be read
 * @return        0 or -1
 */
int action_check_run(const struct action *action, const struct pm_process_id *run,
                     struct pm_error *error);

#endif
