/* SPDX-License-Identifier: MIT */
#include "watch/family/members.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/number.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "watch/family/regions.h"

/* The trend of a process that does not change is computed again after this time, in seconds. It
 * changes slowly: it is no longer too early for a verdict, or growth has stopped. */
static const double judge_every = 5;

uint64_t family_members_memory(const struct family_member *member)
{
	return member->rss + member->swap;
}

int64_t family_members_growth(const struct family_member *member)
{
	return (int64_t)(family_members_memory(member) - member->first);
}

static bool has_ended(const struct family_member *member)
{
	return member->state == PM_FAMILY_ENDED || member->state == PM_FAMILY_LEFT;
}

/** Returns when a process started, as pm_sample.time; 0 if that is not known. */
static double start_time(const struct pm_family_member *found)
{
	long ticks = sysconf(_SC_CLK_TCK);

	return ticks > 0 ? (double)found->start_ticks / (double)ticks : 0;
}

/** Adds an item for a process that the family did not have before. */
static struct family_member *append(struct family_members *members,
                                    const struct pm_family_member *found)
{
	if (members->count == members->capacity) {
		members->capacity = members->capacity * 2 + 16;
		members->items = alloc_array(members->items, members->capacity,
		                             sizeof *members->items);
	}

	struct family_member *member = &members->items[members->count++];
	*member = (struct family_member){ .id = found->id,
		                          .pid = found->pid,
		                          .execs = found->execs,
		                          .born = members->samples > 0,
		                          .started = start_time(found) };
	members->changed = members->changed || member->born;
	return member;
}

/** Counts what a process had at the start as released, because it has ended or is unreadable. */
static void release_first(struct family_sum *sum, struct family_member *member)
{
	if (!member->measured || (member->born && !member->replaced))
		return;

	sum->released += member->replaced ? member->before_exec : member->first;
	sum->released_count++;
	member->replaced = false;
}

/** Starts again for a process that called exec: its memory, and so its trend, is another. */
static void restart(struct family_members *members, struct family_member *member, uint32_t execs)
{
	family_regions_close(member);
	pm_series_deinit(&member->memory.series);

	if (member->measured && !member->born) {
		member->replaced = true;
		member->before_exec = member->first;
	}

	member->memory = (struct watch_series){ 0 };
	member->measured = false;
	member->born = true;
	member->execs = execs;
	member->judged = 0;
	members->changed = true;
}

/** Adds the sizes of a process that runs. */
static int measure(struct family_members *members, struct family_member *member,
                   const struct pm_family_member *found, struct pm_error *error)
{
	uint64_t before = family_members_memory(member);

	member->rss = found->rss;
	member->swap = found->swap;
	member->threads = found->threads;

	uint64_t memory = family_members_memory(member);
	if (member->measured) {
		members->continued = true;
	} else {
		member->first = before = memory;
		member->measured = true;
		member->born = members->samples > 0;
	}

	member->previous = before;
	members->sum.change += (int64_t)(memory - before);
	return pm_series_add(&member->memory.series, members->now, memory, error);
}

/** Describes how a process has ended, with the time for which it ran. */
static void describe_end(struct family_member *member, double now)
{
	char duration[PM_DURATION_TEXT_SIZE];

	text_clear(&member->note);
	if (member->state == PM_FAMILY_LEFT) {
		text_string(&member->note, "runs, but no longer belongs to the group");
		return;
	}

	text_string(&member->note, "exited");
	if (member->started > 0 && now > member->started) {
		pm_format_duration(now - member->started, duration);
		text_format(&member->note, " after %s", duration);
	}
}

/** Counts a process that has ended. */
static void end(struct family_members *members, struct family_member *member)
{
	describe_end(member, members->now);
	member->until = members->now;
	member->previous = family_members_memory(member);
	members->ended++;
	members->changed = true;
	release_first(&members->sum, member);
}

/** Updates a process as the family has found it. */
static int update(struct family_members *members, struct family_member *member,
                  const struct pm_family_member *found, struct pm_error *error)
{
	member->state = found->state;
	if (*found->comm)
		memcpy(member->comm, found->comm, sizeof member->comm);

	switch (found->state) {
	case PM_FAMILY_ALIVE:
		text_clear(&member->note);
		members->alive++;
		if (member->execs != found->execs)
			restart(members, member, found->execs);
		return measure(members, member, found, error);

	case PM_FAMILY_UNREADABLE:
		members->unreadable++;
		release_first(&members->sum, member);
		member->measured = false;
		text_clear(&member->note);
		if (found->reason)
			utf8_escape(&member->note, found->reason, strlen(found->reason));
		return 0;

	default:
		end(members, member);
		return 0;
	}
}

/** Releases the item of a process. */
static void release(struct family_member *member)
{
	family_regions_close(member);
	pm_series_deinit(&member->memory.series);
	text_deinit(&member->note);
}

/** Finds the process that ended first. There must be one. */
static size_t find_first_ended(const struct family_members *members)
{
	size_t first = members->count;

	for (size_t i = 0; i < members->count; i++)
		if (has_ended(&members->items[i]) &&
		    (first == members->count ||
		     members->items[i].until < members->items[first].until))
			first = i;

	return first;
}

/** Removes the items of the processes that ended first, if there are too many. */
static void drop_ended(struct family_members *members)
{
	while (members->ended - members->dropped > FAMILY_ENDED_MAX) {
		size_t first = find_first_ended(members);
		struct family_member *item = &members->items[first];

		members->dropped_lives += item->followed;
		release(item);
		members->count--;
		members->dropped++;
		memmove(item, item + 1, (members->count - first) * sizeof *item);
	}
}

/** Computes the sums over all processes. */
static int add_up(struct family_members *members, struct pm_error *error)
{
	struct family_sum *sum = &members->sum;
	uint64_t total = 0;

	sum->staying = sum->exec_growth = 0;
	sum->arrived = 0;
	sum->arrived_count = sum->exec_count = 0;
	for (size_t i = 0; i < members->count; i++) {
		const struct family_member *member = &members->items[i];

		if (has_ended(member) || !member->measured)
			continue;

		total += family_members_memory(member);
		if (member->replaced) {
			sum->exec_growth += (int64_t)(family_members_memory(member) -
			                              member->before_exec);
			sum->exec_count++;
		} else if (member->born) {
			sum->arrived += family_members_memory(member);
			sum->arrived_count++;
		} else {
			sum->staying += family_members_growth(member);
		}
	}

	sum->memory = total;
	if (members->samples == 0)
		sum->first = sum->origin = total;

	/* A series has no negative values. The changes can only be that low if processes that
	 * appeared later have become smaller; then the family does not grow. */
	int64_t within = (int64_t)sum->origin + sum->change;
	if (within < 0)
		within = 0;

	if (pm_series_add(&sum->total.series, members->now, total, error) < 0)
		return -1;
	if (family_members_has_gap(members))
		return 0;
	return pm_series_add(&sum->within.series, members->now - members->gaps, (uint64_t)within,
	                     error);
}

/** Takes the time of a sample. */
static void take_time(struct family_members *members)
{
	struct timespec wall;

	members->before = members->now;

	clock_gettime(CLOCK_REALTIME, &wall);
	members->wall_ns = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
	members->now = clock_boot_seconds();
	if (members->samples == 0)
		members->began = members->now;
}

int family_members_add(struct family_members *members, const struct pm_family_view *view,
                       struct pm_error *error)
{
	size_t at = 0, known = members->count;

	take_time(members);
	members->continued = false;
	members->alive = members->unreadable = 0;
	members->beyond = view->beyond;
	members->foreign = view->foreign;
	members->incomplete = view->incomplete;

	/* Both lists are sorted by number. A new process has a larger number than all others. */
	for (size_t i = 0; i < view->count; i++) {
		const struct pm_family_member *found = &view->items[i];

		while (at < known && members->items[at].id < found->id)
			at++;

		struct family_member *member;
		if (at < known && members->items[at].id == found->id)
			member = &members->items[at];
		else
			member = append(members, found);

		if (!has_ended(member) && update(members, member, found, error) < 0)
			return -1;
	}

	if (family_members_has_gap(members))
		members->gaps += members->now - members->before;
	drop_ended(members);
	if (add_up(members, error) < 0)
		return -1;

	members->samples++;
	return 0;
}

bool family_members_has_gap(const struct family_members *members)
{
	return members->before > 0 && !members->continued;
}

/** Computes the trend of a process, unless it was computed a short time ago for the same values. */
static void judge(struct family_member *member, double now)
{
	struct watch_series *memory = &member->memory;
	bool changed = family_members_memory(member) != member->previous ||
	               memory->trend.verdict == PM_VERDICT_TOO_EARLY;

	if (changed || now - member->judged >= judge_every) {
		pm_trend_judge(&memory->series, PM_TREND_BYTES, &memory->trend);
		member->judged = now;
	}
}

void family_members_judge(struct family_members *members)
{
	struct family_sum *sum = &members->sum;

	for (size_t i = 0; i < members->count; i++)
		if (members->items[i].measured &&
		    (members->items[i].until == 0 || members->items[i].judged == 0))
			judge(&members->items[i], members->now);

	pm_trend_judge(&sum->total.series, PM_TREND_BYTES, &sum->total.trend);
	if (members->changed)
		pm_trend_judge(&sum->within.series, PM_TREND_BYTES, &sum->within.trend);
}

const struct pm_trend *family_members_trend(const struct family_members *members)
{
	const struct pm_trend *total = &members->sum.total.trend;
	const struct pm_trend *within = &members->sum.within.trend;

	/* If the sum rises and falls because processes are replaced regularly, its lowest points
	 * say whether the family grows. */
	if (!members->changed || total->verdict == PM_VERDICT_TOO_EARLY || total->floor_known ||
	    pm_trend_growth_rate(total) > 0)
		return total;

	return pm_trend_growth_rate(within) > 0 ? within : total;
}

struct family_member *family_members_find(const struct family_members *members, uint64_t id)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->items[i].id == id)
			return &members->items[i];

	return NULL;
}

void family_members_rebase(struct family_members *members)
{
	struct family_sum *sum = &members->sum;

	for (size_t i = 0; i < members->count; i++) {
		struct family_member *member = &members->items[i];
		member->first = family_members_memory(member);
		member->born = member->replaced = false;
	}

	sum->first = sum->memory;
	sum->staying = sum->exec_growth = 0;
	sum->arrived = sum->released = 0;
	sum->arrived_count = sum->released_count = sum->exec_count = 0;
}

void family_members_deinit(struct family_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		release(&members->items[i]);
	free(members->items);

	pm_series_deinit(&members->sum.total.series);
	pm_series_deinit(&members->sum.within.series);
	*members = (struct family_members){ 0 };
}
