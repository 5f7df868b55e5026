/* SPDX-License-Identifier: MIT */
/** @file Reports events: as JSON, as text, or to a listener. */
#ifndef CMD_WATCH_EVENTS_PRINT_H
#define CMD_WATCH_EVENTS_PRINT_H

#include <procmem/wakeup.h>

#include "base/out.h"
#include "watch/events/jobs.h"
#include "watch/events/perform.h"
#include "watch/run.h"

/**
 * Receives a line of text that would otherwise go to the output, for example to show it on a
 * screen.
 * @param context the value of events_report.context
 * @param line the line, without a newline
 */
typedef void events_listener(void *context, const char *line);

/** Where events are reported. */
struct events_report {
	struct watch_run *run; /**< stores events for the summary */
	/** The history of the run; events have the time of its last sample. */
	const struct watch_history *history;
	/**
	 * Receives all lines of text. If it is NULL, lines are printed on the output, and failures
	 * on stderr.
	 */
	events_listener *listener;
	void *context; /**< passed to the listener */
};

/**
 * Reports the end of a command.
 * @param to where to report
 * @param job the command
 * @param status status of the command, as from jobs_reap()
 * @param out the output
 */
void events_print_end(const struct events_report *to, const struct job *job, int status,
                      struct out *out);

/**
 * Reports a condition that was met, and adds it to watch_run.firings.
 * @param to where to report
 * @param firing the condition
 * @param outcomes the outcomes of the actions, in the order of the actions
 * @param out the output
 */
void events_print_firing(const struct events_report *to, const struct firing *firing,
                         struct perform_outcome *outcomes, struct out *out);

/**
 * Reports OOM kills in the cgroup.
 * @param to where to report
 * @param count number of processes
 * @param out the output
 */
void events_print_kills(const struct events_report *to, uint64_t count, struct out *out);

/**
 * Reports an event of the kernel.
 * @param to where to report
 * @param source its source
 * @param out the output
 */
void events_print_wakeup(const struct events_report *to, const struct pm_wakeup_source *source,
                         struct out *out);

#endif
