/* SPDX-License-Identifier: MIT */
#include "limits/own_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "limits/limit_source.h"
#include "proc/process_handle.h"

/*
 * Maximum number of directories that are examined, and maximum number of levels between the root of
 * a mount and the root of the namespace. They bound the time for hostile trees.
 */
enum { FOLDERS_MAX = 20000, UPS_MAX = 32 };

/** Maximum number of bytes of a list of PIDs that are read. There are at most 2^22 PIDs. */
enum { LIST_MAX = 1 << 26 };

struct pm_relative_path pm_relative_path_parse(const char *path)
{
	struct pm_relative_path result = { .rest = path };

	while (strncmp(result.rest, "/..", 3) == 0 &&
	       (result.rest[3] == '/' || result.rest[3] == '\0')) {
		result.ups++;
		result.rest += 3;
	}
	if (strcmp(result.rest, "/") == 0)
		result.rest++;

	return result;
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

char *pm_cgroup_path_find(char *text, const char *controller, int *version)
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

/** State of the search for the own cgroup. */
struct own_search {
	const char *rest; /* path of the own cgroup below the ancestor that is searched */
	uint64_t pid;     /* own PID, as /proc shows it */
	size_t folders;   /* number of directories examined so far */
	char *found;      /* full path of the ancestor, owned; NULL if not found */
	bool incomplete;  /* this process had too few descriptors or too little memory */
};

/**
 * Returns whether a file of one number per line contains a number. The file of a large cgroup is
 * long, so only a part of the file at a time is in memory.
 */
static bool has_number(int fd, uint64_t wanted)
{
	char buffer[1 << 14];
	uint64_t number = 0, total = 0;
	bool digits = false;
	ssize_t got;

	while (total < LIST_MAX && (got = pm_read(fd, buffer, sizeof buffer)) > 0) {
		total += (uint64_t)got;
		for (ssize_t i = 0; i < got; i++) {
			bool digit = buffer[i] >= '0' && buffer[i] <= '9';
			if (!digit && digits && number == wanted)
				return true;

			/* A number that is larger than all PIDs does not grow further. */
			if (!digit)
				number = 0;
			else if (number < UINT32_MAX)
				number = 10 * number + (uint64_t)(buffer[i] - '0');
			digits = digit;
		}
	}

	return digits && number == wanted;
}

/** Returns whether this process is in the cgroup `rest` below a directory. */
static bool is_own(struct own_search *search, const char *folder)
{
	/* The processes of a threaded cgroup are only listed in cgroup.threads. */
	static const char *const names[] = { "cgroup.procs", "cgroup.threads" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *path;
		if (asprintf(&path, "%s%s/%s", folder, search->rest, names[i]) < 0)
			return false;

		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && pm_errno_is_ours(errno))
			search->incomplete = true;
		bool found = fd >= 0 && has_number(fd, search->pid);
		if (fd >= 0)
			close(fd);
		free(path);
		if (found)
			return true;
	}

	return false;
}

/**
 * Searches the directories that are `depth` levels below a directory.
 * @return 0, also if nothing was found; -1 on error
 */
static int search_level(struct own_search *search, const char *folder, size_t depth,
                        struct pm_error *error)
{
	if (search->folders++ >= FOLDERS_MAX)
		return 0;

	if (depth == 0) {
		if (!is_own(search, folder))
			return 0;
		search->found = strdup(folder);
		return search->found ? 0 : pm_error_out_of_memory(error);
	}

	DIR *directory = opendir(folder);
	if (!directory) {
		/* The cgroup may be removed at any time, or not be accessible. */
		if (pm_errno_is_ours(errno))
			search->incomplete = true;
		return 0;
	}

	int result = 0;
	struct dirent *entry;
	while (result == 0 && !search->found && (entry = readdir(directory))) {
		char *below;
		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		if (asprintf(&below, "%s/%s", folder, entry->d_name) < 0) {
			result = pm_error_out_of_memory(error);
			break;
		}
		result = search_level(search, below, depth - 1, error);
		free(below);
	}

	closedir(directory);
	return result;
}

/** Reads the own PID as /proc shows it, which depends on the PID namespace of the mount. */
static bool read_own_pid(const char *proc_root, uint64_t *pid)
{
	char *text = pm_limit_file(proc_root, "self/stat");
	const char *at = text;
	bool known = text && pm_scan_decimal(&at, pid);

	free(text);
	return known;
}

/**
 * Searches the directories below a mount for the ancestor of the own cgroup.
 *
 * @param search  the search; `rest` and `pid` are set
 * @param folder  mount point
 * @param depth   number of levels between the mount point and the ancestor
 * @param path    receives the path of the ancestor below `folder`, which the caller frees; NULL if
 *                it was not found
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
static int search_mount(struct own_search *search, const char *folder, size_t depth, char **path,
                        struct pm_error *error)
{
	int result = search_level(search, folder, depth, error);

	if (result == 0 && search->found) {
		*path = strdup(search->found + strlen(folder));
		if (!*path)
			result = pm_error_out_of_memory(error);
	}
	free(search->found);

	return result;
}

/** Returns whether a directory exists that a former search has found below a mount. */
static bool still_exists(const char *folder, const char *path)
{
	char *whole;
	if (asprintf(&whole, "%s%s", folder, path) < 0)
		return false;

	bool exists = access(whole, F_OK) == 0;
	free(whole);
	return exists;
}

/**
 * Finds the ancestor of the own cgroup below a mount: uses the result of a former search, or
 * searches the directories.
 *
 * @param own  path of the own cgroup from /proc/self/cgroup
 * @return     0 or -1; the other parameters are those of pm_own_group_find()
 */
static int find_ancestor(struct pm_process *process, const char *own, const char *folder,
                         size_t ups, char **path, struct pm_error *error)
{
	struct pm_relative_path relative = pm_relative_path_parse(own);
	struct own_search search = { .rest = relative.rest };
	char *key;

	if (relative.ups > ups || ups > UPS_MAX ||
	    !read_own_pid(pm_process_root(process), &search.pid))
		return 0;

	/* All that the result depends on. After fork(2), the PID is another. */
	if (asprintf(&key, "%" PRIu64 " %zu %s\n%s", search.pid, ups, own, folder) < 0)
		return pm_error_out_of_memory(error);

	int result = 0;
	bool known = pm_path_cache_find(&process->own_groups, key, path);
	if (known && *path && !still_exists(folder, *path)) {
		free(*path);
		*path = NULL;
		known = false;
	}

	if (!known) {
		/* If this process was moved out of its namespace, its path begins with `/..`, too.
		 */
		result = search_mount(&search, folder, ups - relative.ups, path, error);
		if (result == 0 && (*path || !search.incomplete))
			pm_path_cache_add(&process->own_groups, key, *path);
	}

	free(key);
	return result;
}

int pm_own_group_find(struct pm_process *process, const char *controller, const char *folder,
                      size_t ups, char **path, struct pm_error *error)
{
	int version, result = 0;
	char *text = pm_limit_file(pm_process_root(process), "self/cgroup");
	const char *own = NULL;

	*path = NULL;
	if (text)
		own = pm_cgroup_path_find(text, controller, &version);
	if (own)
		result = find_ancestor(process, own, folder, ups, path, error);

	free(text);
	return result;
}
