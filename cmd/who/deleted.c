/* SPDX-License-Identifier: MIT */
/*
 * The kernel adds " (deleted)" to the path of a deleted file in the links of /proc/PID/fd and in
 * maps. A file that exists can have such a name, too; it is not taken for a deleted one.
 */
#include "who/deleted.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <procmem/file.h>
#include <procmem/maps.h>
#include <procmem/process_list.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/text.h"

/* Maximum number of different deleted files of one path that are kept apart. */
enum { FILES_MAX = 64 };

static const char suffix[] = " (deleted)";

/** Where a file is used. */
struct place {
	char link[64];    /* link to a descriptor; "" for a mapping */
	pid_t pid;        /* the process */
	uint64_t address; /* of the mapping; 0 for a descriptor */
};

/** The state of a search. */
struct search {
	char *path;                      /* absolute; owned */
	char *name;                      /* path and suffix; owned */
	char *link;                      /* room for the text of a link; owned */
	struct pm_file files[FILES_MAX]; /* the different files */
	size_t count;                    /* number of elements of `files` */
	uint64_t allocated;              /* size of the largest */
	struct who_deleted *found;
};

/**
 * Makes a path absolute, without links in its directory, as the kernel shows it.
 * @return the path, to be released with free(); NULL if the directory does not exist
 */
static char *absolute_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct text text = { 0 };

	if (!slash)
		return NULL;
	char *folder = slash == path ? alloc_string("/") : strndup(path, (size_t)(slash - path));
	char *real = folder ? realpath(folder, NULL) : NULL;
	free(folder);

	if (real)
		text_string(&text, strcmp(real, "/") == 0 ? "" : real);
	/* A directory that was removed with its files is searched under the name that it had. */
	else if (*path == '/')
		text_bytes(&text, path, (size_t)(slash - path));
	else
		return NULL;
	free(real);
	text_string(&text, slash);
	char *result = alloc_string(text_terminate(&text));
	text_deinit(&text);
	return result;
}

/**
 * Adds a file, unless it is known already.
 * @param where  its place; copied if it is the largest file so far
 */
static void add_file(struct search *search, struct pm_file *file, const struct pm_file_state *state,
                     const struct place *where)
{
	if (state->known && !state->deleted && access(search->name, F_OK) == 0)
		return;
	file->name = search->path;
	for (size_t i = 0; i < search->count; i++)
		if (pm_file_equal(&search->files[i], file))
			return;

	bool first = search->count == 0 && search->found->others == 0;
	if (search->count < FILES_MAX)
		search->files[search->count++] = *file;
	if (!first)
		search->found->others++;
	if (!first && state->allocated <= search->allocated)
		return;

	search->allocated = state->allocated;
	search->found->address = where->address;
	memcpy(search->found->link, where->link, sizeof where->link);
	snprintf(search->found->target, sizeof search->found->target, "%d", (int)where->pid);
}

static void examine_descriptor(struct search *search, pid_t pid, const char *number)
{
	struct place where = { .pid = pid };
	size_t length = strlen(search->name);
	struct pm_file_state state;
	struct pm_file file;

	snprintf(where.link, sizeof where.link, "/proc/%d/fd/%.20s", (int)pid, number);
	/* One byte more shows whether the link is longer. */
	if (readlink(where.link, search->link, length + 1) != (ssize_t)length ||
	    memcmp(search->link, search->name, length) != 0)
		return;
	if (pm_file_from_path(where.link, &file, &state, NULL) == 0)
		add_file(search, &file, &state, &where);
}

/**
 * Examines the descriptors of a process.
 * @return whether they could be read
 */
static bool examine_descriptors(struct search *search, pid_t pid)
{
	char path[32];
	struct dirent *entry;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *folder = opendir(path);
	if (!folder)
		return errno == ENOENT;
	while ((entry = readdir(folder)) && !*interrupt_flag())
		if (entry->d_name[0] != '.')
			examine_descriptor(search, pid, entry->d_name);
	closedir(folder);
	return true;
}

static void examine_regions(struct search *search, struct pm_process *process)
{
	struct pm_regions regions;
	struct pm_error error;

	pm_regions_init(&regions);
	if (pm_maps_read(process, PM_MAPS, &regions, &error) < 0) {
		search->found->unreadable += error.kind == PM_ERROR_ACCESS;
		regions.count = 0;
	}
	for (size_t i = 0; i < regions.count; i++) {
		const struct pm_region *region = &regions.items[i];
		const struct place where = { .pid = pm_process_pid(process),
			                     .address = region->start };
		struct pm_file_state state;
		struct pm_file file;

		if (region->deleted && strcmp(region->mapping, search->path) == 0 &&
		    pm_file_from_region(process, region, &file, &state, NULL) == 0)
			add_file(search, &file, &state, &where);
	}
	pm_regions_deinit(&regions);
}

static void examine_process(struct search *search, const struct pm_process_row *row)
{
	struct pm_process *process;

	if (row->kernel_thread || row->pid == getpid())
		return;
	if (!examine_descriptors(search, row->pid))
		search->found->unreadable++;
	else if (pm_process_open(NULL, row->pid, &process, NULL) == 0) {
		examine_regions(search, process);
		pm_process_close(process);
	}
}

static int none_found(const char *path, const struct who_deleted *found, struct pm_error *error)
{
	struct text text = { 0 };

	text_string(&text, "and no process holds a deleted file of that path");
	if (found->unreadable > 0)
		text_format(&text, ", but %zu process%s could not be examined", found->unreadable,
		            found->unreadable == 1 ? "" : "es");
	if (found->unreadable > 0 && geteuid() != 0)
		text_string(&text, ": use sudo");
	if (pm_process_list_is_partial())
		text_string(&text, "; /proc hides processes of other users (hidepid)");
	pm_error_set(error, PM_ERROR_NOT_FOUND, ENOENT, "cannot examine %s: %s, %s", path,
	             strerror(ENOENT), text_terminate(&text));
	text_deinit(&text);
	return -1;
}

int who_deleted_find(const char *path, struct who_deleted *found, struct pm_error *error)
{
	struct search search = { .path = absolute_path(path), .found = found };
	struct pm_process_list list = { 0 };
	struct text name = { 0 };

	*found = (struct who_deleted){ 0 };
	if (!search.path)
		return none_found(path, found, error);
	if (pm_process_list_read(&list, error) < 0) {
		free(search.path);
		return -1;
	}

	text_string(&name, search.path);
	text_string(&name, suffix);
	search.name = alloc_string(text_terminate(&name));
	search.link = alloc_array(NULL, name.length + 1, 1);
	interrupt_catch();
	for (size_t i = 0; i < list.count && !*interrupt_flag(); i++)
		examine_process(&search, &list.items[i]);

	int result = 0;
	if (*interrupt_flag())
		result = pm_error_set(error, PM_ERROR_CANCELLED, 0, "interrupted");
	else if (search.count == 0)
		result = none_found(path, found, error);
	text_deinit(&name);
	free(search.link);
	free(search.name);
	free(search.path);
	pm_process_list_deinit(&list);
	return result;
}
