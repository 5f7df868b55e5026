/* SPDX-License-Identifier: MIT */
/** @file Follows a name over restarts of its process, for --follow. */
#ifndef CMD_HEADROOM_FOLLOW_H
#define CMD_HEADROOM_FOLLOW_H

#include "headroom/rates.h"

/**
 * Measures the process that has a name. When it ends, waits for the next process with this name,
 * and measures that one, until the time of --for has passed since the start of the call. The rates
 * are those of the process that was measured for the longest time. If no process has the name at
 * the end, this is a process that has ended.
 *
 * @param name     the name
 * @param source   the duration
 * @param rates    receives the rates; release with headroom_rates_deinit()
 * @param process  receives the process that has the name at the end, NULL if there is none; close
 *                 it with pm_process_close()
 * @param error    PM_ERROR_NOT_FOUND if no process with the name was measured, and errors of
 *                 headroom_rates_measure() and pm_family_open()
 * @return         0 or -1; on failure there is nothing to release
 */
int headroom_follow_measure(const char *name, const struct headroom_source *source,
                            struct headroom_rates *rates, struct pm_process **process,
                            struct pm_error *error);

/**
 * Measures the largest of the processes with a name. If it ends, the largest one of the others is
 * measured for the rest of the time; the other processes remain observed from the start. If none is
 * left, the rates are those of the last one, which has ended.
 *
 * @param source   what is measured; `name` is set
 * @param rates    filled; release with headroom_rates_deinit()
 * @param process  receives the process, open; the caller closes it
 * @param error    PM_ERROR_NOT_FOUND if no process with the name was measured, errors of
 *                 headroom_rates_measure()
 * @return         0, 1 if the user interrupted, -1 on error
 */
int headroom_follow_largest(const struct headroom_source *source, struct headroom_rates *rates,
                            struct pm_process **process, struct pm_error *error);

#endif
