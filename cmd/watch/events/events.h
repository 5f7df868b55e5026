/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Conditions of `procmem watch` and what is done about them: the options, the looks, the kernel's
 * events that make looks come earlier, and what is told of all that.
 */
#ifndef CMD_WATCH_EVENTS_EVENTS_H
#define CMD_WATCH_EVENTS_EVENTS_H

#include <procmem/wakeup.h>

#include "base/poll_loop.h"
#include "watch/events/actions.h"

/**
 * Tells a line in another place than the output, such as a screen.
 * @param context of the place
 * @param line the line
 */
typedef void event_teller(void *context, const char *line);

/** Conditions at work. */
struct events {
	struct watch *watch;            /**< the process */
	struct events_options *options; /**< conditions, which remember what was met, and actions */
	struct poll_loop *wait;         /**< what is waited for */
	struct pm_wakeup *wakeup;       /**< the kernel's events; NULL: no conditions */
	size_t first_source;            /**< place of the first of them among what is waited for */
	struct jobs jobs;               /**< what runs */
	uint64_t number;                /**< how many events there were */
	uint64_t killed;  /**< processes of the cgroup that the kernel killed before we began, or we
	                     told about */
	bool kills_known; /**< it tells them */
	bool ended;       /**< an action ends it */
	event_teller *tell; /**< where lines go; NULL: to the output, failures to standard error */
	void *teller;       /**< its context */
};

/**
 * Opens the kernel's events. Without conditions there is nothing to do, here and in all that
 * follows.
 *
 * @param events   filled; release with events_close()
 * @param watch    the process
 * @param options  what the user wants
 * @param wait     gets the descriptors
 * @param error    any
 * @return         0 or -1
 */
int events_open(struct events *events, struct watch *watch, struct events_options *options,
                struct poll_loop *wait, struct pm_error *error);

/**
 * Looks at all conditions after a look at the process, and acts.
 * @param events they
 * @param out where to tell
 * @return true: it is to end
 */
bool events_look(struct events *events, struct out *out);

/**
 * Takes what the kernel told since, after poll_loop_wait(): then the next look comes at once.
 * @param events they
 * @param out where to tell
 */
void events_parse_option(struct events *events, struct out *out);

/**
 * Waits for commands for a minute at the most, and releases everything.
 * @param events as opened, or zeroed
 * @param out where to tell
 */
void events_close(struct events *events, struct out *out);

/** The options: --on --do --again --cool-down. */
extern const struct cli_option events_options_table[];

#endif
