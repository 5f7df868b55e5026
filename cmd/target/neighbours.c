/* SPDX-License-Identifier: MIT */
#include "target/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/delta.h"
#include "base/minmax.h"
#include "base/utf8.h"
#include "target/neighbours_list.h"

/* Share of a processor that may be spent on the sizes of all processes. */
static const double cpu_share = 0.05;

/* Growth of a process that is not known to be steady is reported from this number of bytes on.
 * Smaller growth is normal, and statm is not exact. */
static const double min_growth = 256 * 1024;

/* A process is not named if it grows by less than this share of the one that grows fastest. */
static const double min_share = 0.1;

/* Maximum number of processes from which those to be named are chosen. */
enum { LISTED_MAX = 32 };

/* All sizes are read at every EXACT_EVERY-th sample, even if statm is unchanged. */
enum { EXACT_EVERY = 8 };

void neighbours_begin(struct neighbours *neighbours, struct pm_process *process,
                      const struct neighbours_options *options)
{
	*neighbours = (struct neighbours){ .process = process, .options = *options };
}

void neighbours_deinit(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->count; i++)
		pm_series_deinit(&neighbours->items[i].series);

	free(neighbours->items);
	free(neighbours->seen);
	free(neighbours->group);
	*neighbours = (struct neighbours){ 0 };
}

static const char *root_of(const struct neighbours *neighbours)
{
	return pm_process_root(neighbours->process);
}

/** Returns whether a process has only the machine in common with the target. */
static bool is_far(const struct neighbour *item)
{
	return item->relation == NEIGHBOUR_MACHINE && !item->in_group;
}

static uint64_t private_bytes(const struct pm_memory_use *use)
{
	return use->anon + use->swap;
}

int neighbours_follow(struct neighbours *neighbours, pid_t pid, double time, struct pm_error *error)
{
	if (neighbours_list_follow(neighbours, pid, NEIGHBOUR_NAMED, time, error) < 0)
		return -1;

	struct neighbour *item = neighbours_list_find(neighbours, pid);
	if (item)
		item->named = true;
	return 0;
}

void neighbours_move(struct neighbours *neighbours, struct pm_process *process,
                     const struct neighbours_options *options)
{
	neighbours->process = process;
	neighbours->options = *options;
	neighbours->list_due = 0;
	neighbours_list_forget(neighbours);

	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];

		/* The next sample finds its relation to the new target. */
		item->relation = item->named ? NEIGHBOUR_NAMED : NEIGHBOUR_MACHINE;
		if (!item->gone && item->use.pid == pm_process_pid(process))
			item->relation = NEIGHBOUR_TARGET;
		else if (!item->named && item->in_group)
			item->relation = NEIGHBOUR_MEMBER;
		if (item->relation == NEIGHBOUR_MACHINE && !options->machine)
			item->gone = true;
	}
}

/** Reads a process again and adds its value. */
static int read_again(struct neighbours *neighbours, struct neighbour *item, double time,
                      struct pm_error *error)
{
	/* Changes of swap alone, and small ones, are not in statm. */
	bool exact = neighbours->samples % EXACT_EVERY == 0;

	/* One that was found for this sample has been read already. */
	if (item->since < time) {
		switch (pm_memory_use_update(root_of(neighbours), &item->use, exact, error)) {
		case PM_USE_FAILED:
			return -1;
		case PM_USE_GONE:
			item->gone = true;
			return 0;
		case PM_USE_REFUSED:
		case PM_USE_READ:
			break;
		}
	}

	return pm_series_add(&item->series, time, pm_memory_use_kept(&item->use), error);
}

int neighbours_add(struct neighbours *neighbours, double time, struct pm_error *error)
{
	if (neighbours_list_update(neighbours, time, error) < 0)
		return -1;

	double begin = clock_cpu_seconds();
	bool machine = time >= neighbours->read_due;

	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];
		bool far = is_far(item);

		if (!item->gone && (machine || !far) &&
		    read_again(neighbours, item, time, error) < 0)
			return -1;
	}

	if (machine)
		neighbours->read_due = time + (clock_cpu_seconds() - begin) / cpu_share;
	if (neighbours->samples == 0)
		neighbours->first = time;
	neighbours->last = time;
	neighbours->samples++;
	return 0;
}

void neighbours_judge(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];

		if (item->series.count > 0)
			pm_trend_judge(&item->series, PM_TREND_BYTES, &item->trend);
	}
}

/** Returns the change since the first value, in bytes. */
static double change_of(const struct neighbour *item)
{
	const struct pm_series *series = &item->series;

	if (series->count == 0)
		return 0;
	return (double)series->points[series->count - 1].value - (double)series->points[0].value;
}

double neighbours_rate(const struct neighbour *neighbour, bool *estimate)
{
	const struct pm_series *series = &neighbour->series;
	double rate = pm_trend_growth_rate(&neighbour->trend), time = 0;

	if (estimate)
		*estimate = rate <= 0 || neighbour->trend.estimate;
	if (rate > 0)
		return rate;

	if (series->count > 0)
		time = series->last - series->points[0].time;
	return time > 0 ? change_of(neighbour) / time : 0;
}

bool neighbours_grows(const struct neighbour *item)
{
	if (item->gone || item->own)
		return false;
	if (pm_trend_growth_rate(&item->trend) > 0)
		return true;
	/* Of all processes of a machine, some always grow for a short time. */
	if (is_far(item))
		return false;

	switch (item->trend.verdict) {
	case PM_VERDICT_TOO_EARLY:
	case PM_VERDICT_UNEVEN:
		return change_of(item) >= min_growth;
	default:
		return false;
	}
}

/** Returns whether a process is before another one in a list. */
static bool is_before(const struct neighbour *one, const struct neighbour *other)
{
	if (is_far(one) != is_far(other))
		return is_far(other);

	return neighbours_rate(one, NULL) > neighbours_rate(other, NULL);
}

/** Inserts a process into a sorted list that keeps up to `max` processes. */
static size_t insert(const struct neighbour **list, size_t count, size_t max,
                     const struct neighbour *item)
{
	size_t at = count;

	if (count == max && !is_before(item, list[--at]))
		return count;
	for (; at > 0 && is_before(item, list[at - 1]); at--)
		list[at] = list[at - 1];
	list[at] = item;

	return pm_min_size(count + 1, max);
}

size_t neighbours_growing(const struct neighbours *neighbours, const struct neighbour **list,
                          size_t max)
{
	size_t count = 0;

	for (size_t i = 0; max > 0 && i < neighbours->count; i++)
		if (neighbours_grows(&neighbours->items[i]))
			count = insert(list, count, max, &neighbours->items[i]);

	return count;
}

bool neighbours_is_charged(const struct neighbours *neighbours, const struct neighbour *neighbour,
                           double shmem_rate)
{
	double since = neighbour->since > neighbours->first ? neighbour->since : neighbours->first;
	double time = neighbours->last - since;
	double private = (double)private_bytes(&neighbour->use) - (double)neighbour->baseline;

	if (time <= 0)
		return true;
	if (shmem_rate < 0)
		shmem_rate = 0;

	return private / time + shmem_rate >= neighbours_rate(neighbour, NULL) / 2;
}

double neighbours_group_rate(const struct neighbours *neighbours)
{
	double sum = 0, time = neighbours->last - neighbours->first;

	for (size_t i = 0; i < neighbours->count; i++) {
		const struct neighbour *item = &neighbours->items[i];

		if (item->in_group && !item->gone)
			sum += (double)private_bytes(&item->use) - (double)item->baseline;
	}

	return time > 0 ? sum / time : 0;
}

const struct neighbour *neighbours_target(const struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->count; i++)
		if (neighbours->items[i].relation == NEIGHBOUR_TARGET)
			return &neighbours->items[i];
	return NULL;
}

const char *neighbours_relation_name(enum neighbour_relation relation)
{
	static const char *const names[NEIGHBOUR_RELATIONS] = { "target", "child", "descendant",
		                                                "cgroup", "named", "machine" };

	return (unsigned)relation < NEIGHBOUR_RELATIONS ? names[relation] : "";
}

void neighbours_put_name(const struct neighbour *neighbour, struct text *text)
{
	const char *what = "process";

	if (neighbour->relation == NEIGHBOUR_CHILD || neighbour->relation == NEIGHBOUR_DESCENDANT)
		what = neighbours_relation_name(neighbour->relation);
	text_format(text, "%s %d ", what, (int)neighbour->use.pid);
	utf8_escape(text, neighbour->use.comm, strlen(neighbour->use.comm));
}

static void put_rate(const struct neighbour *neighbour, struct text *text)
{
	bool estimate;
	double rate = neighbours_rate(neighbour, &estimate);

	text_string(text, estimate ? " about " : " ");
	delta_put_rate(text, rate);
}

/**
 * Adds the processes of a list, without the target.
 *
 * @param list   the processes; those that were added are the first elements afterwards
 * @param count  number of processes
 * @param max    maximum number of processes that are added
 * @param text   receives their names and rates
 * @return       number of processes that were added
 */
static size_t put_list(const struct neighbour **list, size_t count, size_t max, struct text *text)
{
	const struct neighbour *fastest = NULL;
	size_t added = 0;

	for (size_t i = 0; i < count && added < max; i++) {
		if (!fastest || is_far(list[i]) != is_far(fastest))
			fastest = list[i];
		if (list[i]->relation == NEIGHBOUR_TARGET ||
		    neighbours_rate(list[i], NULL) < min_share * neighbours_rate(fastest, NULL))
			continue;

		text_string(text, added > 0 ? ", " : "");
		neighbours_put_name(list[i], text);
		put_rate(list[i], text);
		list[added++] = list[i];
	}

	return added;
}

/**
 * Adds the number of further processes that grow, and the sum of their rates, without the target,
 * those that were added, and those that have only the machine in common with the target.
 */
static void put_others(const struct neighbours *neighbours, const struct neighbour *const *list,
                       size_t added, struct text *text)
{
	double rate = 0;
	size_t count = 0;

	for (size_t i = 0; i < neighbours->count; i++) {
		const struct neighbour *item = &neighbours->items[i];

		if (item->relation == NEIGHBOUR_TARGET || is_far(item) || !neighbours_grows(item))
			continue;
		count++;
		rate += neighbours_rate(item, NULL);
	}

	for (size_t i = 0; i < added && count > 0; i++) {
		if (is_far(list[i]))
			continue;
		count--;
		rate -= neighbours_rate(list[i], NULL);
	}

	if (count == 0)
		return;
	text_format(text, ", %zu more ", count);
	delta_put_rate(text, rate);
}

bool neighbours_put_growth(const struct neighbours *neighbours, size_t max, struct text *text)
{
	const struct neighbour *list[LISTED_MAX];
	const struct neighbour *target = neighbours_target(neighbours);
	size_t count = neighbours_growing(neighbours, list, LISTED_MAX);
	size_t added = put_list(list, count, max, text);

	if (added > 0)
		put_others(neighbours, list, added, text);
	if (added == 0 || !target || target->gone)
		return added > 0;

	text_format(text, "; %d itself", (int)target->use.pid);
	if (neighbours_grows(target))
		put_rate(target, text);
	else if ((double)target->use.file >= (double)target->first_file + min_growth)
		text_string(text, " grows only by pages of mapped files, which are page cache");
	else
		text_string(text, " does not grow (its RSS)");

	return true;
}

void neighbours_put_missing(const struct neighbours *neighbours, struct text *text)
{
	size_t named = pm_min_size(neighbours->refused, NEIGHBOURS_REFUSED);

	if (neighbours->others > 0)
		text_format(text, "; %zu process%s of other PID namespaces not visible",
		            neighbours->others, neighbours->others == 1 ? "" : "es");

	for (size_t i = 0; i < named; i++)
		text_format(text, "%s%d", i == 0 ? "; " : ", ", (int)neighbours->refused_pids[i]);
	if (neighbours->refused > named)
		text_format(text, " and %zu more", neighbours->refused - named);
	if (named > 0)
		text_string(text, " could not be read");

	if (neighbours->left_out > 0)
		text_format(text, "; %zu or more processes beyond the first %d left out",
		            neighbours->left_out, NEIGHBOURS_MAX);
	if (neighbours->incomplete)
		text_string(text, "; not all child cgroups could be read");
}
