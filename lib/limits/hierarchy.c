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

/** Whether a list separated by commas holds a word. */
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
 * Finds a process's cgroup for a controller in the text of its cgroup file, lines
 * `ID:CONTROLLERS:PATH` (cgroups(7)).
 *
 * @param text        changed: the path ends in a NUL
 * @param controller  name of it
 * @param version     where to store 1 or 2
 * @return         the path, relative to the root of our own cgroup namespace, or NULL where there
 * is none
 */
static char *find_path(char *text, const char *controller, int *version)
{
	char *unified = NULL, *rest = text, *line;
	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(++controllers, ':') : NULL;
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

/** Search for the mount that shows most of a process's ancestors. */
struct search {
	const char *controller; /**< of the hierarchy */
	const char *path;       /**< the process's group, as its cgroup file gives it */
	int version;            /**< which hierarchy */
	const char *sys_root;   /**< stands for /sys */
	bool any;               /**< some mount was seen: there is a mountinfo */
	size_t root_length;     /**< how much of the path the best mount does not show */
	char *folder;           /**< the best mount point, NULL for none yet; owned */
};

/**
 * What a mount with this root shows of a path: the rest of it, or NULL where the path lies outside.
 */
static const char *path_below(const char *root, const char *path)
{
	size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != '\0'))
		return NULL;
	/* `/..` leads out of our cgroup namespace: no name below this mount belongs to it. */
	const char *rest = path + length;
	return strncmp(rest, "/..", 3) == 0 && (rest[3] == '/' || rest[3] == '\0') ? NULL : rest;
}

/**
 * Puts the sys root in the place of /sys.
 * @return NULL where the folder lies elsewhere, or when out of memory (*failed)
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

	int made = in_sys ? asprintf(&result, "%s%s", sys_root, folder + length)
	                  : asprintf(&result, "%s", folder);
	*failed = made < 0;

	return made < 0 ? NULL : result;
}

static int consider_mount(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	struct search *search = context;
	size_t length, root_length = strlen(mount->root);

	search->any = true;
	bool right = search->version == 2
	                     ? strcmp(mount->type, "cgroup2") == 0
	                     : strcmp(mount->type, "cgroup") == 0 &&
	                               pm_mount_option(mount, search->controller, &length);

	if (!right || !path_below(mount->root, search->path) ||
	    (search->folder && root_length >= search->root_length))
		return 0;

	bool failed = false;
	char *folder = below_sys_root(mount->point, search->sys_root, &failed);
	if (failed)
		return pm_error_out_of_memory(error);

	if (folder) {
		free(search->folder);
		search->folder = folder;
		search->root_length = strcmp(mount->root, "/") == 0 ? 0 : root_length;
	}

	return 0;
}

/**
 * Takes the place where systems mount the hierarchy, if there is such a folder.
 * @return 0, or -1 when out of memory
 */
static int take_conventional(struct search *search, struct pm_error *error)
{
	static const char *const unified[] = { "fs/cgroup/unified", "fs/cgroup" };

	if (!path_below("/", search->path))
		return 0;

	for (size_t i = 0; i < (search->version == 1 ? 1 : 2) && !search->folder; i++) {
		char *folder;
		int made = search->version == 1
		                   ? asprintf(&folder, "%s/fs/cgroup/%s", search->sys_root,
		                              search->controller)
		                   : asprintf(&folder, "%s/%s", search->sys_root, unified[i]);
		if (made < 0)
			return pm_error_out_of_memory(error);
		if (access(folder, F_OK) == 0)
			search->folder = folder;
		else
			free(folder);
	}

	return 0;
}

/**
 * Reads the cgroup file.
 * @param text where to store its text, NULL where the kernel has no cgroups
 * @return 0 or -1
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

	struct search search = { .controller = controller, .sys_root = sys_root };
	struct pm_hierarchy found = { 0 };
	search.path = text ? find_path(text, controller, &search.version) : NULL;

	int result = search.path ? pm_mounts_visit(pm_process_root(process), consider_mount,
	                                           &search, error)
	                         : 0;
	if (result == 0 && search.path && !search.any)
		result = take_conventional(&search, error);

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
