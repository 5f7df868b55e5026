/* SPDX-License-Identifier: MIT */
/*
 * The kernel lists the children of each thread in task/TID/children. One small file per thread of
 * the members is much less than stat of all processes, except if the members have very many
 * threads.
 */
#include "family/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
#include "proc/process_stat.h"

/** From this number of threads on, it is checked whether stat of all processes costs less. */
enum { THREADS_CHECKED = 256 };

/** How the search for children ended. */
enum search {
	SEARCH_DONE,
	SEARCH_NO_FILE, /**< the kernel has no `children` files, or the saved tree lacks them */
	SEARCH_FAILED,  /**< the error is filled */
};

/** A process and its parent. */
struct link {
	pid_t pid;
	pid_t parent;
};

static int too_few_descriptors(int cause, struct pm_error *error)
{
	return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot list the processes: %s",
	                    strerror(cause));
}

/** Adds the PIDs of a text, which are separated by spaces. */
static int join_text(struct pm_roster *roster, const char *text, struct pm_error *error)
{
	uint64_t pid;
	for (const char *at = text; pm_scan_decimal(&at, &pid); at += *at == ' ')
		if (pid > 0 && pid <= INT32_MAX &&
		    pm_roster_join(roster, (pid_t)pid, true, error) < 0)
			return -1;
	return 0;
}

/** Adds the children that one thread has forked. */
static enum search join_of_thread(struct pm_roster *roster, const struct pm_procfs *procfs,
                                  pid_t thread, struct pm_error *error)
{
	char name[64], *text;
	snprintf(name, sizeof name, "task/%d/children", (int)thread);

	if (pm_procfs_read(procfs, name, &text, NULL) < 0) {
		int cause = errno;
		if (pm_errno_is_ours(cause)) {
			too_few_descriptors(cause, error);
			return SEARCH_FAILED;
		}
		/* If the thread exists, the file is missing. A saved tree may lack both. */
		snprintf(name, sizeof name, "task/%d/stat", (int)thread);
		if (cause == ENOENT && (!roster->live || faccessat(procfs->fd, name, F_OK, 0) == 0))
			return SEARCH_NO_FILE;
		return SEARCH_DONE;
	}

	int result = join_text(roster, text, error);
	free(text);
	return result < 0 ? SEARCH_FAILED : SEARCH_DONE;
}

/** Adds the children that all threads of a process have forked. */
static enum search join_of_process(struct pm_roster *roster, const struct pm_procfs *procfs,
                                   uint32_t threads, struct pm_error *error)
{
	if (threads == 1)
		return join_of_thread(roster, procfs, procfs->pid, error);

	pid_t *tids;
	size_t count;
	if (pm_procfs_list_numbers(procfs, "task", &tids, &count) < 0) {
		if (!pm_errno_is_ours(errno))
			return SEARCH_DONE;
		too_few_descriptors(errno, error);
		return SEARCH_FAILED;
	}

	enum search result = SEARCH_DONE;
	for (size_t i = 0; i < count && result == SEARCH_DONE; i++)
		result = join_of_thread(roster, procfs, tids[i], error);

	free(tids);
	return result;
}

/** Adds the children of a member. */
static enum search join_of_member(struct pm_roster *roster, size_t index, struct pm_error *error)
{
	const struct pm_family_member *member = &roster->items[index];
	int held = roster->slots[index].fd;
	struct pm_procfs procfs = { .root = roster->root, .pid = member->pid, .fd = held };
	struct pm_process_stat stat;

	if (held >= 0)
		return join_of_process(roster, &procfs, member->threads, error);

	if (pm_procfs_open(&procfs, roster->root, member->pid) < 0) {
		if (!pm_errno_is_ours(errno))
			return SEARCH_DONE;
		too_few_descriptors(errno, error);
		return SEARCH_FAILED;
	}

	/* The directory must be that of the member, and not of a process that reuses its PID. */
	enum search result = SEARCH_DONE;
	if (pm_process_stat_read(&procfs, "stat", &stat) == 0 &&
	    stat.start_ticks == member->start_ticks)
		result = join_of_process(roster, &procfs, member->threads, error);

	pm_procfs_close(&procfs);
	return result;
}

/** Adds the children of all members by the `children` files of their threads. */
static enum search join_by_files(struct pm_roster *roster, struct pm_error *error)
{
	/* Members that are added during the loop are visited, too. */
	for (size_t i = 0; i < roster->count; i++) {
		if (roster->items[i].state != PM_FAMILY_ALIVE)
			continue;
		enum search result = join_of_member(roster, i, error);
		if (result != SEARCH_DONE)
			return result;
	}
	return SEARCH_DONE;
}

/** Lists the PIDs of all processes. */
static int list_pids(const struct pm_roster *roster, pid_t **pids, size_t *count)
{
	struct pm_procfs root = { .fd = open(roster->root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	if (root.fd < 0)
		return -1;

	int result = pm_procfs_list_numbers(&root, ".", pids, count), cause = errno;
	close(root.fd);
	errno = cause;
	return result;
}

/** Replaces PIDs by pairs of PID and parent. Processes that have ended are left out. */
static int read_links(const struct pm_roster *roster, const pid_t *pids, size_t *count,
                      struct link *links, struct pm_error *error)
{
	size_t found = 0;
	for (size_t i = 0; i < *count; i++) {
		struct pm_procfs procfs;
		struct pm_process_stat stat;
		int failed = pm_procfs_open(&procfs, roster->root, pids[i]), cause = errno;
		if (failed == 0) {
			failed = pm_process_stat_read(&procfs, "stat", &stat);
			cause = errno;
			pm_procfs_close(&procfs);
		}
		if (failed == 0)
			links[found++] = (struct link){ pids[i], (pid_t)stat.parent };
		else if (pm_errno_is_ours(cause))
			return too_few_descriptors(cause, error);
	}

	*count = found;
	return 0;
}

/** Adds the processes whose parents are members, until there are no more. */
static int join_links(struct pm_roster *roster, const struct link *links, size_t count,
                      struct pm_error *error)
{
	const size_t beyond = roster->beyond;

	/* Each pass but the last one adds a process, so there are at most `count` + 1 passes. */
	for (size_t before = SIZE_MAX; before != roster->count;) {
		before = roster->count;
		/* The next pass finds the processes that cannot join again. */
		roster->beyond = beyond;
		for (size_t i = 0; i < count; i++)
			if (pm_roster_find(roster, links[i].parent) < roster->count &&
			    pm_roster_find(roster, links[i].pid) == roster->count &&
			    pm_roster_join(roster, links[i].pid, true, error) < 0)
				return -1;
	}
	return 0;
}

/** Adds the descendants of all members by the parents of the given processes. */
static int join_by_parents(struct pm_roster *roster, const pid_t *pids, size_t count,
                           struct pm_error *error)
{
	struct link *links = calloc(count + 1, sizeof *links);
	if (!links)
		return pm_error_out_of_memory(error);

	int result = read_links(roster, pids, &count, links, error);
	if (result == 0)
		result = join_links(roster, links, count, error);

	free(links);
	return result;
}

static size_t count_threads(const struct pm_roster *roster)
{
	size_t threads = 0;
	for (size_t i = 0; i < roster->count; i++)
		if (roster->items[i].state == PM_FAMILY_ALIVE)
			threads += roster->items[i].threads;
	return threads;
}

int pm_tree_grow(struct pm_roster *roster, bool *incomplete, struct pm_error *error)
{
	pid_t *pids = NULL;
	size_t count = 0, threads = count_threads(roster);
	enum search search = SEARCH_NO_FILE;

	if (threads > THREADS_CHECKED && list_pids(roster, &pids, &count) < 0)
		pids = NULL;
	if (!pids || count > threads)
		search = join_by_files(roster, error);
	if (search != SEARCH_NO_FILE) {
		free(pids);
		return search == SEARCH_FAILED ? -1 : 0;
	}

	if (!pids && list_pids(roster, &pids, &count) < 0) {
		*incomplete = true;
		return 0;
	}

	int result = join_by_parents(roster, pids, count, error);
	free(pids);
	return result;
}
