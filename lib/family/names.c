/* SPDX-License-Identifier: MIT */
/*
 * An update lists the directory of /proc, and reads the names of few processes. A process is known
 * by its PID and the inode number of its directory: the kernel makes another inode when a PID is
 * reused. The inode can also change without that, which only means that the names are read again.
 * In case of doubt, the members compare start times.
 */
#include "family/names.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <procmem/process_find.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "proc/process_names.h"
#include "proc/process_stat.h"

/**
 * A new process can still be a copy of its parent that calls exec in a moment, so its names are
 * read in this many updates. After that they are read in one of PERIOD updates.
 */
enum { FIRST_UPDATES = 3, PERIOD = 16 };

struct pm_names_entry {
	pid_t pid;
	uint64_t inode;   /* of its directory in /proc */
	unsigned updates; /* number of updates that have read the names, at most FIRST_UPDATES */
	enum pm_name_match match;
};

/** A process that can be followed. */
struct candidate {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	uint64_t start_ticks;
};

void pm_names_deinit(struct pm_names *names)
{
	free(names->items);
	*names = (struct pm_names){ 0 };
}

static int compare_entries(const void *a, const void *b)
{
	const struct pm_names_entry *left = a, *right = b;
	return (left->pid > right->pid) - (left->pid < right->pid);
}

/**
 * Lists the processes, without their names.
 * @param list  receives the processes, by ascending PID
 * @return      0, or -1 with errno set
 */
static int list_processes(const char *root, struct pm_names *list)
{
	struct pm_names found = { 0 };
	size_t capacity = 0;
	DIR *directory = opendir(root);
	if (!directory)
		return -1;

	struct dirent *entry;
	while (errno = 0, (entry = readdir(directory))) {
		uint64_t pid;
		if (pm_parse_decimal(entry->d_name, INT_MAX, &pid, NULL) < 0)
			continue;
		if (pm_array_reserve(&found.items, &capacity, found.count, 1, sizeof *found.items,
		                     NULL) < 0) {
			errno = ENOMEM;
			break;
		}
		found.items[found.count++] = (struct pm_names_entry){ .pid = (pid_t)pid,
			                                              .inode = entry->d_ino,
			                                              .match = PM_MATCH_NONE };
	}

	int cause = errno;
	closedir(directory);
	if (cause) {
		pm_names_deinit(&found);
		errno = cause;
		return -1;
	}

	if (found.count > 1)
		qsort(found.items, found.count, sizeof *found.items, compare_entries);
	*list = found;
	return 0;
}

/** Copies what is known about processes that are still there. Both lists are sorted by PID. */
static void inherit(struct pm_names *now, const struct pm_names *before)
{
	size_t at = 0;
	for (size_t i = 0; i < now->count; i++) {
		struct pm_names_entry *entry = &now->items[i];
		while (at < before->count && before->items[at].pid < entry->pid)
			at++;
		if (at < before->count && before->items[at].pid == entry->pid &&
		    before->items[at].inode == entry->inode)
			*entry = before->items[at];
	}
}

/**
 * Reads the names of a process and compares them.
 * @return 0, or -1 with errno set
 */
static int read_names(const char *root, const char *word, struct pm_names_entry *entry)
{
	struct pm_procfs procfs;
	struct pm_process_names names;
	struct pm_process_stat stat;

	entry->match = PM_MATCH_NONE;
	if (pm_procfs_open(&procfs, root, entry->pid) < 0)
		return -1;

	int result = pm_process_stat_read(&procfs, "stat", &stat);
	if (result == 0)
		result = pm_process_names_read(&procfs, &names);
	int cause = errno;
	pm_procfs_close(&procfs);
	errno = cause;
	if (result < 0)
		return -1;

	bool ended = pm_process_stat_is_ending(&stat) && stat.threads <= 1;
	entry->match = pm_process_names_match(&names, ended, word);
	pm_process_names_deinit(&names);

	return 0;
}

/** Lists the processes, and compares the names of those that are new or have their turn. */
static int update(struct pm_names *names, const struct pm_roster *roster, const char *word,
                  bool *incomplete, struct pm_error *error)
{
	struct pm_names now;
	if (list_processes(roster->root, &now) < 0) {
		*incomplete = true;
		if (pm_errno_is_ours(errno))
			return pm_error_set(error, PM_ERROR_RESOURCES, errno,
			                    "cannot list the processes: %s", strerror(errno));
		return 0;
	}

	inherit(&now, names);
	pm_names_deinit(names);
	*names = now;
	for (size_t i = 0; i < now.count; i++) {
		struct pm_names_entry *entry = &now.items[i];
		bool turn = (roster->updates + (uint64_t)entry->pid) % PERIOD == 0;
		if (entry->updates == FIRST_UPDATES && !turn)
			continue;
		if (read_names(roster->root, word, entry) < 0 && pm_errno_is_ours(errno))
			return pm_error_set(error, PM_ERROR_RESOURCES, errno,
			                    "cannot read process %d: %s", (int)entry->pid,
			                    strerror(errno));
		entry->updates += entry->updates < FIRST_UPDATES;
	}

	return 0;
}

/** Tests whether a process is one of ours, which no name matches. */
static bool is_own(const struct pm_roster *roster, pid_t pid)
{
	return roster->live && pm_self_has(&roster->own, pid);
}

/** Returns the best match of all processes that have not ended; PM_MATCH_NONE if there is none. */
static enum pm_name_match best_of(const struct pm_names *names, const struct pm_roster *roster)
{
	enum pm_name_match best = PM_MATCH_NONE;
	for (size_t i = 0; i < names->count; i++) {
		const struct pm_names_entry *entry = &names->items[i];
		if (entry->match < best && !is_own(roster, entry->pid))
			best = entry->match;
	}
	return best < PM_MATCH_ZOMBIE ? best : PM_MATCH_NONE;
}

int pm_names_find(struct pm_names *names, struct pm_roster *roster, const char *word,
                  bool *incomplete, struct pm_error *error)
{
	if (update(names, roster, word, incomplete, error) < 0)
		return -1;

	enum pm_name_match best = best_of(names, roster);
	for (size_t i = 0; i < names->count; i++) {
		const struct pm_names_entry *entry = &names->items[i];
		if (entry->match >= PM_MATCH_ZOMBIE)
			continue;

		/* A member remains one when a process with exactly this name starts. */
		bool member = pm_roster_find(roster, entry->pid) < roster->count;
		if ((member || entry->match == best) &&
		    pm_roster_join(roster, entry->pid, false, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Reads a process that can be followed.
 * @return whether the process exists
 */
static bool read_candidate(const char *root, pid_t pid, struct candidate *candidate)
{
	struct pm_procfs procfs;
	struct pm_process_stat stat;
	if (pm_procfs_open(&procfs, root, pid) < 0)
		return false;

	int result = pm_process_stat_read(&procfs, "stat", &stat);
	pm_procfs_close(&procfs);
	if (result < 0 || (pm_process_stat_is_ending(&stat) && stat.threads <= 1))
		return false;

	*candidate = (struct candidate){ .pid = pid,
		                         .parent = (pid_t)stat.parent,
		                         .group = (pid_t)stat.group,
		                         .session = (pid_t)stat.session,
		                         .start_ticks = stat.start_ticks };
	return true;
}

/** Tests whether a process is in the process group or in the session of an earlier one. */
static bool belongs_to(const struct candidate *candidate, pid_t before)
{
	/* The PID of the earlier process can be used again. */
	return before != 0 && candidate->pid != before &&
	       (candidate->group == before || candidate->session == before);
}

/** Reads the processes that match best, except those that belong to the process `before`. */
static int read_candidates(const struct pm_names *names, const struct pm_roster *roster,
                           pid_t before, struct candidate **candidates, size_t *count,
                           struct pm_error *error)
{
	enum pm_name_match best = best_of(names, roster);
	struct candidate *list = calloc(names->count + 1, sizeof *list);
	size_t found = 0;
	if (!list)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; best != PM_MATCH_NONE && i < names->count; i++) {
		const struct pm_names_entry *entry = &names->items[i];
		if (entry->match != best || is_own(roster, entry->pid) ||
		    !read_candidate(roster->root, entry->pid, &list[found]))
			continue;
		if (!belongs_to(&list[found], before))
			found++;
	}

	*candidates = list;
	*count = found;
	return 0;
}

/** Tests whether the parent of a process is in a list that is sorted by PID. */
static bool has_parent(const struct candidate *list, size_t count, pid_t parent)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list[middle].pid == parent)
			return true;
		if (list[middle].pid < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/**
 * Chooses a process whose parent is not in the list: of several, the one that started last.
 * @param roots  receives the number of the processes whose parents are not in the list
 * @return       the process; NULL if the list is empty
 */
static const struct candidate *choose(const struct candidate *list, size_t count, size_t *roots)
{
	const struct candidate *chosen = NULL;

	*roots = 0;
	for (size_t i = 0; i < count; i++) {
		if (has_parent(list, count, list[i].parent))
			continue;
		(*roots)++;
		if (!chosen || list[i].start_ticks >= chosen->start_ticks)
			chosen = &list[i];
	}

	return chosen;
}

/** Reports that a name matches several processes, with a list of them if possible. */
static int report_several(const struct pm_roster *roster, const char *word, size_t count,
                          struct pm_error *error)
{
	struct pm_error listed = { 0 };
	pid_t pid;

	if (strcmp(roster->root, "/proc") == 0 && pm_process_find(word, &pid, &listed) < 0 &&
	    listed.kind == PM_ERROR_AMBIGUOUS) {
		if (error)
			*error = listed;
		return -1;
	}

	return pm_error_set(error, PM_ERROR_AMBIGUOUS, 0, "'%.64s' matches %zu processes", word,
	                    count);
}

int pm_names_follow(struct pm_names *names, struct pm_roster *roster, const char *word,
                    pid_t before, bool *incomplete, struct pm_error *error)
{
	struct candidate *list = NULL;
	size_t count = 0, roots;
	if (update(names, roster, word, incomplete, error) < 0 ||
	    read_candidates(names, roster, before, &list, &count, error) < 0)
		return -1;

	int result = 0;
	const struct candidate *chosen = choose(list, count, &roots);
	if (before == 0 && roots > 1)
		result = report_several(roster, word, roots, error);
	else if (chosen)
		result = pm_roster_join(roster, chosen->pid, false, error);

	free(list);
	return result;
}
