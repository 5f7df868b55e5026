/* SPDX-License-Identifier: MIT */
/**
 * @file Evaluates the conditions of `procmem watch` after each sample, and performs actions. After
 * a notification of the kernel, the next sample is taken at once instead of at the end of the
 * interval.
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

/** The conditions of a run, their actions, and the notifications of the kernel. */
struct events {
	struct events_report report;    /**< where events are reported; its listener can be set */
	struct events_options *options; /**< the actions, and the conditions with their state */
	struct evaluate evaluate;       /**< the values that conditions are compared with */
	struct poll_loop *wait;         /**< waits for events and commands */
	/** Notifications of the kernel; NULL if there are no conditions. */
	struct pm_wakeup *wakeup;
	size_t first_source; /**< index in `wait` of the first descriptor of `wakeup` */
	struct jobs jobs;    /**< running commands */
	uint64_t number;     /**< number of conditions that were met so far */
	/**
	 * Number of OOM kills in the cgroup that need not be reported: they have been reported, or
	 * happened before the run.
	 */
	uint64_t killed;
	bool kills_known; /**< the kernel counts OOM kills */
};

/**
 * Opens the notifications of the kernel. If there are no conditions, this function and all others
 * of this file do nothing.
 *
 * @param events   filled; release with events_close()
 * @param run      the run
 * @param history  the history of the run
 * @param options  the conditions and actions; must outlive the events
 * @param wait     receives the descriptors to wait for; must outlive the events
 * @param error    any error of pm_wakeup_open()
 * @return         0 or -1
 */
int events_open(struct events *events, struct watch_run *run, const struct watch_history *history,
                struct events_options *options, struct poll_loop *wait, struct pm_error *error);

/**
 * Evaluates all conditions after a sample, and performs actions.
 * @param events the events
 * @param out the output
 * @return true if an action ends the run
 */
bool events_evaluate(struct events *events, struct out *out);

/**
 * Receives notifications of the kernel after poll_loop_wait(). If there are any, the next sample is
 * taken at once.
 * @param events the events
 * @param out the output
 */
void events_receive(struct events *events, struct out *out);

/**
 * Waits for running commands, for a minute at most, and releases all resources.
 * @param events as opened, or zeroed; zeroed afterwards
 * @param out the output
 */
void events_close(struct events *events, struct out *out);

#endif
