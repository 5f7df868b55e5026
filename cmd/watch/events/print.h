/* SPDX-License-Identifier: MIT */
/** @file Reports events: as JSON, as text, or to a listener. */
#ifndef CMD_WATCH_EVENTS_PRINT_H
#define CMD_WATCH_EVENTS_PRINT_H

#include "watch/events/events.h"
#include "watch/events/perform.h"

/**
 * Reports the end of a command.
 * @param events the events
 * @param job the command
 * @param status as of jobs_reap()
 * @param out the output
 */
void events_print_end(const struct events *events, const struct job *job, int status,
                      struct out *out);

/**
 * Reports a condition that was met, and adds it to watch_run.firings.
 * @param events the events
 * @param firing the condition
 * @param outcomes one for each action
 * @param out the output
 */
void events_print_firing(const struct events *events, const struct firing *firing,
                         struct perform_outcome *outcomes, struct out *out);

/**
 * Reports OOM kills in the cgroup.
 * @param events the events
 * @param count number of processes
 * @param out the output
 */
void events_print_kills(const struct events *events, uint64_t count, struct out *out);

/**
 * Reports an event of the kernel.
 * @param events the events
 * @param source its source
 * @param out the output
 */
void events_print_wakeup(const struct events *events, const struct pm_wakeup_source *source,
                         struct out *out);

#endif
