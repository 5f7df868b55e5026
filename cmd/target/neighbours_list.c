/* SPDX-License-Identifier: MIT */
/*
 * Finds the processes around a target: by cgroup.procs and, for descendants, by the names in /proc.
 * The parent of a process is read once, when its PID appears.
 */
#include "target/neighbours_list.h"

#include <stdlib.h>
#include <unistd.h>

#include <procmem/members.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/minmax.h"

/* Share of a processor that may be spent on the list of all processes. */
static const double cpu_share = 0.05;

/* Maximum number of ancestors that are searched for the target. */
enum { DEPTH_MAX = 64 };

/** A process that was listed: its parent at that time. */
struct neighbours_seen {
	pid_t pid;
	pid_t parent;
	bool kernel_thread; /* it has no user memory, and is never followed */
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

/** Adds a process, or counts it if there are too many. */
static void add(struct neighbours *neighbours, const struct pm_memory_use *use,
                enum neighbour_relation relation, double time)
{
	if (neighbours->count == NEIGHBOURS_MAX) {
		neighbours->left_out++;
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

	neighbours->left_out = pids.beyond;
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

static const struct neighbours_seen *find_seen(const struct neighbours_seen *seen, size_t count,
                                               pid_t pid)
{
	const struct neighbours_seen key = { .pid = pid };

	if (count == 0)
		return NULL;
	return bsearch(&key, seen, count, sizeof *seen, compare_seen);
}

/**
 * Returns what a process is to the target, by its ancestors.
 * @return NEIGHBOUR_MACHINE if it is not a descendant
 */
static enum neighbour_relation relation_of(const struct neighbours *neighbours, pid_t pid)
{
	pid_t target = pm_process_pid(neighbours->process);

	if (pid == target)
		return NEIGHBOUR_TARGET;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		const struct neighbours_seen *at = find_seen(neighbours->seen,
		                                             neighbours->seen_count, pid);
		if (!at || at->parent <= 0)
			break;
		if (at->parent == target)
			return depth == 0 ? NEIGHBOUR_CHILD : NEIGHBOUR_DESCENDANT;
		pid = at->parent;
	}

	return NEIGHBOUR_MACHINE;
}

/**
 * Reads the parents of the processes that were not seen before.
 * @return 0 or -1
 */
static int update_seen(struct neighbours *neighbours, const pid_t *pids, size_t count,
                       struct pm_error *error)
{
	struct neighbours_seen *seen = alloc_array(NULL, pm_max_size(count, 1), sizeof *seen);

	/* The PIDs are in ascending order, so `seen` is, too. */
	for (size_t i = 0; i < count; i++) {
		const struct neighbours_seen *known = find_seen(neighbours->seen,
		                                                neighbours->seen_count, pids[i]);
		struct pm_memory_use use = { 0 };

		if (!known && pm_memory_use_read(root_of(neighbours), pids[i], &use, error) < 0) {
			free(seen);
			return -1;
		}

		seen[i] = (struct neighbours_seen){ .pid = pids[i],
			                            .parent = use.parent,
			                            .kernel_thread = use.kernel_thread };
		if (known)
			seen[i] = *known;
	}

	free(neighbours->seen);
	neighbours->seen = seen;
	neighbours->seen_count = count;
	return 0;
}

/** Gives a process that is followed the relation that its ancestors show. */
static void update_relations(struct neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->count; i++) {
		struct neighbour *item = &neighbours->items[i];
		enum neighbour_relation relation = relation_of(neighbours, item->use.pid);

		/* When its parent ends, a process gets another one, but remains what it is. */
		if (!item->gone && relation < item->relation)
			item->relation = relation;
	}
}

/** Lists all processes, and follows those that belong to the target. */
static int list_all(struct neighbours *neighbours, double time, struct pm_error *error)
{
	pid_t *pids;
	size_t count;

	if (pm_memory_use_pids(root_of(neighbours), &pids, &count, error) < 0)
		return -1;

	/* Processes of the cgroup can be among these, so the two numbers are not added. */
	size_t of_group = neighbours->left_out;
	neighbours->left_out = 0;

	int result = update_seen(neighbours, pids, count, error);
	for (size_t i = 0; result == 0 && i < count; i++) {
		enum neighbour_relation relation = relation_of(neighbours, pids[i]);

		if (neighbours->seen[i].kernel_thread ||
		    (relation == NEIGHBOUR_MACHINE && !neighbours->options.machine))
			continue;
		result = neighbours_list_follow(neighbours, pids[i], relation, time, error) < 0 ? -1
		                                                                                : 0;
	}

	free(pids);
	neighbours->left_out = pm_max_size(neighbours->left_out, of_group);
	if (result == 0)
		update_relations(neighbours);
	return result;
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

int neighbours_list_update(struct neighbours *neighbours, double time, struct pm_error *error)
{
	const struct neighbours_options *options = &neighbours->options;
	bool all = options->family || options->machine;

	remove_gone(neighbours);

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

	return 0;
}
