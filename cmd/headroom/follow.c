/* SPDX-License-Identifier: MIT */
#include "headroom/follow.h"

#include <math.h>
#include <stdlib.h>

#include <procmem/family.h>
#include <procmem/memory_use.h>
#include <procmem/number.h>
#include <procmem/process_find.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/poll_loop.h"
#include "base/report.h"

/* Time between two searches for a process with the name, in seconds. */
static const double search_interval = 0.5;

/* A process is not measured if less time than this is left, in seconds. */
static const double min_seconds = 0.1;

/* Maximum number of processes with a name that are measured one after the other. */
enum { LARGEST_MAX = 64 };

/** State while a name is followed. */
struct following {
	const char *name;
	const struct headroom_source *source;
	struct pm_family *family;
	double deadline; /* by CLOCK_MONOTONIC; HUGE_VAL without --for */
	bool waited;     /* the user knows that no process has the name */
};

/** Returns the process that has the name, NULL if there is none. */
static const struct pm_family_member *find_alive(const struct pm_family *family)
{
	const struct pm_family_view *view = pm_family_get(family);

	for (size_t i = 0; i < view->count; i++)
		if (view->items[i].state == PM_FAMILY_ALIVE)
			return &view->items[i];
	return NULL;
}

/** Returns whether a process could not be opened because there is none. */
static bool is_absent(const struct pm_error *error)
{
	return error->kind == PM_ERROR_GONE || error->kind == PM_ERROR_NOT_FOUND;
}

/**
 * Opens the process that has the name.
 * @return 1, 0 if there is none, -1 on failure
 */
static int open_alive(struct following *following, struct pm_process **process,
                      struct pm_error *error)
{
	if (pm_family_update(following->family, error) < 0)
		return -1;

	const struct pm_family_member *member = find_alive(following->family);
	if (!member)
		return 0;
	if (pm_family_open_member(following->family, member, process, error) == 0)
		return 1;

	return is_absent(error) ? 0 : -1;
}

/**
 * Waits until a process has the name, and opens it.
 * @return 1, 0 if the time has passed or the user interrupted, -1 on failure
 */
static int await_process(struct following *following, struct pm_process **process,
                         struct pm_error *error)
{
	struct poll_loop wait;
	int result = open_alive(following, process, error);

	if (result != 0)
		return result;
	if (!following->waited && !following->source->quiet)
		report_note("waiting for a process called %s", following->name);
	following->waited = true;

	poll_loop_init(&wait, search_interval);
	while (result == 0 && !*wait.interrupted && clock_seconds() < following->deadline)
		if (poll_loop_wait(&wait))
			result = open_alive(following, process, error);
	poll_loop_deinit(&wait);

	return result;
}

/** Keeps the rates of the process that was measured for the longer time. */
static void keep_longer(struct headroom_rates *rates, struct headroom_rates *measured)
{
	if (headroom_rates_seconds(measured) < headroom_rates_seconds(rates)) {
		headroom_rates_deinit(measured);
		return;
	}

	headroom_rates_deinit(rates);
	*rates = *measured;
}

/**
 * Measures a process until it ends or the time has passed.
 * @return 1 if it has not ended, 0 if it has, -1 on failure
 */
static int measure_one(struct following *following, struct pm_process *process,
                       struct headroom_rates *rates, struct pm_error *error)
{
	struct headroom_source source = *following->source;
	struct headroom_rates measured;

	source.follow = true;
	if (source.seconds > 0) {
		source.seconds = following->deadline - clock_seconds();
		if (source.seconds < min_seconds)
			return 1;
	}

	if (rates->pid != 0 && !source.quiet)
		report_note("process %d has the name now", (int)pm_process_pid(process));
	if (headroom_rates_measure(&measured, process, &source, error) < 0)
		return -1;

	bool ended = measured.ended;
	double seconds = headroom_rates_seconds(&measured);
	keep_longer(rates, &measured);
	if (!ended)
		return 1;

	char duration[PM_DURATION_TEXT_SIZE];
	pm_format_duration(seconds, duration);
	following->waited = false;
	if (!source.quiet)
		report_note("process %d ended; it was measured for %s",
		            (int)pm_process_pid(process), duration);
	return 0;
}

/**
 * Reports that no process has the name at the end.
 *
 * @param name   the name
 * @param rates  rates of the process whose results remain; `pid` is 0 if there is none
 * @param quiet  no note is printed
 * @param error  filled on failure
 * @return       0 if the last sample of that process can be reported, otherwise -1
 */
static int report_none(const char *name, const struct headroom_rates *rates, bool quiet,
                       struct pm_error *error)
{
	const char *again = rates->pid == 0 ? "" : " any more";

	if (!rates->ended || !rates->last.known)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no process is called '%s'%s",
		                    name, again);

	if (!quiet)
		report_note("no process is called '%s'%s; the results are those of process %d",
		            name, again, (int)rates->pid);
	return 0;
}

int headroom_follow_measure(const char *name, const struct headroom_source *source,
                            struct headroom_rates *rates, struct pm_process **process,
                            struct pm_error *error)
{
	const struct pm_family_options options = { .kind = PM_FAMILY_FOLLOW, .name = name };
	struct following following = { .name = name, .source = source, .deadline = HUGE_VAL };
	struct headroom_rates longest = { 0 };
	struct pm_process *opened = NULL;

	if (source->seconds > 0)
		following.deadline = clock_seconds() + source->seconds;
	if (pm_family_open(&options, &following.family, error) < 0)
		return -1;

	/* Also between two processes, a signal ends the measurement. */
	interrupt_hold();

	int result = 0;
	while (result == 0) {
		result = await_process(&following, &opened, error);
		if (result <= 0)
			break;

		result = measure_one(&following, opened, &longest, error);
		if (result <= 0) {
			pm_process_close(opened);
			opened = NULL;
		}
	}

	interrupt_release();
	pm_family_close(following.family);
	if (result == 0)
		result = report_none(name, &longest, source->quiet, error);
	if (result < 0) {
		headroom_rates_deinit(&longest);
		return -1;
	}

	/* Limits are those of the process that runs. */
	if (opened)
		longest.ended = longest.last.known = false;
	*rates = longest;
	*process = opened;
	return 0;
}

/** Opens the largest of the processes with a name. */
static int open_largest(const char *name, struct pm_process **process, struct pm_error *error)
{
	pid_t *pids, largest = 0;
	size_t count;
	uint64_t most = 0;

	if (pm_process_find_all(name, &pids, &count, error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++) {
		struct pm_memory_use use;

		if (pm_memory_use_read(NULL, pids[i], &use, NULL) != PM_USE_READ)
			continue;
		if (largest == 0 || pm_memory_use_kept(&use) > most) {
			largest = pids[i];
			most = pm_memory_use_kept(&use);
		}
	}

	if (largest == 0)
		largest = pids[0];
	free(pids);
	return pm_process_open(NULL, largest, process, error);
}

/**
 * Releases the rates of a process that has ended, except those of the other processes.
 *
 * @param rates     the rates; released
 * @param process   the process; closed
 * @param observed  receives the other processes; release with neighbours_deinit()
 * @param source    what is measured
 */
static void keep_others(struct headroom_rates *rates, struct pm_process *process,
                        struct neighbours *observed, const struct headroom_source *source)
{
	if (!source->quiet)
		report_note("process %d ended; the limits are those of the largest one of the "
		            "others",
		            (int)pm_process_pid(process));

	*observed = rates->around.neighbours;
	rates->around.neighbours = (struct neighbours){ 0 };
	headroom_rates_deinit(rates);
	pm_process_close(process);
}

int headroom_follow_largest(const struct headroom_source *source, struct headroom_rates *rates,
                            struct pm_process **process, struct pm_error *error)
{
	struct headroom_source rest = *source;
	struct headroom_rates measured = { 0 };
	struct neighbours observed = { 0 };
	struct pm_process *largest = NULL, *next;
	double deadline = clock_seconds() + source->seconds;
	int result = -1;

	rest.observed = &observed;
	interrupt_hold();
	for (int tries = 1; tries <= LARGEST_MAX; tries++) {
		rest.follow = tries < LARGEST_MAX;
		if (open_largest(source->name, &next, error) < 0) {
			if (largest && is_absent(error))
				result = report_none(source->name, &measured, source->quiet, error);
			break;
		}

		if (largest)
			keep_others(&measured, largest, &observed, source);
		largest = next;
		if (source->seconds > 0 && tries > 1)
			rest.seconds = deadline - clock_seconds();
		if (source->seconds > 0 && rest.seconds < min_seconds)
			rest.seconds = min_seconds;

		result = headroom_rates_measure(&measured, largest, &rest, error);
		if (result < 0 || !measured.ended)
			break;
		result = -1;
	}

	interrupt_release();
	neighbours_deinit(&observed);
	if (result < 0) {
		headroom_rates_deinit(&measured);
		pm_process_close(largest);
		return -1;
	}

	*rates = measured;
	*process = largest;
	return result;
}
