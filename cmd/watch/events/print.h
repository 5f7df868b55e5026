/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_WATCH_EVENTS_PRINT_H
#define CMD_WATCH_EVENTS_PRINT_H

#include "watch/events/events.h"

/**
 * Tells that a command ended.
 * @param events they
 * @param job it
 * @param status how
 * @param out where to
 */
void events_print_end(const struct events *events, const struct job *job, int status,
                      struct out *out);

/**
 * Tells that a condition was met.
 * @param events they
 * @param firing what was met
 * @param outcomes of all actions
 * @param out where to
 */
void events_print_firing(const struct events *events, const struct firing *firing,
                         struct outcome *outcomes, struct out *out);

/**
 * Tells that the kernel killed processes of the cgroup.
 * @param events they
 * @param count how many
 * @param out where to
 */
void events_print_kills(const struct events *events, uint64_t count, struct out *out);

/**
 * Tells what woke us.
 * @param events they
 * @param source of it
 * @param out where to
 */
void events_print_wakeup(const struct events *events, const struct pm_wakeup_source *source,
                         struct out *out);

#endif
