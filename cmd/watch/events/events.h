/* SPDX-License-Identifier: MIT */
/**
 * @file The conditions of `procmem watch` at work: they are evaluated after each sample, and events
 * of the kernel make a sample come earlier.
 */
#ifndef CMD_WATCH_EVENTS_EVENTS_H
#define CMD_WATCH_EVENTS_EVENTS_H

#include <procmem/wakeup.h>

#include "base/out.h"
#include "base/poll_loop.h"
#include "watch/events/evaluate.h"
#include "watch/events/jobs.h"
#include "watch/events/print.h"
#include "watch/run.h"

/** Conditions at work. */
struct events {
	struct events_report report;    /**< where events are reported; its listener can be set */
	struct events_options *options; /**< actions, and conditions that remember when they were
	                                   met */
	struct evaluate evaluate;       /**< what conditions are compared with */
	struct poll_loop *wait;         /**< waits for events and commands */
	struct pm_wakeup *wakeup;       /**< events of the kernel; NULL: there are no conditions */
	size_t first_source;            /**< index of their first descriptor in `wait` */
	struct jobs jobs;               /**< running commands */
	uint64_t number;                /**< number of events so far */
	uint64_t killed;                /**< OOM kills in the cgroup that need no report */
	bool kills_known;               /**< the kernel counts OOM kills */
};

/**
 * Opens the events of the kernel. Without conditions all functions do nothing.
 *
 * @param events   filled; release with events_close()
 * @param run      the run
 * @param history  its history
 * @param options  what the user wants
 * @param wait     receives descriptors
 * @param error    any
 * @return         0 or -1
 */
int events_open(struct events *events, struct watch_run *run, const struct watch_history *history,
                struct events_options *options, struct poll_loop *wait, struct pm_error *error);

/**
 * Evaluates all conditions after a sample, and performs actions.
 * @param events the events
 * @param out the output
 * @return true: an action ends the run
 */
bool events_evaluate(struct events *events, struct out *out);

/**
 * Receives events of the kernel after poll_loop_wait(). They make the next sample come at once.
 * @param events the events
 * @param out the output
 */
void events_receive(struct events *events, struct out *out);

/**
 * Waits for commands, for a minute at most, and releases everything.
 * @param events as opened, or zeroed; zeroed afterwards
 * @param out the output
 */
void events_close(struct events *events, struct out *out);

#endif
