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
#include "proc/mountinfo.h"
#include "proc/process_handle.h"

void pm_hierarchy_deinit(struct pm_hierarchy *hierarchy)
{
	free(hierarchy->folder);
	free(hierarchy->group);
	*hierarchy = (struct pm_hierarchy){ 0 };
}

/** Returns whether a comma-separated list contains a word. */
static bool list_holds(const char *list, size_t length, const char *word)
{
	size_t word_length = strlen(word);
	for (const char *at = list, *end = list + length; at < end;) {
		size_t item = strcspn(at, ",:");
		if (item == word_length && memcmp(at, word, item) == 0)
			return true;
		at += item + 1;
	}
	return false;
}

/**
 * Finds the cgroup of a process for a controller in the text of its cgroup file, which has lines
 * `ID:CONTROLLERS:PATH` (cgroups(7)).
 *
 * @param text        modified: the path is terminated by a NUL
 * @param controller  name of the controller
 * @param version     receives the version of cgroups: 1 if a line lists the controller, otherwise 2
 * @return            the path, relative to the root of the cgroup namespace of the calling process;
 *                    NULL if the text has neither a line for the controller nor a line for v2
 */
static char *find_path(char *text, const char *controller, int *version)
{
	char *unified = NULL, *rest = text, *line;
	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':');
		if (!controllers)
			continue;

		controllers++;
		char *path = strchr(controllers, ':');
		if (!path || path[1] != '/')
			continue;

		if (list_holds(controllers, (size_t)(path - controllers), controller)) {
			*version = 1;
			return path + 1;
		}
		if (path == controllers && strncmp(line, "0:", 2) == 0)
			unified = path + 1;
	}

	*version = 2;
	return unified;
}

/**
 * State of a search for a mount of the hierarchy. Of several mounts, the one with the shortest root
 * is chosen, because it shows the most ancestors of the cgroup.
 */
struct search {
	const char *controller; /**< controller of the hierarchy: "memory" or "pids" */
	const char *path;       /**< path of the cgroup, from /proc/PID/cgroup */
	int version;            /**< version of cgroups: 1 or 2 */
	const char *sys_root;   /**< directory that replaces /sys */
	bool any;               /**< mountinfo exists and lists at least one mount */
	size_t root_length;     /**< bytes of the prefix of `path` that is not visible in the chosen
	                           mount */
	char *folder;           /**< mount point chosen so far, owned; NULL if none was found */
};

/**
 * Returns the number of bytes to remove from the start of the path of a cgroup to get the path
 * below the mount point: the length of the root of the mount, or 0 if the root is "/".
 */
static size_t root_length_of(const char *root)
{
	return strcmp(root, "/") == 0 ? 0 : strlen(root);
}

/**
 * Returns the part of the path of a cgroup after the root of a mount, or NULL if the cgroup is not
 * visible in the mount.
 */
static const char *path_below(const char *root, const char *path)
{
	size_t length = root_length_of(root);
	if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != '\0'))
		return NULL;
	/*
	 * If the rest begins with `/..`, the cgroup is outside of our cgroup namespace and is not
	 * visible in this mount.
	 */
	const char *rest = path + length;
	if (strncmp(rest, "/..", 3) == 0 && (rest[3] == '/' || rest[3] == '\0'))
		return NULL;

	return rest;
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
	size_t root_length = strlen(mount->root);

	search->any = true;
	if (!is_of_hierarchy(mount, search) || !path_below(mount->root, search->path) ||
	    (search->folder && root_length >= search->root_length))
		return 0;

	bool failed = false;
	char *folder = below_sys_root(mount->point, search->sys_root, &failed);
	if (failed)
		return pm_error_out_of_memory(error);

	if (folder) {
		free(search->folder);
		search->folder = folder;
		search->root_length = root_length_of(mount->root);
	}

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
	if (!path_below("/", search->path))
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
	return 0;
}

/**
 * Reads the cgroup file of a process.
 *
 * @param process  the process
 * @param text     receives the text of the file, which the caller frees; NULL if the kernel has no
 *                 cgroups
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
static int read_cgroup_file(struct pm_process *process, char **text, struct pm_error *error)
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
	if (read_cgroup_file(process, &text, error) < 0)
		return -1;

	struct search search = { .controller = controller,
		                 .sys_root = sys_root ? sys_root : "/sys" };
	struct pm_hierarchy found = { 0 };
	int result = 0;

	if (text)
		search.path = find_path(text, controller, &search.version);
	if (search.path)
		result = pm_mounts_visit(pm_process_root(process), consider_mount, &search, error);
	if (result == 0 && search.path && !search.any)
		result = use_conventional(&search, error);

	if (result == 0 && search.path && search.folder) {
		const char *group = search.path + search.root_length;
		found = (struct pm_hierarchy){ .version = search.version, .folder = search.folder };
		found.group = strdup(strcmp(group, "/") == 0 ? "" : group);
		search.folder = NULL;
		if (!found.group)
			result = pm_error_out_of_memory(error);
	}

	free(search.folder);
	free(text);
	if (result < 0) {
		pm_hierarchy_deinit(&found);
		return -1;
	}

	*hierarchy = found;
	return 0;
}
