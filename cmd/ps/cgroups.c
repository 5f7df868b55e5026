/* SPDX-License-Identifier: MIT */
/*
 * A machine has many more processes than cgroups, and finding the directory and the limit of a
 * cgroup means reading the list of mounts and the files of all its ancestors. So this is done once
 * for each path in /proc/PID/cgroup.
 */
#include "ps/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/limits.h>

#include "base/alloc.h"

/** Compares a cgroup with one of the list. @return as strcmp(3) */
static int compare(const struct pm_process_cgroup *wanted, const struct ps_cgroup *cgroup)
{
	if (wanted->version != cgroup->own.version)
		return wanted->version - cgroup->own.version;
	return strcmp(wanted->path, cgroup->own.path);
}

/**
 * Finds the position of a cgroup in the sorted list.
 * @return whether the list has the cgroup; otherwise `position` is where to insert it
 */
static bool search(const struct ps_cgroups *cgroups, const struct pm_process_cgroup *wanted,
                   size_t *position)
{
	size_t low = 0, high = cgroups->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(wanted, cgroups->items[middle]);

		if (order == 0) {
			*position = middle;
			return true;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}

	*position = low;
	return false;
}

/** Inserts a cgroup, and adopts its path. */
static struct ps_cgroup *insert(struct ps_cgroups *cgroups, size_t position,
                                struct pm_process_cgroup own)
{
	struct ps_cgroup *cgroup = alloc_array(NULL, 1, sizeof *cgroup);

	/* Double the array when its length is a power of two. */
	if ((cgroups->count & (cgroups->count - 1)) == 0)
		cgroups->items = alloc_array(cgroups->items, 2 * cgroups->count + 1,
		                             sizeof(struct ps_cgroup *));

	*cgroup = (struct ps_cgroup){ .own = own };
	memmove(cgroups->items + position + 1, cgroups->items + position,
	        (cgroups->count - position) * sizeof(struct ps_cgroup *));
	cgroups->items[position] = cgroup;
	cgroups->count++;

	return cgroup;
}

/**
 * Reads what depends on the cgroup only. If the process ends during this, the next process of the
 * cgroup is asked.
 */
static void complete(struct ps_cgroup *cgroup, struct pm_process *process)
{
	struct pm_cgroup_limit limit;

	free(cgroup->visible);
	cgroup->visible = NULL;
	if (pm_process_cgroup_visible(process, NULL, &cgroup->visible, NULL) < 0 ||
	    pm_cgroup_limit_read(process, NULL, &limit, NULL) < 0)
		return;

	cgroup->limit = limit.max;
	cgroup->limited = limit.limited;
	cgroup->complete = true;
}

const struct ps_cgroup *ps_cgroups_find(struct ps_cgroups *cgroups, struct pm_process *process)
{
	struct pm_process_cgroup own;
	struct ps_cgroup *cgroup;
	size_t position;

	if (pm_process_cgroup_read(process, &own, NULL) < 0 || own.version == 0)
		return NULL;

	if (search(cgroups, &own, &position)) {
		cgroup = cgroups->items[position];
		pm_process_cgroup_deinit(&own);
	} else {
		cgroup = insert(cgroups, position, own);
	}

	if (!cgroup->complete) {
		complete(cgroup, process);
		cgroup->in_container = pm_container_parse(ps_cgroups_name(cgroup),
		                                          &cgroup->container);
	}

	return cgroup;
}

const char *ps_cgroups_name(const struct ps_cgroup *cgroup)
{
	return cgroup->visible ? cgroup->visible : cgroup->own.path;
}

void ps_cgroups_deinit(struct ps_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		pm_process_cgroup_deinit(&cgroups->items[i]->own);
		free(cgroups->items[i]->visible);
		free(cgroups->items[i]);
	}
	free(cgroups->items);
	*cgroups = (struct ps_cgroups){ 0 };
}
