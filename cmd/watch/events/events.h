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
struct watch_events {
	struct watch *watch; /**< the process */
	struct watch_event_options
		*options;         /**< conditions, which remember what was met, and actions */
	struct watch_wait *wait;  /**< what is waited for */
	struct pm_wakeup *wakeup; /**< the kernel's events; NULL: no conditions */
	size_t first_source;      /**< place of the first of them among what is waited for */
	struct jobs jobs;         /**< what runs */
	uint64_t number;          /**< how many events there were */
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
 * @param events   filled; release with watch_events_close()
 * @param watch    the process
 * @param options  what the user wants
 * @param wait     gets the descriptors
 * @param error    any
 * @return         0 or -1
 */
int watch_events_open(struct watch_events *events, struct watch *watch,
                      struct watch_event_options *options, struct watch_wait *wait,
                      struct pm_error *error);

/**
 * Looks at all conditions after a look at the process, and acts.
 * @param events they
 * @param out where to tell
 * @return true: it is to end
 */
bool watch_events_look(struct watch_events *events, struct out *out);

/**
 * Takes what the kernel told since, after watch_wait(): then the next look comes at once. @param
 * events they
 * @param out where to tell
 */
void watch_events_take(struct watch_events *events, struct out *out);

/**
 * Waits for commands for a minute at the most, and releases everything.
 * @param events as opened, or zeroed
 * @param out where to tell
 */
void watch_events_close(struct watch_events *events, struct out *out);

/**
 * Checks options against each other, and adds those that are usual.
 * @param options they @param error PM_ERROR_USAGE
 * @return 0 or -1
 */
int watch_event_options_check(struct watch_event_options *options, struct pm_error *error);

/**
 * Checks actions against the process.
 * @param options they
 * @param run the process
 * @param error as action_check_run()
 * @return 0 or -1
 */
int watch_event_options_check_run(const struct watch_event_options *options,
                                  const struct pm_run *run, struct pm_error *error);

/**
 * Releases options.
 * @param options they
 */
void watch_event_options_deinit(struct watch_event_options *options);

/** The options: --on --do --again --cool-down. */
extern const struct cli_option watch_event_option_list[];

/** Takes one of them. @see cli_take */
int watch_event_options_take(void *into, int id, const char *value, struct pm_error *error);

/**
 * Tells that a condition was met.
 * @param events they
 * @param firing what was met
 * @param outcomes of all actions
 * @param out where to
 */
void watch_events_tell_firing(const struct watch_events *events, const struct firing *firing,
                              struct outcome *outcomes, struct out *out);

/**
 * Tells that a command ended.
 * @param events they
 * @param job it
 * @param status how
 * @param out where to
 */
void watch_events_tell_end(const struct watch_events *events, const struct job *job, int status,
                           struct out *out);

/**
 * Tells what woke us.
 * @param events they
 * @param source of it
 * @param out where to
 */
void watch_events_tell_wakeup(const struct watch_events *events,
                              const struct pm_wakeup_source *source, struct out *out);

/**
 * Tells that the kernel killed processes of the cgroup.
 * @param events they
 * @param count how many
 * @param out where to
 */
void watch_events_tell_kills(const struct watch_events *events, uint64_t count, struct out *out);

#endif
