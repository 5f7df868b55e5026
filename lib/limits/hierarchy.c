/* SPDX-License-Identifier: MIT */
#include "limits/hierarchy.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "limits/own_group.h"
#include "proc/mountinfo.h"
#include "proc/process_handle.h"

void pm_hierarchy_deinit(struct pm_hierarchy *hierarchy)
{
	free(hierarchy->folder);
	free(hierarchy->group);
	*hierarchy = (struct pm_hierarchy){ 0 };
}

/**
 * State of a search for a mount of the hierarchy. Of several mounts, the one whose root is highest
 * is chosen, because it shows the most ancestors of the cgroup.
 */
struct search {
	struct pm_process *process; /**< the process */
	const char *controller;     /**< controller of the hierarchy: "memory" or "pids" */
	const char *path;           /**< path of the cgroup, from /proc/PID/cgroup */
	int version;                /**< version of cgroups: 1 or 2 */
	const char *sys_root;       /**< directory that replaces /sys */
	bool any;                   /**< mountinfo exists and lists at least one mount */
	size_t ups;                 /**< number of `/..` in the root of the chosen mount */
	size_t root_length;         /**< bytes of the root of the chosen mount after the `/..` */
	char *folder;               /**< mount point chosen so far, owned; NULL if none was found */
	char *group;                /**< path of the cgroup below `folder`, owned */
};

/** Returns whether a root of a mount is higher in the hierarchy than that of the chosen mount. */
static bool is_higher(const struct pm_relative_path *root, const struct search *search)
{
	if (root->ups != search->ups)
		return root->ups > search->ups;
	return strlen(root->rest) < search->root_length;
}

/** Returns the path after a prefix of whole components, or NULL if the path has another prefix. */
static const char *path_below(const char *prefix, const char *path)
{
	size_t length = strlen(prefix);
	if (strncmp(path, prefix, length) != 0 || (path[length] != '/' && path[length] != '\0'))
		return NULL;
	return path + length;
}

/**
 * Cuts a path after a number of components.
 * @return false, with the path unchanged, if the path has fewer components
 */
static bool keep_components(char *path, size_t count)
{
	char *at = path;
	for (size_t i = 0; i < count; i++) {
		if (*at != '/')
			return false;
		at += 1 + strcspn(at + 1, "/");
	}

	*at = '\0';
	return true;
}

/**
 * Finds the path of the cgroup below a mount.
 *
 * Both the root of the mount and the path of the cgroup are relative to the root of the cgroup
 * namespace of this process. If the root of the mount is `/../..`, the path of the cgroup `/a` is
 * `/X/Y/a` below the mount, where the names X and Y are those of the cgroups above this process.
 *
 * @param search  the search
 * @param root    root of the mount
 * @param folder  mount point
 * @param group   receives the path, which the caller frees; "" for the root of the mount; NULL if
 *                the mount does not show the cgroup
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
static int find_group(const struct search *search, const struct pm_relative_path *root,
                      const char *folder, char **group, struct pm_error *error)
{
	struct pm_relative_path path = pm_relative_path_parse(search->path);

	*group = NULL;
	if (path.ups > root->ups)
		return 0;

	/*
	 * If the root of the mount has a name after `..`, neither this process nor any cgroup with
	 * fewer `..` is below the root.
	 */
	if (path.ups == root->ups) {
		const char *rest = path_below(root->rest, path.rest);
		if (!rest)
			return 0;
		*group = strdup(rest);
		return *group ? 0 : pm_error_out_of_memory(error);
	}
	if (*root->rest)
		return 0;

	char *own;
	if (pm_own_group_find(search->process, search->controller, folder, root->ups, &own, error) <
	    0)
		return -1;
	if (!own)
		return 0;

	int result = 0;
	if (keep_components(own, root->ups - path.ups) &&
	    asprintf(group, "%s%s", own, path.rest) < 0)
		result = pm_error_out_of_memory(error);
	free(own);

	return result;
}

/**
 * Replaces the prefix /sys of a mount point by the sys root. Mount points outside of /sys are only
 * accepted, unchanged, if the sys root is /sys.
 *
 * @param folder    a mount point
 * @param sys_root  directory that replaces /sys
 * @param failed    receives true when out of memory; the caller sets it to false before
 * @return          the new path, which the caller frees; NULL if the mount point is not accepted,
 *                  or when out of memory
 */
static char *below_sys_root(const char *folder, const char *sys_root, bool *failed)
{
	static const char sys[] = "/sys";
	size_t length = sizeof sys - 1;
	char *result = NULL;
	bool in_sys = strncmp(folder, sys, length) == 0 &&
	              (folder[length] == '/' || folder[length] == '\0');

	if (!in_sys && strcmp(sys_root, sys) != 0)
		return NULL;

	if (!in_sys)
		result = strdup(folder);
	else if (asprintf(&result, "%s%s", sys_root, folder + length) < 0)
		result = NULL;
	*failed = !result;

	return result;
}

static bool is_of_hierarchy(const struct pm_mount *mount, const struct search *search)
{
	size_t length;

	if (search->version == 2)
		return strcmp(mount->type, "cgroup2") == 0;

	return strcmp(mount->type, "cgroup") == 0 &&
	       pm_mount_option(mount, search->controller, &length);
}

static int consider_mount(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	struct search *search = context;
	struct pm_relative_path root = pm_relative_path_parse(mount->root);

	search->any = true;
	if (!is_of_hierarchy(mount, search) || (search->folder && !is_higher(&root, search)))
		return 0;

	bool failed = false;
	char *group, *folder = below_sys_root(mount->point, search->sys_root, &failed);
	if (failed)
		return pm_error_out_of_memory(error);
	if (!folder)
		return 0;

	int result = find_group(search, &root, folder, &group, error);
	if (result < 0 || !group) {
		free(folder);
		return result;
	}

	free(search->folder);
	free(search->group);
	search->folder = folder;
	search->group = group;
	search->ups = root.ups;
	search->root_length = strlen(root.rest);

	return 0;
}

/**
 * Chooses the conventional mount point of the hierarchy, if that directory exists. Used if
 * mountinfo is not available or lists no mounts.
 *
 * @param search  receives the directory in `folder`; NULL if there is none
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
static int use_conventional(struct search *search, struct pm_error *error)
{
	struct pm_relative_path path = pm_relative_path_parse(search->path);
	if (path.ups > 0)
		return 0;

	char *v1 = NULL;
	if (search->version == 1 && asprintf(&v1, "/%s", search->controller) < 0)
		return pm_error_out_of_memory(error);

	/*
	 * On systems that mount both versions, v2 is conventionally mounted in fs/cgroup/unified,
	 * otherwise in fs/cgroup.
	 */
	const char *const names[] = { v1 ? v1 : "/unified", "" };
	size_t count = v1 ? 1 : 2;
	for (size_t i = 0; i < count && !search->folder; i++) {
		char *folder;
		if (asprintf(&folder, "%s/fs/cgroup%s", search->sys_root, names[i]) < 0) {
			free(v1);
			return pm_error_out_of_memory(error);
		}
		if (access(folder, F_OK) == 0)
			search->folder = folder;
		else
			free(folder);
	}

	free(v1);
	if (search->folder) {
		search->group = strdup(path.rest);
		if (!search->group)
			return pm_error_out_of_memory(error);
	}

	return 0;
}

/**
 * Returns whether ancestors of the root of a mount exist. Both versions have a file that exists
 * only in, or only below, the root cgroup.
 */
static bool has_hidden_ancestors(const struct search *search)
{
	static const char *const names[3] = { NULL, "cgroup.sane_behavior", "cgroup.type" };
	char *path, *procs;
	bool hidden = false;

	if (asprintf(&path, "%s/%s", search->folder, names[search->version]) < 0)
		return false;
	if (asprintf(&procs, "%s/cgroup.procs", search->folder) < 0) {
		free(path);
		return false;
	}

	/* A saved tree may lack both files of v1. */
	if (search->version == 2)
		hidden = access(path, F_OK) == 0;
	else
		hidden = access(path, F_OK) < 0 && access(procs, F_OK) == 0;
	free(procs);
	free(path);

	return hidden;
}

int pm_hierarchy_read_text(struct pm_process *process, char **text, struct pm_error *error)
{
	int fd;
	struct pm_error cause = { 0 };

	*text = NULL;
	int result = pm_process_open_file(process, "cgroup", O_RDONLY, &fd, &cause);
	if (result == 0) {
		result = pm_read_all(fd, PM_PROCFS_TEXT_MAX, text, NULL, &cause);
		close(fd);
	}

	if (result == 0 || cause.kind == PM_ERROR_NOT_FOUND)
		return 0;
	if (error)
		*error = cause;
	return -1;
}

int pm_hierarchy_find(struct pm_process *process, const char *controller, const char *sys_root,
                      struct pm_hierarchy *hierarchy, struct pm_error *error)
{
	char *text;
	if (pm_hierarchy_read_text(process, &text, error) < 0)
		return -1;

	struct search search = { .process = process,
		                 .controller = controller,
		                 .sys_root = sys_root ? sys_root : "/sys" };
	int result = 0;

	if (text)
		search.path = pm_cgroup_path_find(text, controller, &search.version);
	if (search.path)
		result = pm_mounts_visit(pm_process_root(process), consider_mount, &search, error);
	if (result == 0 && search.path && !search.any)
		result = use_conventional(&search, error);

	if (result < 0) {
		free(search.folder);
		free(search.group);
		free(text);
		return -1;
	}

	struct pm_hierarchy found = { .folder = search.folder, .group = search.group };
	if (search.folder) {
		found.version = search.version;
		if (has_hidden_ancestors(&search))
			found.view = PM_CGROUP_ANCESTORS_HIDDEN;
	} else if (search.path) {
		found.view = PM_CGROUP_HIDDEN;
	}

	free(text);
	*hierarchy = found;
	return 0;
}

/** Chooses a mount for pm_hierarchy_find_root(): one of v1 is better than one of v2. */
static int consider_root(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	struct search *search = context;
	size_t length;
	bool v1 = strcmp(mount->type, "cgroup") == 0 &&
	          pm_mount_option(mount, search->controller, &length);

	search->any = true;
	if (!v1 && strcmp(mount->type, "cgroup2") != 0)
		return 0;
	if (search->folder && (search->version == 1 || !v1))
		return 0;

	bool failed = false;
	char *folder = below_sys_root(mount->point, search->sys_root, &failed);
	if (failed)
		return pm_error_out_of_memory(error);
	if (!folder)
		return 0;

	free(search->folder);
	search->folder = folder;
	search->version = v1 ? 1 : 2;
	return 0;
}

int pm_hierarchy_find_root(const char *proc_root, const char *controller, const char *sys_root,
                           struct pm_hierarchy *hierarchy, struct pm_error *error)
{
	struct search search = { .controller = controller, .sys_root = sys_root, .path = "/" };
	int result = pm_mounts_visit(proc_root, consider_root, &search, error);

	for (int version = 1; result == 0 && !search.any && !search.folder && version <= 2;
	     version++) {
		search.version = version;
		result = use_conventional(&search, error);
		/* In fs/cgroup itself are the cgroups of v2, or the mount points of v1. */
		char *name = search.folder ? strrchr(search.folder, '/') : NULL;
		if (version == 1 && name && strcmp(name + 1, controller) != 0) {
			free(search.folder);
			search.folder = NULL;
		}
		free(search.group);
		search.group = NULL;
	}

	char *group = result == 0 && search.folder ? strdup("") : NULL;
	if (result < 0 || (search.folder && !group)) {
		free(search.folder);
		return result < 0 ? -1 : pm_error_out_of_memory(error);
	}

	*hierarchy = (struct pm_hierarchy){ .folder = search.folder, .group = group };
	if (search.folder)
		hierarchy->version = search.version;
	return 0;
}
