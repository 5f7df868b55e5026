/* SPDX-License-Identifier: MIT */
#include "limits/own_group.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "limits/limit_source.h"

/*
 * Maximum number of directories that are examined, and maximum number of levels between the root of
 * a mount and the root of the namespace. They bound the time for hostile trees.
 */
enum { FOLDERS_MAX = 20000, UPS_MAX = 32 };

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
};

/** Returns whether a text of one number per line contains a number. */
static bool has_number(const char *text, uint64_t wanted)
{
	uint64_t number;
	for (const char *at = text; pm_scan_decimal(&at, &number); at += *at == '\n')
		if (number == wanted)
			return true;
	return false;
}

/** Returns whether this process is in the cgroup `rest` below a directory. */
static bool is_own(const struct own_search *search, const char *folder)
{
	/* The processes of a threaded cgroup are only listed in cgroup.threads. */
	static const char *const names[] = { "cgroup.procs", "cgroup.threads" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *path;
		if (asprintf(&path, "%s/%s", search->rest, names[i]) < 0)
			return false;

		char *text = pm_limit_file(folder, path);
		bool found = text && has_number(text, search->pid);
		free(text);
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

int pm_own_group_find(const char *proc_root, const char *controller, const char *folder, size_t ups,
                      char **path, struct pm_error *error)
{
	struct own_search search = { 0 };
	int version;
	char *text = pm_limit_file(proc_root, "self/cgroup");
	char *own = NULL;

	*path = NULL;
	if (text)
		own = pm_cgroup_path_find(text, controller, &version);
	if (!own || !read_own_pid(proc_root, &search.pid)) {
		free(text);
		return 0;
	}

	/* If this process was moved out of its namespace, its path begins with `/..`, too. */
	struct pm_relative_path relative = pm_relative_path_parse(own);
	int result = 0;
	search.rest = relative.rest;
	if (relative.ups <= ups && ups <= UPS_MAX)
		result = search_level(&search, folder, ups - relative.ups, error);
	free(text);

	if (result == 0 && search.found) {
		*path = strdup(search.found + strlen(folder));
		if (!*path)
			result = pm_error_out_of_memory(error);
	}
	free(search.found);

	return result;
}
