/* SPDX-License-Identifier: MIT */
#include <procmem/family.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>
#include <procmem/process_find.h>

#include "base/array.h"
#include "family/names.h"
#include "family/roster.h"
#include "family/tree.h"
#include "limits/cgroup_pids.h"
#include "limits/hierarchy.h"
#include "proc/access.h"
#include "proc/process_handle.h"

struct pm_family {
	struct pm_roster roster;
	enum pm_family_kind kind;
	char *name;            /* for PM_FAMILY_NAME and PM_FAMILY_FOLLOW */
	struct pm_names names; /* which processes have this name */
	pid_t followed;        /* the process that was followed last; 0 if there was none */
	char *group;           /* path of the cgroup below the mount point */
	char *group_folder;    /* its directory */
	size_t foreign;        /* processes of the cgroup without a PID here */
	bool incomplete;
	struct pm_family_view view;
};

static int add_of_cgroup(void *context, pid_t pid, struct pm_error *error)
{
	struct pm_family *family = context;

	if (pid != 0)
		return pm_roster_join(&family->roster, pid, false, error);

	family->foreign++;
	return 0;
}

/** Finds the members of a cgroup; those that are not in it any more have left. */
static int find_by_cgroup(struct pm_family *family, struct pm_error *error)
{
	bool incomplete = false;
	if (pm_cgroup_pids_visit(family->group_folder, add_of_cgroup, family, &incomplete, error) <
	    0)
		return -1;

	/* What is missing in an incomplete list need not have left. */
	family->incomplete |= incomplete;
	return incomplete ? 0 : pm_roster_leave(&family->roster, error);
}

/** Finds the processes of a name; those that have another name now have left. */
static int find_by_name(struct pm_family *family, struct pm_error *error)
{
	bool incomplete = false;
	if (pm_names_find(&family->names, &family->roster, family->name, &incomplete, error) < 0)
		return -1;

	family->incomplete |= incomplete;
	return incomplete ? 0 : pm_roster_leave(&family->roster, error);
}

/** Finds the next process of a name, if the one that was followed has ended. */
static int find_next(struct pm_family *family, struct pm_error *error)
{
	struct pm_roster *roster = &family->roster;

	for (size_t i = 0; i < roster->count; i++) {
		const struct pm_family_member *member = &roster->items[i];
		if (member->state == PM_FAMILY_ALIVE || member->state == PM_FAMILY_UNREADABLE)
			return 0;
		family->followed = member->pid;
	}

	return pm_names_follow(&family->names, roster, family->name, family->followed,
	                       &family->incomplete, error);
}

/** Finds new members. */
static int find_members(struct pm_family *family, struct pm_error *error)
{
	switch (family->kind) {
	case PM_FAMILY_CHILDREN:
		return pm_tree_grow(&family->roster, &family->incomplete, error);
	case PM_FAMILY_CGROUP:
		return find_by_cgroup(family, error);
	case PM_FAMILY_NAME:
		return find_by_name(family, error);
	case PM_FAMILY_FOLLOW:
		return find_next(family, error);
	case PM_FAMILY_PIDS:
		break;
	}
	return 0;
}

/** Fills what the caller sees. */
static void fill_view(struct pm_family *family)
{
	const struct pm_roster *roster = &family->roster;
	struct pm_family_view view = {
		.items = roster->items,
		.count = roster->count,
		.beyond = roster->beyond,
		.foreign = family->foreign,
		.incomplete = family->incomplete,
	};

	for (size_t i = 0; i < roster->count; i++) {
		const struct pm_family_member *member = &roster->items[i];
		view.alive += member->state == PM_FAMILY_ALIVE;
		view.unreadable += member->state == PM_FAMILY_UNREADABLE;
		view.ended += member->state == PM_FAMILY_ENDED || member->state == PM_FAMILY_LEFT;
		view.found += member->is_new;
	}

	view.empty = view.alive + view.unreadable == 0;
	family->view = view;
}

int pm_family_update(struct pm_family *family, struct pm_error *error)
{
	family->foreign = 0;
	family->incomplete = false;

	int result = pm_roster_refresh(&family->roster, error);
	if (result == 0)
		result = find_members(family, error);
	if (result == 0)
		pm_roster_link(&family->roster);

	fill_view(family);
	return result;
}

/** Reports why a process is not a member: there is none, or it is a zombie. */
static int report_missing(const struct pm_family *family, pid_t pid, struct pm_error *error)
{
	struct pm_error cause = { 0 };

	pm_access_explain(family->roster.root, pid, "read the sizes of", 0, &cause);
	if (cause.kind != PM_ERROR_NO_MEMORY)
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no process has PID %d",
		                    (int)pid);

	if (error)
		*error = cause;
	return -1;
}

/** Adds the process with which a tree starts, or those of a list. All of them must exist. */
static int add_pids(struct pm_family *family, const pid_t *pids, size_t count,
                    struct pm_error *error)
{
	struct pm_roster *roster = &family->roster;

	for (size_t i = 0; i < count; i++) {
		if (pm_roster_join(roster, pids[i], false, error) < 0)
			return -1;
		if (pm_roster_find(roster, pids[i]) == roster->count)
			return report_missing(family, pids[i], error);
	}
	return 0;
}

/** Finds the cgroup of a process. */
static int find_cgroup(struct pm_family *family, const struct pm_family_options *options,
                       struct pm_error *error)
{
	struct pm_process *process;
	struct pm_hierarchy hierarchy;
	if (pm_process_open(options->proc_root, options->pid, &process, error) < 0)
		return -1;

	int result = pm_hierarchy_find(process, "memory", options->sys_root, &hierarchy, error);
	pm_process_close(process);
	if (result < 0)
		return -1;

	if (hierarchy.version == 0) {
		pm_hierarchy_deinit(&hierarchy);
		return pm_error_set(error, PM_ERROR_UNSUPPORTED, 0,
		                    "the memory cgroup of process %d is not visible here",
		                    (int)options->pid);
	}

	family->group = strdup(*hierarchy.group ? hierarchy.group : "/");
	if (asprintf(&family->group_folder, "%s%s", hierarchy.folder, hierarchy.group) < 0)
		family->group_folder = NULL;
	pm_hierarchy_deinit(&hierarchy);
	if (!family->group || !family->group_folder)
		return pm_error_out_of_memory(error);

	return 0;
}

/** Stores what the members have in common. */
static int store_options(struct pm_family *family, const struct pm_family_options *options,
                         struct pm_error *error)
{
	const char *root = options->proc_root ? options->proc_root : "/proc";

	family->kind = options->kind;
	if (pm_roster_init(&family->roster, root, error) < 0)
		return -1;
	if (!options->name)
		return 0;

	family->name = strdup(options->name);
	return family->name ? 0 : pm_error_out_of_memory(error);
}

/** Prepares the search for processes of a name. */
static int start_names(struct pm_family *family, struct pm_error *error)
{
	const char *name = family->name;
	bool follow = family->kind == PM_FAMILY_FOLLOW;
	uint64_t pid;

	family->roster.skip_own = true;
	if (!name || name[0] == '\0')
		return pm_error_set(error, PM_ERROR_USAGE, 0, "expected the name of a process");
	if (name[strspn(name, "0123456789")] != '\0')
		return 0;
	if (follow)
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "'%.64s' is a PID: only a name can be followed", name);
	if (pm_parse_decimal(name, INT_MAX, &pid, error) < 0)
		return -1;

	family->kind = PM_FAMILY_PIDS;
	return add_pids(family, &(pid_t){ (pid_t)pid }, 1, error);
}

/** Finds the first members, or what is needed to find them. */
static int start(struct pm_family *family, const struct pm_family_options *options,
                 struct pm_error *error)
{
	switch (family->kind) {
	case PM_FAMILY_CHILDREN:
		return add_pids(family, &options->pid, 1, error);
	case PM_FAMILY_PIDS:
		return add_pids(family, options->pids, options->pid_count, error);
	case PM_FAMILY_CGROUP:
		family->roster.skip_own = true;
		return find_cgroup(family, options, error);
	case PM_FAMILY_NAME:
	case PM_FAMILY_FOLLOW:
		return start_names(family, error);
	}
	return pm_error_set(error, PM_ERROR_USAGE, 0, "unknown kind of family");
}

/** Reports that no process has the name, with a similar name if there is one. */
static int report_no_process(const struct pm_family *family, struct pm_error *error)
{
	struct pm_error cause = { 0 };
	pid_t *pids;
	size_t count;

	/* Of a saved tree, the names of this machine are not similar names. */
	if (strcmp(family->roster.root, "/proc") == 0) {
		if (pm_process_find_all(family->name, &pids, &count, &cause) < 0) {
			if (error)
				*error = cause;
			return -1;
		}
		free(pids);
		return pm_error_set(error, PM_ERROR_NOT_FOUND, 0,
		                    "all processes that are called '%.64s' have ended",
		                    family->name);
	}

	return pm_error_set(error, PM_ERROR_NOT_FOUND, 0, "no process is called '%.64s'",
	                    family->name);
}

int pm_family_open(const struct pm_family_options *options, struct pm_family **family,
                   struct pm_error *error)
{
	struct pm_family *opened = calloc(1, sizeof *opened);
	if (!opened)
		return pm_error_out_of_memory(error);

	int result = store_options(opened, options, error);
	if (result == 0)
		result = start(opened, options, error);
	if (result == 0)
		result = pm_family_update(opened, error);
	if (result == 0 && opened->kind == PM_FAMILY_NAME && opened->roster.count == 0)
		result = report_no_process(opened, error);
	if (result < 0) {
		pm_family_close(opened);
		return -1;
	}

	/* The first members of a tree or a list have joined before the update. */
	for (size_t i = 0; i < opened->roster.count; i++)
		opened->roster.items[i].is_new = true;
	fill_view(opened);
	*family = opened;
	return 0;
}

const struct pm_family_view *pm_family_get(const struct pm_family *family)
{
	return &family->view;
}

int pm_family_open_member(const struct pm_family *family, const struct pm_family_member *member,
                          struct pm_process **process, struct pm_error *error)
{
	struct pm_process *opened;
	if (pm_process_open(family->roster.root, member->pid, &opened, error) < 0)
		return -1;

	if (member->start_ticks != 0 && opened->start_ticks != member->start_ticks) {
		pm_process_close(opened);
		pm_error_set(error, PM_ERROR_GONE, 0,
		             "process %d has ended, and its PID belongs to another process now",
		             (int)member->pid);
		if (error)
			error->pid = member->pid;
		return -1;
	}

	*process = opened;
	return 0;
}

const char *pm_family_cgroup(const struct pm_family *family)
{
	return family->group;
}

void pm_family_close(struct pm_family *family)
{
	if (!family)
		return;
	pm_roster_deinit(&family->roster);
	pm_names_deinit(&family->names);
	free(family->name);
	free(family->group);
	free(family->group_folder);
	free(family);
}
