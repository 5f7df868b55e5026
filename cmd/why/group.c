/* SPDX-License-Identifier: MIT */
#include "why/group.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/poll_loop.h"
#include "cgroup/path.h"

/* Growth of a process below this number of bytes does not decide which one is investigated. */
static const double growth_min = 256 * 1024;

/* Share of a processor that may be spent on the list of the processes. */
static const double members_share = 0.02;

/** Notes which cgroup it is. */
static void note_level(struct why_group *group, const struct pm_cgroup_level *level)
{
	group->folder = alloc_string(level->folder);
	group->path = alloc_string(level->path);
	group->current = level->current;
	group->max = level->max;
}

static uint64_t kept_bytes(const struct pm_member *member)
{
	return member->anon + member->shmem + member->swap;
}

/** Returns how much a process has grown; 0 if it is new. */
static double growth_of(const struct pm_members *before, const struct pm_member *member)
{
	for (size_t i = 0; i < before->count; i++)
		if (before->items[i].pid == member->pid)
			return (double)kept_bytes(member) - (double)kept_bytes(&before->items[i]);
	return 0;
}

/** Chooses the process to investigate. The processes are sorted by size. */
static pid_t choose(const struct pm_members *before, const struct pm_members *after)
{
	pid_t pid = after->items[0].pid;
	double most = growth_min;

	for (size_t i = 0; i < after->count; i++) {
		double growth = growth_of(before, &after->items[i]);

		if (growth < most)
			continue;
		most = growth;
		pid = after->items[i].pid;
	}
	return pid;
}

/** Waits. @return false if the user has ended the wait */
static bool wait_for(double seconds)
{
	struct poll_loop wait;

	poll_loop_init(&wait, seconds);
	bool due = poll_loop_await(&wait);
	poll_loop_deinit(&wait);
	return due;
}

/** Reads the processes of a level twice, and chooses one. */
static int choose_member(const struct pm_cgroup_level *level, double seconds, pid_t *pid,
                         struct pm_error *error)
{
	struct pm_members before = { 0 }, after = { 0 };
	int result = -1;

	if (pm_cgroup_levels_members(level, NULL, &before, error) < 0)
		return -1;
	if (before.count > 1 && !wait_for(seconds))
		pm_error_set(error, PM_ERROR_CANCELLED, 0, "cancelled");
	else
		result = pm_cgroup_levels_members(level, NULL, &after, error);

	if (result == 0 && after.count == 0)
		result = pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                      "the cgroup %.128s has no process to investigate; what its "
		                      "memory is: procmem cgroup %.128s",
		                      level->path, level->folder);
	if (result == 0)
		*pid = choose(&before, &after);
	pm_members_deinit(&before);
	pm_members_deinit(&after);
	return result;
}

int why_group_choose(struct why_group *group, const char *word, double seconds, pid_t *pid,
                     struct pm_error *error)
{
	struct pm_cgroup_levels levels;

	if (cgroup_path_read(word, &levels, error) < 0)
		return -1;

	int result = levels.count > 0 ? choose_member(&levels.items[0], seconds, pid, error)
	                              : pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
	                                             "%.128s is not a memory cgroup", word);
	if (result == 0) {
		group->given = true;
		note_level(group, &levels.items[0]);
	}
	pm_cgroup_levels_deinit(&levels);
	return result;
}

int why_group_find(struct why_group *group, struct pm_process *process, struct pm_error *error)
{
	struct pm_cgroup_levels levels;

	if (group->folder)
		return 0;
	if (pm_cgroup_levels_read(process, NULL, &levels, error) < 0)
		return -1;

	for (size_t i = 0; i < levels.count && !group->folder; i++)
		if (levels.items[i].max != UINT64_MAX)
			note_level(group, &levels.items[i]);
	pm_cgroup_levels_deinit(&levels);
	return 0;
}

/** Follows the processes of a cgroup that the user has named. */
static int follow_members(struct why_group *group, const struct pm_cgroup_level *level, double time,
                          struct neighbours *neighbours, struct pm_error *error)
{
	struct pm_members members;
	double begin = clock_cpu_seconds();

	if (!group->given || time < group->members_due)
		return 0;
	if (pm_cgroup_levels_members(level, NULL, &members, error) < 0)
		return error->kind == PM_ERROR_RESOURCES ? -1 : 0;

	int result = 0;
	for (size_t i = 0; result == 0 && i < members.count; i++)
		result = neighbours_follow(neighbours, members.items[i].pid, time, error);
	pm_members_deinit(&members);
	group->members_due = time + (clock_cpu_seconds() - begin) / members_share;
	return result;
}

int why_group_add(struct why_group *group, double time, struct neighbours *neighbours,
                  struct pm_error *error)
{
	struct pm_cgroup_levels levels;
	int result = 0;

	if (!group->folder)
		return 0;
	if (pm_cgroup_levels_read_folder(group->folder, &levels, error) < 0)
		return error->kind == PM_ERROR_RESOURCES ? -1 : 0;

	const struct pm_cgroup_level *level = levels.count > 0 ? &levels.items[0] : NULL;
	if (level && level->split.known) {
		group->known = true;
		group->split = level->split;
		group->current = level->current;
		group->max = level->max;
		for (int i = 0; result == 0 && i < PM_CGROUP_PARTS; i++)
			result = pm_series_add(&group->parts[i], time, level->split.parts[i],
			                       error);
	}
	if (level && result == 0)
		result = follow_members(group, level, time, neighbours, error);
	pm_cgroup_levels_deinit(&levels);
	return result;
}

void why_group_deinit(struct why_group *group)
{
	for (int i = 0; i < PM_CGROUP_PARTS; i++)
		pm_series_deinit(&group->parts[i]);
	free(group->folder);
	free(group->path);
}
