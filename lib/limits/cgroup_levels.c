/* SPDX-License-Identifier: MIT */
#include <procmem/cgroup_levels.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "limits/cgroup_file.h"
#include "limits/cgroups.h"
#include "limits/hierarchy.h"
#include "limits/members.h"
#include "reader/cancel.h"

/*
 * Maximum number of cgroups in a list and maximum depth of nesting, as for members. They bound time
 * and memory for hostile trees.
 */
enum { GROUPS_MAX = 20000, DEPTH_MAX = 64 };

/** Name of the file with the usage; the index is the version of cgroups. */
static const char *const usage_names[3] = { NULL, "memory.usage_in_bytes", "memory.current" };

/** A file with a number, and the field that receives it. */
struct number_file {
	size_t offset;
	const char *names[3]; /* the index is the version of cgroups; NULL: no such file */
	bool limit;           /* large numbers of v1 mean "unlimited" */
};

static const struct number_file number_files[] = {
	{ offsetof(struct pm_cgroup_level, peak),
	  { NULL, "memory.max_usage_in_bytes", "memory.peak" },
	  false },
	{ offsetof(struct pm_cgroup_level, max),
	  { NULL, "memory.limit_in_bytes", "memory.max" },
	  true },
	{ offsetof(struct pm_cgroup_level, high), { NULL, NULL, "memory.high" }, true },
	{ offsetof(struct pm_cgroup_level, swap), { NULL, NULL, "memory.swap.current" }, false },
	{ offsetof(struct pm_cgroup_level, swap_max), { NULL, NULL, "memory.swap.max" }, true },
	{ offsetof(struct pm_cgroup_level, memory_swap_max),
	  { NULL, "memory.memsw.limit_in_bytes", NULL },
	  true },
};

/** Reads the numbers of a level. What cannot be read stays UINT64_MAX. */
static int read_numbers(const struct pm_hierarchy *hierarchy, struct pm_cgroup_level *level,
                        struct pm_error *error)
{
	for (size_t i = 0; i < sizeof number_files / sizeof *number_files; i++) {
		const struct number_file *file = &number_files[i];
		const char *name = file->names[hierarchy->version];
		uint64_t *number = (uint64_t *)(void *)((char *)level + file->offset);

		*number = UINT64_MAX;
		if (name && pm_cgroup_number(hierarchy, name, number, error) < 0)
			return -1;
		if (file->limit && pm_cgroup_is_unlimited(hierarchy, *number))
			*number = UINT64_MAX;
	}

	return 0;
}

/** Adds up the pages of the hugetlb controller, in the sizes of x86-64. */
static int read_hugetlb(const struct pm_hierarchy *hierarchy, struct pm_cgroup_level *level,
                        struct pm_error *error)
{
	static const char *const names[] = { "hugetlb.2MB.current", "hugetlb.1GB.current" };

	level->hugetlb = UINT64_MAX;
	for (size_t i = 0; hierarchy->version == 2 && i < sizeof names / sizeof *names; i++) {
		uint64_t bytes;
		int found = pm_cgroup_number(hierarchy, names[i], &bytes, error);
		if (found < 0)
			return -1;
		if (found > 0)
			level->hugetlb = bytes +
			                 (level->hugetlb == UINT64_MAX ? 0 : level->hugetlb);
	}

	return 0;
}

static bool has_file(const char *folder, size_t length, const char *name)
{
	char *path;
	if (asprintf(&path, "%.*s/%s", (int)length, folder, name) < 0)
		return false;

	bool exists = access(path, F_OK) == 0;
	free(path);
	return exists;
}

/** Returns whether a cgroup is the root of its hierarchy in v1, not only that of a mount. */
static bool is_root_of_v1(const struct pm_hierarchy *hierarchy)
{
	if (hierarchy->version != 1 || *hierarchy->group)
		return false;
	/* Only the root has this file (observed, docs/KERNEL.md). */
	return has_file(hierarchy->folder, strlen(hierarchy->folder), "cgroup.sane_behavior");
}

/** Finds the number of refaults in the text of memory.stat; UINT64_MAX if it is not there. */
static uint64_t find_refaults(int version, const char *stat)
{
	static const char *const keys[][3] = {
		{ NULL, "total_workingset_refault_anon", "workingset_refault_anon" },
		{ NULL, "total_workingset_refault_file", "workingset_refault_file" },
		{ NULL, "total_workingset_refault", "workingset_refault" },
	};
	uint64_t sum = 0, number;
	bool found = false;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (!pm_cgroup_entry(stat, keys[i][version], &number))
			continue;
		found = true;
		if (__builtin_add_overflow(sum, number, &sum))
			return UINT64_MAX;
	}

	return found ? sum : UINT64_MAX;
}

/** Reads the usage and splits it. The usage is read last, as the statistics lag behind it. */
static int read_split(const struct pm_hierarchy *hierarchy, struct pm_cgroup_level *level,
                      struct pm_error *error)
{
	const char *usage_name = usage_names[hierarchy->version];
	uint64_t kernel = 0;
	char *stat = NULL;

	int found = pm_cgroup_text(hierarchy, "memory.stat", &stat, error);
	if (found >= 0 && hierarchy->version == 1 &&
	    pm_cgroup_number(hierarchy, "memory.kmem.usage_in_bytes", &kernel, error) < 0)
		found = -1;

	if (is_root_of_v1(hierarchy)) {
		level->kernel_outside = kernel;
		kernel = 0;
	}

	level->current = UINT64_MAX;
	if (found >= 0 && pm_cgroup_number(hierarchy, usage_name, &level->current, error) < 0)
		found = -1;
	if (found > 0)
		pm_cgroup_parts_split(hierarchy->version, stat, kernel, level->current,
		                      &level->split);
	if (found > 0)
		level->refaults = find_refaults(hierarchy->version, stat);
	if (found > 0 && hierarchy->version == 1)
		pm_cgroup_entry(stat, "total_swap", &level->swap);

	free(stat);
	return found < 0 ? -1 : 0;
}

/**
 * Reads one level.
 *
 * @param hierarchy  the cgroup
 * @param level      receives the level; its strings are owned by it even on failure
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int read_level(const struct pm_hierarchy *hierarchy, struct pm_cgroup_level *level,
                      struct pm_error *error)
{
	*level = (struct pm_cgroup_level){ .version = hierarchy->version, .refaults = UINT64_MAX };
	if (asprintf(&level->folder, "%s%s", hierarchy->folder, hierarchy->group) < 0) {
		level->folder = NULL;
		return pm_error_out_of_memory(error);
	}
	level->path = strdup(*hierarchy->group ? hierarchy->group : "/");
	if (!level->path)
		return pm_error_out_of_memory(error);

	if (read_numbers(hierarchy, level, error) < 0 || read_split(hierarchy, level, error) < 0 ||
	    read_hugetlb(hierarchy, level, error) < 0)
		return -1;

	return pm_cgroup_read_events(hierarchy, &level->events, error);
}

/** Reads a cgroup and its ancestors. */
static int read_levels(const struct pm_hierarchy *hierarchy, struct pm_cgroup_levels *levels,
                       struct pm_error *error)
{
	struct pm_cgroup_levels found = { .view = hierarchy->view };
	struct pm_hierarchy at = *hierarchy;
	size_t capacity = 0;
	int result;

	at.group = strdup(hierarchy->group);
	if (!at.group)
		return pm_error_out_of_memory(error);

	do {
		result = pm_array_reserve(&found.items, &capacity, found.count, 1,
		                          sizeof *found.items, error);
		if (result == 0)
			result = read_level(&at, &found.items[found.count++], error);
	} while (result == 0 && found.count <= DEPTH_MAX && pm_cgroup_go_up(&at));

	free(at.group);
	if (result < 0) {
		pm_cgroup_levels_deinit(&found);
		return -1;
	}

	*levels = found;
	return 0;
}

int pm_cgroup_levels_read(struct pm_process *process, const char *sys_root,
                          struct pm_cgroup_levels *levels, struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	struct pm_cgroup_levels found = { 0 };
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = 0;
	found.view = hierarchy.view;
	if (hierarchy.version)
		result = read_levels(&hierarchy, &found, error);
	pm_hierarchy_deinit(&hierarchy);
	if (result == 0)
		*levels = found;

	return result;
}

/**
 * Returns the version of the memory controller of a directory. The root of v2 has no usage.
 * @return 1 or 2; 0 if the directory is not a memory cgroup
 */
static int version_of(const char *folder, size_t length)
{
	if (has_file(folder, length, usage_names[1]))
		return 1;
	if (has_file(folder, length, usage_names[2]) ||
	    (has_file(folder, length, "cgroup.controllers") &&
	     has_file(folder, length, "memory.stat")))
		return 2;
	return 0;
}

/** Reports why a directory is not a memory cgroup. */
static int refuse_folder(const char *folder, struct pm_error *error)
{
	size_t length = strlen(folder);

	if (access(folder, F_OK) < 0)
		return pm_error_set(error, errno == EACCES ? PM_ERROR_ACCESS : PM_ERROR_NOT_FOUND,
		                    errno, "cannot open the cgroup %s: %s", folder,
		                    strerror(errno));
	if (has_file(folder, length, "cgroup.controllers"))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is a cgroup without the memory controller: its usage is "
		                    "counted in an ancestor, or in a hierarchy of cgroup v1",
		                    folder);
	if (has_file(folder, length, "cgroup.procs"))
		return pm_error_set(error, PM_ERROR_USAGE, 0,
		                    "%s is a cgroup of another controller; those of memory are "
		                    "usually below /sys/fs/cgroup/memory",
		                    folder);

	return pm_error_set(error, PM_ERROR_USAGE, 0, "%s is not a cgroup", folder);
}

int pm_cgroup_levels_read_folder(const char *folder, struct pm_cgroup_levels *levels,
                                 struct pm_error *error)
{
	size_t length = strlen(folder);
	while (length > 1 && folder[length - 1] == '/')
		length--;

	struct pm_hierarchy hierarchy = { .version = version_of(folder, length) };
	if (hierarchy.version == 0)
		return refuse_folder(folder, error);

	/* The mount point is the highest directory that is a cgroup of the same version. */
	size_t top = length;
	for (size_t at = length; at > 0; at--)
		if (folder[at] == '/' && at < length) {
			if (version_of(folder, at) != hierarchy.version)
				break;
			top = at;
		}

	hierarchy.folder = strndup(folder, top);
	hierarchy.group = strndup(folder + top, length - top);
	int result = -1;
	if (hierarchy.folder && hierarchy.group)
		result = read_levels(&hierarchy, levels, error);
	else
		pm_error_out_of_memory(error);
	pm_hierarchy_deinit(&hierarchy);

	return result;
}

int pm_cgroup_levels_members(const struct pm_cgroup_level *level, const char *proc_root,
                             struct pm_members *members, struct pm_error *error)
{
	char empty[] = "";
	const struct pm_hierarchy hierarchy = { .version = level->version,
		                                .folder = level->folder,
		                                .group = empty };

	return pm_members_read_group(&hierarchy, proc_root ? proc_root : "/proc", members, error);
}

void pm_cgroup_levels_deinit(struct pm_cgroup_levels *levels)
{
	for (size_t i = 0; i < levels->count; i++) {
		free(levels->items[i].folder);
		free(levels->items[i].path);
	}
	free(levels->items);
	*levels = (struct pm_cgroup_levels){ 0 };
}

/** State while all cgroups are listed. */
struct listing {
	struct pm_cgroup_list list;
	size_t capacity; /* allocated elements of `list` */
	const volatile sig_atomic_t *cancel;
	int version;
};

/** Adds the usage of a cgroup. */
static int add_usage(struct listing *listing, const char *folder, size_t below,
                     struct pm_error *error)
{
	struct pm_cgroup_list *list = &listing->list;
	struct pm_cgroup_usage usage = { .below = below };
	char empty[] = "";
	struct pm_hierarchy group = { .version = listing->version, .group = empty };

	group.folder = strdup(folder);
	usage.folder = group.folder;
	if (!usage.folder)
		return pm_error_out_of_memory(error);
	if (pm_cgroup_number(&group, usage_names[listing->version], &usage.bytes, NULL) <= 0) {
		list->unreadable += access(folder, F_OK) == 0;
		free(usage.folder);
		return 0;
	}

	if (pm_array_reserve(&list->items, &listing->capacity, list->count, 1, sizeof *list->items,
	                     error) < 0) {
		free(usage.folder);
		return -1;
	}

	list->items[list->count++] = usage;
	return 0;
}

static int list_below(struct listing *listing, const char *folder, size_t depth,
                      struct pm_error *error)
{
	DIR *directory = opendir(folder);
	if (!directory) {
		listing->list.unreadable += errno != ENOENT;
		return pm_errno_is_ours(errno) ? pm_error_no_resources(errno, error) : 0;
	}

	int result = 0;
	struct dirent *entry;
	while (result == 0 && (entry = readdir(directory))) {
		char *below;
		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		if (depth >= DEPTH_MAX || listing->list.count >= GROUPS_MAX) {
			listing->list.incomplete = true;
			break;
		}
		if (pm_check_cancel(listing->cancel, error) < 0) {
			result = -1;
			break;
		}

		if (asprintf(&below, "%s/%s", folder, entry->d_name) < 0) {
			result = pm_error_out_of_memory(error);
			break;
		}
		result = add_usage(listing, below, depth, error);
		if (result == 0)
			result = list_below(listing, below, depth + 1, error);
		free(below);
	}

	closedir(directory);
	return result;
}

static int compare_usage(const void *one, const void *other)
{
	const struct pm_cgroup_usage *a = one, *b = other;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return strcmp(a->folder, b->folder);
}

int pm_cgroup_levels_list(struct pm_process *process, const char *sys_root,
                          const volatile sig_atomic_t *cancel, struct pm_cgroup_list *list,
                          struct pm_error *error)
{
	struct pm_hierarchy hierarchy;
	struct listing listing = { .cancel = cancel };
	if (pm_hierarchy_find(process, "memory", sys_root, &hierarchy, error) < 0)
		return -1;

	int result = 0;
	listing.version = hierarchy.version;
	if (hierarchy.version) {
		result = list_below(&listing, hierarchy.folder, 0, error);
		listing.list.root = hierarchy.folder;
		hierarchy.folder = NULL;
	}
	pm_hierarchy_deinit(&hierarchy);
	if (result < 0) {
		pm_cgroup_levels_list_deinit(&listing.list);
		return -1;
	}

	if (listing.list.count > 0)
		qsort(listing.list.items, listing.list.count, sizeof *listing.list.items,
		      compare_usage);
	*list = listing.list;
	return 0;
}

void pm_cgroup_levels_list_deinit(struct pm_cgroup_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].folder);
	free(list->items);
	free(list->root);
	*list = (struct pm_cgroup_list){ 0 };
}
