/* SPDX-License-Identifier: MIT */
#include "watch/family/limits.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "target/first_limit.h"
#include "target/json_parts.h"
#include "watch/format.h"
#include "watch/verdict.h"

/* At most this share of one processor is spent on limits. */
static const double limits_share = 0.001;

/* Number of processes that are tried until one can be opened. */
enum { TRIES_MAX = 8 };

/** Stops reading the limits of a process. What was read so far is kept. */
static void close_process(struct family_limits *limits)
{
	pm_kills_close(limits->kills);
	pm_process_close(limits->process);
	limits->kills = NULL;
	limits->process = NULL;
}

/** Opens a process, to read its limits. */
static bool open_process(struct family_limits *limits, const struct pm_family *family,
                         const struct pm_family_member *member)
{
	if (member->state != PM_FAMILY_ALIVE ||
	    pm_family_open_member(family, member, &limits->process, NULL) < 0)
		return false;

	limits->id = member->id;
	limits->killed = 0;
	if (pm_kills_open(limits->process, NULL, &limits->kills, NULL) < 0)
		limits->kills = NULL;
	else
		pm_kills_count(limits->kills, &limits->killed);
	return true;
}

/** Finds a process whose limits can be read: the one as before, if it still runs. */
static bool find_process(struct family_limits *limits, const struct pm_family *family,
                         const struct family_members *members)
{
	const struct pm_family_view *view = pm_family_get(family);
	const struct family_member *member = family_members_find(members, limits->id);
	int tries = 0;

	if (limits->process && member && member->state == PM_FAMILY_ALIVE)
		return true;

	close_process(limits);
	for (size_t i = 0; i < view->count && tries < TRIES_MAX; i++, tries++)
		if (open_process(limits, family, &view->items[i]))
			return true;
	return false;
}

/** Keeps the limits that processes share. */
static void keep_shared(struct pm_headroom *headroom)
{
	size_t kept = 0;

	for (size_t i = 0; i < headroom->count; i++) {
		enum pm_limit_kind kind = headroom->limits[i].kind;
		if (kind == PM_LIMIT_CGROUP || kind == PM_LIMIT_CGROUP_WORKING_SET ||
		    kind == PM_LIMIT_CGROUP_HIGH || kind == PM_LIMIT_SYSTEM)
			headroom->limits[kept++] = headroom->limits[i];
	}

	headroom->count = kept;
}

/** Returns the memory of the family that uses up limits: growth of mapped files does not count. */
static uint64_t charged_memory(const struct family_sum *sum)
{
	int64_t memory = (int64_t)sum->origin + sum->change - sum->file_change;

	return memory > 0 ? (uint64_t)memory : 0;
}

int family_limits_read(struct family_limits *limits, const struct pm_family *family,
                       const struct family_members *members, struct pm_error *error)
{
	struct pm_headroom now;
	double begin = clock_cpu_seconds();

	if (members->now < limits->due || !find_process(limits, family, members))
		return 0;
	if (!limits->history) {
		limits->history = alloc_array(NULL, 1, sizeof *limits->history);
		*limits->history = (struct watch_history){ 0 };
	}

	struct watch_history *history = limits->history;
	history->sample.time = members->now;
	history->samples++;
	/* Time without growth that can be known does not make the rate smaller. */
	if (!family_members_has_gap(members) &&
	    pm_series_add(&history->memory.series, members->now - members->gaps,
	                  charged_memory(&members->sum), error) < 0)
		return -1;

	if (pm_headroom_read_memory(limits->process, NULL, &now, NULL) < 0)
		now = (struct pm_headroom){ 0 };
	keep_shared(&now);
	watch_history_judge(history);
	watch_history_set_headroom(history, &now, true);

	limits->due = members->now + (clock_cpu_seconds() - begin) / limits_share;
	return 0;
}

uint64_t family_limits_count_kills(struct family_limits *limits)
{
	uint64_t before = limits->killed;

	if (!limits->kills || !pm_kills_count(limits->kills, &limits->killed) ||
	    limits->killed < before)
		return 0;

	return limits->killed - before;
}

/** Returns the limit that is reached first. The memory of the machine counts if the time is known.
 */
static const struct pm_limit *find_limit(const struct family_limits *limits)
{
	if (!limits->history)
		return NULL;

	const struct pm_limit *limit = watch_history_first_limit(limits->history);
	if (!limit || limit->kind != PM_LIMIT_SYSTEM)
		return limit;

	struct forecast_time time = watch_history_time(limits->history, limit);
	bool grows = pm_trend_growth_rate(&limits->history->memory.trend) > 0;
	return time.known && grows ? limit : NULL;
}

void family_limits_describe(const struct family_limits *limits, bool bytes, struct text *text)
{
	const struct pm_limit *limit = find_limit(limits);

	if (!limit)
		return;

	struct forecast_time time = watch_history_time(limits->history, limit);
	text_string(text, limit->kind == PM_LIMIT_SYSTEM ? "machine " : "limit ");
	watch_format_size(limit->max, bytes, text);

	if (time.known) {
		text_string(text, ": full in ");
		watch_verdict_time(time.estimate, time.seconds, text);
		if (time.by_process)
			text_string(text, " at the rate of these processes");
	} else {
		text_string(text, ": ");
		watch_format_size(pm_limit_left(limit), bytes, text);
		text_string(text, " left");
	}
}

bool family_limits_time(const struct family_limits *limits, double *seconds)
{
	const struct pm_limit *limit = find_limit(limits);

	if (!limit)
		return false;

	struct forecast_time time = watch_history_time(limits->history, limit);
	*seconds = time.seconds;
	return time.known;
}

void family_limits_json(const struct family_limits *limits, struct json *json)
{
	const struct pm_limit *limit = find_limit(limits);

	if (!limit)
		return;

	struct forecast_time time = watch_history_time(limits->history, limit);
	json_open(json, "first_limit", '{');
	json_parts_limit(json, limit);
	json_parts_left(json, &time);
	json_shut(json, '}');
}

void family_limits_deinit(struct family_limits *limits)
{
	close_process(limits);
	if (limits->history)
		watch_history_deinit(limits->history);
	free(limits->history);
	*limits = (struct family_limits){ 0 };
}
