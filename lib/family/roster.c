/* SPDX-License-Identifier: MIT */
#include "family/roster.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/minmax.h"
#include "family/member_sizes.h"
#include "proc/access.h"
#include "proc/process_stat.h"
#include "proc/status.h"

/**
 * A user ID can change without any other sign. Status is read in one of this many updates, if swap
 * does not require it in each.
 */
enum { STATUS_PERIOD = 16 };

/** PF_FORKNOEXEC of include/linux/sched.h: the process was forked and has not called exec. */
enum { FORKED_WITHOUT_EXEC = 0x00000040 };

/** What came out of reading a process. */
enum outcome {
	OUTCOME_READ,
	OUTCOME_ENDED,
	OUTCOME_REFUSED, /**< the kernel does not let us read it; errno is set */
	OUTCOME_FAILED,  /**< this process lacks memory or descriptors; errno is set */
};

/** Decides what an errno says about a process. */
static enum outcome outcome_of(int cause)
{
	errno = cause;
	if (pm_errno_is_ours(cause))
		return OUTCOME_FAILED;
	if (cause == ESRCH)
		return OUTCOME_ENDED;
	return OUTCOME_REFUSED;
}

int pm_roster_init(struct pm_roster *roster, const char *root, struct pm_error *error)
{
	struct rlimit files;

	*roster = (struct pm_roster){ .next_id = 1, .open_max = PM_FAMILY_OPEN_MAX };
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		roster->open_max = (size_t)pm_min(files.rlim_cur / 4, PM_FAMILY_OPEN_MAX);

	roster->root = strdup(root);
	if (!roster->root)
		return pm_error_out_of_memory(error);

	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct pm_procfs procfs = { .fd = fd };
	if (fd >= 0) {
		roster->live = pm_procfs_is_live(&procfs);
		close(fd);
	}

	return 0;
}

/** Releases what belongs to a member, but not its place in the list. */
static void release(struct pm_roster *roster, size_t index)
{
	struct pm_roster_slot *slot = &roster->slots[index];

	if (slot->fd >= 0) {
		close(slot->fd);
		roster->open_count--;
	}
	free(slot->reason);
	*slot = (struct pm_roster_slot){ .fd = -1 };
	roster->items[index].reason = NULL;
}

void pm_roster_deinit(struct pm_roster *roster)
{
	for (size_t i = 0; i < roster->count; i++)
		release(roster, i);

	free(roster->items);
	free(roster->slots);
	free(roster->index);
	free(roster->root);
	*roster = (struct pm_roster){ 0 };
}

/** Returns where the search for a PID in the hash table starts. */
static size_t index_start(const struct pm_roster *roster, pid_t pid)
{
	return (size_t)pm_hash_mix((uint64_t)pid, PM_HASH_ONE) & (roster->index_size - 1);
}

static void index_add(struct pm_roster *roster, size_t member)
{
	size_t at = index_start(roster, roster->items[member].pid);
	while (roster->index[at] != 0)
		at = (at + 1) & (roster->index_size - 1);
	roster->index[at] = (uint32_t)member + 1;
}

static bool has_gone(const struct pm_family_member *member)
{
	return member->state == PM_FAMILY_ENDED || member->state == PM_FAMILY_LEFT;
}

/**
 * Makes the hash table again from the living members, with room for `more` members.
 * @return 0 or -1
 */
static int index_build(struct pm_roster *roster, size_t more, struct pm_error *error)
{
	size_t size = 64;
	while (size < 2 * (roster->count + more))
		size *= 2;

	uint32_t *index = calloc(size, sizeof *index);
	if (!index)
		return pm_error_out_of_memory(error);

	free(roster->index);
	roster->index = index;
	roster->index_size = size;
	for (size_t i = 0; i < roster->count; i++)
		if (!has_gone(&roster->items[i]))
			index_add(roster, i);

	return 0;
}

size_t pm_roster_find(const struct pm_roster *roster, pid_t pid)
{
	if (roster->index_size == 0)
		return roster->count;

	size_t at = index_start(roster, pid);
	for (; roster->index[at] != 0; at = (at + 1) & (roster->index_size - 1)) {
		size_t member = roster->index[at] - 1;
		if (roster->items[member].pid == pid && !has_gone(&roster->items[member]))
			return member;
	}

	return roster->count;
}

/** Reads the sizes and, if needed, the user of a process. */
static int read_sizes(const struct pm_roster *roster, const struct pm_procfs *procfs,
                      const struct pm_process_stat *stat, bool all, struct pm_family_member *member)
{
	/* The members take turns, so that no update reads all status files. */
	bool turn = (roster->updates + member->id) % STATUS_PERIOD == 0;

	return pm_member_sizes_read(procfs, stat, all || roster->swap || turn, member);
}

/**
 * Tests whether a process without memory has released it because it ends. Its state can be older
 * than its sizes, so the state is read again. Kernel threads have no memory, but do not end.
 */
static bool has_released_memory(const struct pm_procfs *procfs,
                                const struct pm_family_member *found)
{
	struct pm_process_stat stat;

	if (found->rss + found->swap > 0)
		return false;
	return pm_process_stat_read(procfs, "stat", &stat) < 0 || pm_process_stat_is_ending(&stat);
}

/**
 * Reads the state and the sizes of a process.
 *
 * @param procfs  directory of the process
 * @param stat    receives the fields of stat
 * @param member  receives the state and the sizes, if the process is alive; a start time other than
 *                0 must be that of the process
 * @return        the outcome
 */
static enum outcome read_member(const struct pm_roster *roster, const struct pm_procfs *procfs,
                                struct pm_process_stat *stat, struct pm_family_member *member)
{
	struct pm_family_member found = *member;

	if (pm_process_stat_read(procfs, "stat", stat) < 0)
		return outcome_of(errno);
	if (member->start_ticks != 0 && stat->start_ticks != member->start_ticks)
		return OUTCOME_ENDED;
	if (pm_state_is_dead(stat->state) && stat->threads <= 1)
		return OUTCOME_ENDED;

	bool all = member->start_ticks == 0 || memcmp(found.comm, stat->comm, PM_COMM_SIZE) != 0;
	memcpy(found.comm, stat->comm, PM_COMM_SIZE);
	found.start_ticks = stat->start_ticks;
	found.parent = (pid_t)stat->parent;
	found.threads = (uint32_t)stat->threads;
	found.state = PM_FAMILY_ALIVE;
	if (read_sizes(roster, procfs, stat, all, &found) < 0)
		return outcome_of(errno);
	if (has_released_memory(procfs, &found))
		return OUTCOME_ENDED;

	*member = found;
	return OUTCOME_READ;
}

/** Returns the start of the stack; 0 if it is unknown, or not final in the middle of an exec. */
static uint64_t start_of_stack(const struct pm_process_stat *stat)
{
	return stat->start_code > PM_UNKNOWN_CODE ? stat->start_stack : 0;
}

/** Counts an exec since the last update. */
static void count_exec(struct pm_family_member *member, struct pm_roster_slot *slot,
                       const struct pm_process_stat *stat)
{
	uint64_t stack = start_of_stack(stat);

	if (stack == 0)
		return;
	member->execs += slot->stack != 0 && slot->stack != stack;
	slot->stack = stack;
}

/** Opens the directory of a process, or uses the one that is held open. */
static enum outcome open_directory(const struct pm_roster *roster, pid_t pid, int held,
                                   struct pm_procfs *procfs)
{
	*procfs = (struct pm_procfs){ .root = roster->root, .pid = pid, .fd = held };
	if (held >= 0)
		return OUTCOME_READ;

	if (pm_procfs_open(procfs, roster->root, pid) == 0) {
		/* Only the descriptor is used. */
		free(procfs->root);
		procfs->root = roster->root;
		return OUTCOME_READ;
	}

	return outcome_of(errno);
}

/** Tests whether a PID belongs to a process that can be read. */
static bool is_readable(const struct pm_roster *roster, pid_t pid)
{
	struct pm_procfs procfs;
	if (pm_procfs_open(&procfs, roster->root, pid) < 0)
		return false;

	bool readable = faccessat(procfs.fd, "stat", F_OK, 0) == 0;
	pm_procfs_close(&procfs);
	return readable;
}

/**
 * Explains why a process cannot be read.
 * @param cause   errno
 * @param reason  receives the reason, which the caller frees; NULL if the process does not exist
 * @return        0 or -1
 */
static int explain(const struct pm_roster *roster, pid_t pid, int cause, char **reason,
                   struct pm_error *error)
{
	struct pm_error refusal = { 0 };

	*reason = NULL;
	/*
	 * A file does not exist if the process has ended, or if it is hidden (hidepid in proc(5)).
	 * If there is a readable process, it uses the PID of a member that has ended.
	 */
	if (cause == ENOENT && is_readable(roster, pid))
		return 0;
	pm_access_explain(roster->root, pid, "read the sizes of", cause, &refusal);
	if (refusal.kind == PM_ERROR_NOT_FOUND || refusal.kind == PM_ERROR_GONE)
		return 0;

	*reason = strdup(refusal.text);
	return *reason ? 0 : pm_error_out_of_memory(error);
}

/** Reads a member again. */
static int refresh_member(struct pm_roster *roster, size_t index, struct pm_error *error)
{
	struct pm_family_member *member = &roster->items[index];
	struct pm_roster_slot *slot = &roster->slots[index];
	struct pm_process_stat stat;
	struct pm_procfs procfs;

	enum outcome outcome = open_directory(roster, member->pid, slot->fd, &procfs);
	if (outcome == OUTCOME_READ)
		outcome = read_member(roster, &procfs, &stat, member);

	int cause = errno;
	if (slot->fd < 0 && procfs.fd >= 0)
		close(procfs.fd);
	free(slot->reason);
	slot->reason = NULL;
	member->reason = NULL;

	if (outcome == OUTCOME_FAILED)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot read process %d: %s",
		                    (int)member->pid, strerror(cause));
	if (outcome == OUTCOME_READ) {
		count_exec(member, slot, &stat);
		return 0;
	}

	if (outcome == OUTCOME_REFUSED &&
	    explain(roster, member->pid, cause, &slot->reason, error) < 0)
		return -1;

	member->state = slot->reason ? PM_FAMILY_UNREADABLE : PM_FAMILY_ENDED;
	member->reason = slot->reason;
	return 0;
}

/** Tests whether swap is in use. Without meminfo, it is taken to be in use. */
static bool swap_is_used(const char *root)
{
	struct pm_procfs procfs = { .fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	char *text;
	if (procfs.fd < 0)
		return true;

	int result = pm_procfs_read(&procfs, "meminfo", &text, NULL);
	close(procfs.fd);
	if (result < 0)
		return true;

	bool used = pm_status_number(text, "SwapTotal", 0) != pm_status_number(text, "SwapFree", 0);
	free(text);
	return used;
}

/** Removes the members that have gone. Their children get the parents of these members. */
static void remove_gone(struct pm_roster *roster)
{
	for (size_t i = 0; i < roster->count; i++) {
		if (!has_gone(&roster->items[i]))
			continue;
		for (size_t k = 0; k < roster->count; k++)
			if (roster->items[k].parent_id == roster->items[i].id)
				roster->items[k].parent_id = roster->items[i].parent_id;
	}

	size_t kept = 0;
	for (size_t i = 0; i < roster->count; i++) {
		if (has_gone(&roster->items[i])) {
			release(roster, i);
			continue;
		}
		roster->items[kept] = roster->items[i];
		roster->slots[kept] = roster->slots[i];
		kept++;
	}
	roster->count = kept;
}

int pm_roster_refresh(struct pm_roster *roster, struct pm_error *error)
{
	remove_gone(roster);
	roster->updates++;
	roster->beyond = 0;
	roster->swap = swap_is_used(roster->root);
	if (roster->skip_own && roster->live)
		pm_self_read(&roster->own);

	for (size_t i = 0; i < roster->count; i++) {
		roster->items[i].is_new = false;
		roster->slots[i].listed = false;
		if (refresh_member(roster, i, error) < 0)
			return -1;
	}

	return index_build(roster, 64, error);
}

/** Tests whether a process must not join. */
static bool is_excluded(const struct pm_roster *roster, const struct pm_family_member *member,
                        const struct pm_process_stat *stat, bool below)
{
	if (below && pm_roster_find(roster, member->parent) == roster->count)
		return true;
	if (!roster->live)
		return false;
	if (member->pid == getpid())
		return true;
	return member->parent == getpid() && (stat->flags & FORKED_WITHOUT_EXEC) != 0 &&
	       (roster->skip_own || below);
}

/** Appends a member. `fd` is held open, or closed. */
static int append(struct pm_roster *roster, const struct pm_family_member *member, int fd,
                  char *reason, struct pm_error *error)
{
	if (pm_array_reserve(&roster->items, &roster->items_capacity, roster->count, 1,
	                     sizeof *roster->items, error) < 0 ||
	    pm_array_reserve(&roster->slots, &roster->slots_capacity, roster->count, 1,
	                     sizeof *roster->slots, error) < 0 ||
	    (2 * (roster->count + 1) > roster->index_size &&
	     index_build(roster, roster->count + 1, error) < 0)) {
		if (fd >= 0)
			close(fd);
		free(reason);
		return -1;
	}

	if (fd >= 0 && roster->open_count >= roster->open_max) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		roster->open_count++;

	size_t index = roster->count++;
	roster->items[index] = *member;
	roster->items[index].reason = reason;
	roster->slots[index] =
		(struct pm_roster_slot){ .fd = fd, .listed = true, .reason = reason };
	roster->next_id++;
	index_add(roster, index);

	return 0;
}

/** Adds a process that is not a member. */
static int add(struct pm_roster *roster, pid_t pid, bool below, struct pm_error *error)
{
	struct pm_family_member member = { .id = roster->next_id, .pid = pid, .is_new = true };
	struct pm_process_stat stat = { 0 };
	struct pm_procfs procfs;
	char *reason = NULL;

	enum outcome outcome = open_directory(roster, pid, -1, &procfs);
	if (outcome == OUTCOME_READ)
		outcome = read_member(roster, &procfs, &stat, &member);

	int cause = errno;
	if (outcome == OUTCOME_READ && !is_excluded(roster, &member, &stat, below)) {
		if (append(roster, &member, procfs.fd, NULL, error) < 0)
			return -1;
		roster->slots[roster->count - 1].stack = start_of_stack(&stat);
		return 0;
	}

	if (procfs.fd >= 0)
		close(procfs.fd);
	if (outcome == OUTCOME_FAILED)
		return pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot read process %d: %s",
		                    (int)pid, strerror(cause));
	if (outcome != OUTCOME_REFUSED)
		return 0;
	if (explain(roster, pid, cause, &reason, error) < 0)
		return -1;
	if (!reason)
		return 0;

	member.state = PM_FAMILY_UNREADABLE;
	return append(roster, &member, -1, reason, error);
}

int pm_roster_join(struct pm_roster *roster, pid_t pid, bool below, struct pm_error *error)
{
	size_t index = pm_roster_find(roster, pid);
	if (index < roster->count) {
		roster->slots[index].listed = true;
		return 0;
	}

	if (roster->skip_own && roster->live && pm_self_has(&roster->own, pid))
		return 0;
	if (roster->count >= PM_FAMILY_MAX) {
		roster->beyond++;
		return 0;
	}

	return add(roster, pid, below, error);
}

/** Tests whether a member is ending. */
static bool is_ending(const struct pm_roster *roster, size_t index)
{
	struct pm_process_stat stat;
	struct pm_procfs procfs;

	if (open_directory(roster, roster->items[index].pid, roster->slots[index].fd, &procfs) !=
	    OUTCOME_READ)
		return false;

	int result = pm_process_stat_read(&procfs, "stat", &stat);
	if (roster->slots[index].fd < 0)
		close(procfs.fd);
	return result == 0 && pm_process_stat_is_ending(&stat);
}

int pm_roster_leave(struct pm_roster *roster, struct pm_error *error)
{
	for (size_t i = 0; i < roster->count; i++) {
		struct pm_family_member *member = &roster->items[i];

		if (roster->slots[i].listed || has_gone(member))
			continue;

		/* It may have ended since it was read. */
		if (refresh_member(roster, i, error) < 0)
			return -1;
		if (!has_gone(member) && !is_ending(roster, i))
			member->state = PM_FAMILY_LEFT;
	}

	return 0;
}

/** Tests whether a member can be the parent of another, so that there are no cycles. */
static bool is_older(const struct pm_family_member *parent, const struct pm_family_member *child)
{
	if (parent->start_ticks != child->start_ticks)
		return parent->start_ticks < child->start_ticks;
	return parent->id < child->id;
}

void pm_roster_link(struct pm_roster *roster)
{
	for (size_t i = 0; i < roster->count; i++) {
		struct pm_family_member *member = &roster->items[i];
		if (member->state != PM_FAMILY_ALIVE || member->parent == 0)
			continue;

		size_t parent = pm_roster_find(roster, member->parent);
		if (parent < roster->count && is_older(&roster->items[parent], member))
			member->parent_id = roster->items[parent].id;
	}
}
