/* SPDX-License-Identifier: MIT */
/*
 * Finds the processes around a target: by cgroup.procs and, for descendants, by the names in /proc.
 * The parent of a process is that of the time when the process appeared: when its parent ends, a
 * process gets another one, but remains a descendant. A PID can be reused, so the start time of
 * each process is compared.
 */
#include "target/neighbours_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/members.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"

/* Share of a processor that may be spent on the list of all processes. */
static const double cpu_share = 0.05;

/** What is known of the relation of a process that was listed. */
enum seen_state {
	SEEN_NEW,     /* nothing */
	SEEN_VISITED, /* its ancestors are being searched */
	SEEN_KNOWN,
};

/** A process that was listed: its parent when it appeared. */
struct neighbours_seen {
	pid_t pid;
	pid_t parent;
	uint64_t start_ticks; /* 0 if it ended before it was read */
	enum seen_state state;
	enum neighbour_relation relation; /* NEIGHBOUR_MACHINE if it is not a descendant */
	bool kernel_thread;               /* it has no user memory, and is never followed */
};

static const char *root_of(const struct neighbours *neighbours)
{
	return pm_process_root(neighbours->process);
}

struct neighbour *neighbours_list_find(const struct neighbours *neighbours, pid_t pid)
{
	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];
		if (item->use.pid == pid && !item->gone)
			return item;
	}

	return NULL;
}

static uint64_t private_bytes(const struct pm_memory_use *use)
{
	return use->anon + use->swap;
}

/**
 * Returns the memory from which the growth of a process that has just been found is counted.
 */
static uint64_t baseline_of(const struct neighbours *neighbours, const struct pm_memory_use *use)
{
	double start = (double)use->start_ticks / (double)sysconf(_SC_CLK_TCK);
	const struct neighbour *parent = neighbours_list_find(neighbours, use->parent);

	if (neighbours->samples == 0 || start < neighbours->first)
		return private_bytes(use);
	if (!parent)
		return 0;

	/* After fork(2), it shares all memory with its parent. */
	return pm_min(private_bytes(use), private_bytes(&parent->use));
}

/** Returns how important a process is if there are too many. */
static int rank_of(enum neighbour_relation relation, bool in_group)
{
	switch (relation) {
	case NEIGHBOUR_MACHINE:
		return in_group ? 1 : 0;
	case NEIGHBOUR_MEMBER:
		return 1;
	default:
		return 2;
	}
}

/**
 * Makes room for a process, in place of the least important one if there are too many.
 * @return false if all others are as important
 */
static bool make_room(struct neighbours *neighbours, enum neighbour_relation relation)
{
	struct neighbour *items = neighbours->items;
	size_t least = 0;
	int least_rank = rank_of(relation, false);
	bool found = false;

	if (neighbours->count < NEIGHBOURS_MAX)
		return true;

	for (size_t i = 0; i < neighbours->count; i++) {
		int rank = rank_of(items[i].relation, items[i].in_group);

		if (rank < least_rank) {
			found = true;
			least = i;
			least_rank = rank;
		}
	}
	if (!found)
		return false;

	neighbours->left_out_by[items[least].relation]++;
	pm_series_deinit(&items[least].series);
	neighbours->count--;
	memmove(&items[least], &items[least + 1], (neighbours->count - least) * sizeof *items);
	return true;
}

/** Adds a process, or counts it if there are too many. */
static void add(struct neighbours *neighbours, const struct pm_memory_use *use,
                enum neighbour_relation relation, double time)
{
	if (!make_room(neighbours, relation)) {
		neighbours->left_out_by[relation]++;
		return;
	}

	struct neighbour added = { .use = *use,
		                   .relation = relation,
		                   .own = use->pid == getpid(),
		                   .since = time,
		                   .baseline = baseline_of(neighbours, use),
		                   .first_file = use->file };

	if (neighbours->count == neighbours->capacity) {
		neighbours->capacity = pm_max_size(16, 2 * neighbours->capacity);
		neighbours->items = alloc_array(neighbours->items, neighbours->capacity,
		                                sizeof *neighbours->items);
	}

	neighbours->items[neighbours->count++] = added;
}

/**
 * Reads a process and follows it.
 *
 * @return PM_USE_READ also if the process is followed already; it can have another relation then
 */
enum pm_memory_use_result neighbours_list_follow(struct neighbours *neighbours, pid_t pid,
                                                 enum neighbour_relation relation, double time,
                                                 struct pm_error *error)
{
	struct pm_memory_use use;

	if (neighbours_list_find(neighbours, pid))
		return PM_USE_READ;

	enum pm_memory_use_result result = pm_memory_use_read(root_of(neighbours), pid, &use,
	                                                      error);
	if (result == PM_USE_READ && !use.kernel_thread)
		add(neighbours, &use, relation, time);

	return result;
}

static bool has_pid(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/**
 * Notes the processes that the cgroup lists, but whose sizes cannot be read. Those that have ended
 * just now are not in a second list.
 *
 * @param neighbours  `refused` and `refused_pids` are set
 * @param of          which cgroup
 * @param unread      processes of the first list that could not be read
 * @param count       number of these processes
 * @param error       as for pm_member_pids_read()
 * @return            0 or -1
 */
static int note_refused(struct neighbours *neighbours, enum pm_members_of of, const pid_t *unread,
                        size_t count, struct pm_error *error)
{
	struct pm_member_pids pids;

	neighbours->refused = 0;
	if (count == 0)
		return 0;
	if (pm_member_pids_read(neighbours->process, neighbours->options.sys_root, of, &pids,
	                        error) < 0)
		return -1;

	for (size_t i = 0; i < count; i++) {
		if (!has_pid(pids.items, pids.count, unread[i]))
			continue;
		if (neighbours->refused < NEIGHBOURS_REFUSED)
			neighbours->refused_pids[neighbours->refused] = unread[i];
		neighbours->refused++;
	}

	pm_member_pids_deinit(&pids);
	return 0;
}

/**
 * Follows the processes of a cgroup.
 *
 * @param neighbours  the processes
 * @param pids        the processes of the cgroup; the first elements are replaced by those that
 *                    could not be read
 * @param time        time of the sample, in seconds
 * @param unread      receives the number of processes that could not be read
 * @param error       PM_ERROR_RESOURCES
 * @return            0 or -1
 */
static int follow_group(struct neighbours *neighbours, struct pm_member_pids *pids, double time,
                        size_t *unread, struct pm_error *error)
{
	*unread = 0;
	for (size_t i = 0; i < neighbours->count; i++)
		neighbours->items[i].in_group = false;

	for (size_t i = 0; i < pids->count; i++) {
		pid_t pid = pids->items[i];
		enum pm_memory_use_result read = neighbours_list_follow(
			neighbours, pid, NEIGHBOUR_MEMBER, time, error);
		struct neighbour *item = neighbours_list_find(neighbours, pid);

		if (read < 0)
			return -1;
		if (item)
			item->in_group = true;
		else if (read != PM_USE_READ)
			pids->items[(*unread)++] = pid;
	}

	return 0;
}

/** Lists the processes that share the limit. */
static int list_group(struct neighbours *neighbours, double time, struct pm_error *error)
{
	const struct neighbours_options *options = &neighbours->options;
	enum pm_members_of of = PM_MEMBERS_OF_LIMIT;
	struct pm_member_pids pids;
	size_t unread;

	if (pm_member_pids_read(neighbours->process, options->sys_root, of, &pids, error) < 0)
		return -1;
	if (!pids.group && options->own_group) {
		of = PM_MEMBERS_OF_CGROUP;
		if (pm_member_pids_read(neighbours->process, options->sys_root, of, &pids, error) <
		    0)
			return -1;
	}

	neighbours->left_out_by[NEIGHBOUR_MEMBER] = pids.beyond;
	neighbours->others = pids.others;
	neighbours->incomplete = pids.incomplete;
	free(neighbours->group);
	neighbours->group = pids.group;
	pids.group = NULL;

	int result = follow_group(neighbours, &pids, time, &unread, error);
	if (result == 0)
		result = note_refused(neighbours, of, pids.items, unread, error);
	pm_member_pids_deinit(&pids);
	return result;
}

static int compare_seen(const void *one, const void *other)
{
	const struct neighbours_seen *a = one, *b = other;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static struct neighbours_seen *find_seen(const struct neighbours *neighbours, pid_t pid)
{
	const struct neighbours_seen key = { .pid = pid };

	if (neighbours->seen_count == 0)
		return NULL;
	return bsearch(&key, neighbours->seen, neighbours->seen_count, sizeof key, compare_seen);
}

/**
 * Finds what a process is to the target, by its ancestors. Each process is visited only once, so
 * the time is bounded, also if PIDs that were reused form a loop.
 */
static void find_relation(struct neighbours *neighbours, struct neighbours_seen *process)
{
	pid_t target = pm_process_pid(neighbours->process);
	struct neighbours_seen *at = process;
	bool below = false;

	while (at && at->state == SEEN_NEW && at->pid != target && at->parent != target) {
		at->state = SEEN_VISITED;
		at = find_seen(neighbours, at->parent);
	}

	if (at && at->state == SEEN_NEW) {
		at->state = SEEN_KNOWN;
		at->relation = at->pid == target ? NEIGHBOUR_TARGET : NEIGHBOUR_CHILD;
	}
	if (at && at->state == SEEN_KNOWN)
		below = at->relation != NEIGHBOUR_MACHINE;

	for (at = process; at && at->state == SEEN_VISITED;
	     at = find_seen(neighbours, at->parent)) {
		at->state = SEEN_KNOWN;
		at->relation = below ? NEIGHBOUR_DESCENDANT : NEIGHBOUR_MACHINE;
	}
}

/**
 * Describes a process that was listed.
 *
 * @param known    what was known of its PID; NULL if nothing
 * @param process  receives the description
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int see(const struct neighbours *neighbours, pid_t pid, const struct neighbours_seen *known,
               struct neighbours_seen *process, struct pm_error *error)
{
	struct pm_memory_use use = { 0 };

	if (pm_memory_use_identify(root_of(neighbours), pid, &use, error) < 0)
		return -1;

	*process = (struct neighbours_seen){ .pid = pid,
		                             .parent = use.parent,
		                             .start_ticks = use.start_ticks,
		                             .relation = NEIGHBOUR_MACHINE,
		                             .kernel_thread = use.kernel_thread };
	if (known && known->start_ticks == use.start_ticks)
		*process = *known;
	/* A process that was not a descendant can have a parent now that was not listed before. */
	if (process->relation == NEIGHBOUR_MACHINE)
		process->state = SEEN_NEW;
	return 0;
}

/**
 * Reads the parents of the processes that were not seen before, and finds what all are to the
 * target.
 *
 * @return 0 or -1
 */
static int update_seen(struct neighbours *neighbours, const pid_t *pids, size_t count,
                       struct pm_error *error)
{
	struct neighbours_seen *seen = alloc_array(NULL, pm_max_size(count, 1), sizeof *seen);

	/* The PIDs are in ascending order, so `seen` is, too. */
	for (size_t i = 0; i < count; i++) {
		if (see(neighbours, pids[i], find_seen(neighbours, pids[i]), &seen[i], error) < 0) {
			free(seen);
			return -1;
		}
	}

	free(neighbours->seen);
	neighbours->seen = seen;
	neighbours->seen_count = count;
	for (size_t i = 0; i < count; i++)
		find_relation(neighbours, &seen[i]);
	return 0;
}

void neighbours_list_forget(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->seen_count; i++)
		neighbours->seen[i].relation = NEIGHBOUR_MACHINE;
}

/**
 * Gives each process that is followed the relation that its ancestors show. One whose PID belongs
 * to another process now has ended.
 */
static void update_relations(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];
		const struct neighbours_seen *seen = find_seen(neighbours, item->use.pid);

		if (item->gone || !seen)
			continue;
		if (seen->start_ticks != 0 && seen->start_ticks != item->use.start_ticks)
			item->gone = item->relation != NEIGHBOUR_TARGET;
		/* When its parent ends, a process gets another one, but remains what it is. */
		else if (seen->relation < item->relation)
			item->relation = seen->relation;
	}
}

/**
 * Follows the processes that belong to the target, or the others.
 * @return 0 or -1
 */
static int follow_seen(struct neighbours *neighbours, bool others, double time,
                       struct pm_error *error)
{
	for (size_t i = 0; i < neighbours->seen_count; i++) {
		const struct neighbours_seen *seen = &neighbours->seen[i];

		if (seen->kernel_thread || (seen->relation == NEIGHBOUR_MACHINE) != others)
			continue;
		if (neighbours_list_follow(neighbours, seen->pid, seen->relation, time, error) < 0)
			return -1;
	}

	return 0;
}

/** Lists all processes, and follows those that belong to the target. */
static int list_all(struct neighbours *neighbours, double time, struct pm_error *error)
{
	pid_t *pids;
	size_t count;

	if (pm_memory_use_pids(root_of(neighbours), &pids, &count, error) < 0)
		return -1;

	int result = update_seen(neighbours, pids, count, error);
	free(pids);
	if (result < 0)
		return -1;

	for (int relation = 0; relation < NEIGHBOUR_RELATIONS; relation++)
		if (relation != NEIGHBOUR_MEMBER && relation != NEIGHBOUR_NAMED)
			neighbours->left_out_by[relation] = 0;

	update_relations(neighbours);
	if (follow_seen(neighbours, false, time, error) < 0)
		return -1;
	if (!neighbours->options.machine)
		return 0;

	/* These include those that had to make room. */
	neighbours->left_out_by[NEIGHBOUR_MACHINE] = 0;
	return follow_seen(neighbours, true, time, error);
}

/** Removes processes that have ended, so that short-lived ones do not use up NEIGHBOURS_MAX. */
static void remove_gone(struct neighbours *neighbours)
{
	size_t kept = 0;

	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];

		if (item->gone && item->relation != NEIGHBOUR_TARGET)
			pm_series_deinit(&item->series);
		else
			neighbours->items[kept++] = *item;
	}

	neighbours->count = kept;
}

/**
 * Returns the number of processes that were left out, at least: those of the cgroup can be among
 * the others, so the numbers are not added.
 */
static size_t count_left_out(const struct neighbours *neighbours)
{
	size_t group = neighbours->left_out_by[NEIGHBOUR_MEMBER], others = 0;

	for (int relation = 0; relation < NEIGHBOUR_RELATIONS; relation++)
		if (relation != NEIGHBOUR_MEMBER)
			others += neighbours->left_out_by[relation];
	return pm_max_size(group, others);
}

int neighbours_list_update(struct neighbours *neighbours, double time, struct pm_error *error)
{
	const struct neighbours_options *options = &neighbours->options;
	bool all = options->family || options->machine;

	remove_gone(neighbours);
	neighbours->left_out_by[NEIGHBOUR_NAMED] = 0;

	if (neighbours_list_follow(neighbours, pm_process_pid(neighbours->process),
	                           NEIGHBOUR_TARGET, time, error) < 0)
		return -1;
	if (options->group && list_group(neighbours, time, error) < 0)
		return -1;

	if (all && time >= neighbours->list_due) {
		double begin = clock_cpu_seconds();
		if (list_all(neighbours, time, error) < 0)
			return -1;
		neighbours->list_due = time + (clock_cpu_seconds() - begin) / cpu_share;
	}

	neighbours->left_out = count_left_out(neighbours);
	return 0;
}
