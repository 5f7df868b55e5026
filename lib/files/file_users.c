/* SPDX-License-Identifier: MIT */
/*
 * The users of files. Each process is read through one open directory, so that a PID that is reused
 * does not mix two processes. A line of maps is compared by inode number first, which excludes
 * nearly all lines; devices, links and names are compared only if the numbers are equal.
 */
#include <procmem/file_users.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/lines.h"
#include "base/search.h"
#include "files/fdinfo.h"
#include "files/file.h"
#include "files/file_match.h"
#include "proc/access.h"
#include "proc/command.h"
#include "proc/memory_file.h"
#include "proc/process_stat.h"
#include "proc/status.h"
#include "reader/cancel.h"
#include "region/maps_line.h"
#include "region/maps_stream.h"

/* Number of descriptors that are examined between two tests of the cancel flag. */
enum { CANCEL_STEP = 1024 };

/** An inode number of the list of files. */
struct number {
	uint64_t inode;
	size_t file; /* index of the file */
};

/** State of a search. */
struct search {
	const struct pm_file *files;
	const struct pm_file_users_options *options;
	const char *root;
	struct number *numbers; /* the inode numbers, ascending */
	size_t file_count;
	size_t *slots; /* for each file, 1 + index of the user that is the current process; or 0 */
	struct pm_file_users users;
	size_t capacity;
	size_t first;         /* index of the first user that is the current process */
	uint64_t start_ticks; /* its start time */
	struct pm_file_match_process process; /* the current process */
	/* Where its descriptors are: "", or "task/TID/" if the first thread is dead */
	char thread[32];
};

/** What became of a process. */
enum outcome {
	OUTCOME_FAILED = -1, /* the search ends with an error */
	OUTCOME_READ,        /* everything was read */
	OUTCOME_SKIPPED,     /* it has ended, or has no memory */
	OUTCOME_REFUSED,     /* access was refused; errno says why */
};

static enum outcome outcome_of(int cause, struct pm_error *error)
{
	if (pm_errno_is_ours(cause)) {
		pm_error_set(error, PM_ERROR_RESOURCES, cause, "cannot read the processes: %s",
		             strerror(cause));
		return OUTCOME_FAILED;
	}

	errno = cause;
	return cause == EACCES || cause == EPERM ? OUTCOME_REFUSED : OUTCOME_SKIPPED;
}

/** Returns the first of the files with an inode number, as index into `numbers`. */
static size_t first_number(const struct search *search, uint64_t inode)
{
	if (inode == 0)
		return 0;
	return pm_first_above(search->numbers, search->file_count, sizeof *search->numbers,
	                      offsetof(struct number, inode), inode - 1);
}

/**
 * Finds or adds the current process as a user of a file.
 * @param user  receives the user, valid until the next call; NULL if there are too many
 * @return      0 or -1
 */
static int user_of(struct search *search, size_t file, struct pm_file_user **user,
                   struct pm_error *error)
{
	struct pm_file_users *users = &search->users;

	*user = NULL;
	if (search->slots[file] == 0) {
		if (users->count >= PM_FILE_USERS_MAX) {
			users->left_out++;
			return 0;
		}
		if (pm_array_reserve(&users->items, &search->capacity, users->count, 1,
		                     sizeof *users->items, error) < 0)
			return -1;

		users->items[users->count] = (struct pm_file_user){
			.file = file,
			.pid = search->process.procfs.pid,
			.start_ticks = search->start_ticks,
		};
		search->slots[file] = ++users->count;
	}

	*user = &users->items[search->slots[file] - 1];
	return 0;
}

/** Orders permissions by how much they say: writable shared, other shared, private. */
static int rank_of(unsigned perms)
{
	if ((perms & PM_PERM_SHARED) == 0)
		return 0;
	return (perms & PM_PERM_WRITE) != 0 ? 2 : 1;
}

static void add_mapping(struct pm_file_user *user, const struct pm_region *region, bool by_name)
{
	if (user->mappings == 0)
		user->address = region->start;
	if (user->mappings == 0 || rank_of(region->perms) > rank_of(user->perms))
		user->perms = region->perms;

	user->mappings++;
	user->mapped += pm_region_size(region);
	user->by_name |= by_name;
}

static void add_sizes(struct pm_file_user *user, const struct pm_region *region)
{
	user->rss += region->bytes[PM_SIZE_RSS];
	user->pss += region->bytes[PM_SIZE_PSS];
	user->swap += region->bytes[PM_SIZE_SWAP];
	user->hugetlb += region->bytes[PM_SIZE_SHARED_HUGETLB] +
	                 region->bytes[PM_SIZE_PRIVATE_HUGETLB];
}

/** Adds a line of maps to the users. */
static int note_region(struct search *search, const struct pm_region *region,
                       struct pm_error *error)
{
	for (size_t i = first_number(search, region->inode);
	     i < search->file_count && search->numbers[i].inode == region->inode; i++) {
		size_t file = search->numbers[i].file;
		struct pm_file_user *user;

		enum pm_file_match match = pm_file_match_region(&search->process,
		                                                &search->files[file], region);
		if (match == PM_FILE_MATCH_NO)
			continue;
		if (user_of(search, file, &user, error) < 0)
			return -1;
		if (user)
			add_mapping(user, region, match == PM_FILE_MATCH_BY_NAME);
	}

	return 0;
}

/** Reads the mappings of the current process from an open maps file. */
static enum outcome read_lines(struct search *search, int fd, struct pm_error *error)
{
	struct pm_lines lines;
	struct pm_error cause = { 0 };
	char *line;
	size_t length;
	int got, result = 0;
	if (pm_lines_init(&lines, fd, error) < 0) {
		pm_lines_deinit(&lines);
		return OUTCOME_FAILED;
	}

	while (result == 0 && (got = pm_lines_next(&lines, &line, &length, &cause)) > 0) {
		struct pm_region region;
		if (pm_maps_line_parse(line, length, &region))
			result = note_region(search, &region, error);
		if (result == 0)
			result = pm_check_cancel(search->options->cancel, error);
	}

	bool empty = lines.number == 0;
	pm_lines_deinit(&lines);
	if (result < 0)
		return OUTCOME_FAILED;
	if (got < 0)
		return outcome_of(cause.os_errno, error);

	return empty ? OUTCOME_SKIPPED : OUTCOME_READ;
}

static enum outcome read_mappings(struct search *search, struct pm_error *error)
{
	int fd = pm_memory_file_open(&search->process.procfs, "maps", O_RDONLY);
	if (fd < 0)
		return outcome_of(errno, error);

	enum outcome outcome = read_lines(search, fd, error);
	close(fd);
	return outcome;
}

/** Adds a descriptor to a user. */
static void add_descriptor(struct search *search, struct pm_file_user *user, pid_t fd, bool by_name)
{
	struct pm_fdinfo info = { 0 };
	char name[64], *text;
	bool known = false;

	snprintf(name, sizeof name, "%sfdinfo/%d", search->thread, (int)fd);
	if (pm_procfs_read(&search->process.procfs, name, &text, NULL) == 0) {
		known = pm_fdinfo_parse(text, &info);
		free(text);
	}

	if (user->fd_count < PM_FILE_USER_FDS) {
		user->fds[user->fd_count] = fd;
		user->fd_writable[user->fd_count] = info.writable;
	}
	user->fd_count++;
	user->fds_writable += info.writable;
	if (info.writable)
		user->offsets += info.offset;
	user->fds_doubtful |= !known;
	user->by_name |= by_name;
}

/** Compares a descriptor with the files. */
static int note_descriptor(struct search *search, pid_t fd, struct pm_error *error)
{
	struct pm_file_number number;
	char link[64];

	snprintf(link, sizeof link, "%sfd/%d", search->thread, (int)fd);
	if (pm_file_number_read(search->process.procfs.fd, link, &number) < 0)
		return 0;

	for (size_t i = first_number(search, number.inode);
	     i < search->file_count && search->numbers[i].inode == number.inode; i++) {
		size_t file = search->numbers[i].file;
		struct pm_file_user *user;

		enum pm_file_match match = pm_file_match_descriptor(
			&search->process, &search->files[file], link, &number);
		if (match == PM_FILE_MATCH_NO)
			continue;
		if (user_of(search, file, &user, error) < 0)
			return -1;
		if (user)
			add_descriptor(search, user, fd, match == PM_FILE_MATCH_BY_NAME);
	}

	return 0;
}

/* Threads with descriptors of their own (clone(2) without CLONE_FILES) are not examined. */
static enum outcome read_descriptors(struct search *search, struct pm_error *error)
{
	char folder[40];
	pid_t *fds;
	size_t count;
	int result = 0;

	snprintf(folder, sizeof folder, "%sfd", search->thread);
	if (pm_procfs_list_numbers(&search->process.procfs, folder, &fds, &count) < 0)
		return outcome_of(errno, error);

	for (size_t i = 0; result == 0 && i < count; i++) {
		result = note_descriptor(search, fds[i], error);
		if (result == 0 && i % CANCEL_STEP == 0)
			result = pm_check_cancel(search->options->cancel, error);
	}

	free(fds);
	return result < 0 ? OUTCOME_FAILED : OUTCOME_READ;
}

/** Returns the first user that is the current process, or the end of its users. */
static struct pm_file_user *first_user(const struct search *search)
{
	return search->users.items ? search->users.items + search->first : NULL;
}

static struct pm_file_user *end_of_users(const struct search *search)
{
	return search->users.items ? search->users.items + search->users.count : NULL;
}

/** Reads the sizes of the mappings of the files. On failure they stay unknown. */
static void read_sizes(struct search *search)
{
	struct pm_regions regions;
	bool with_fields = false;
	int fd = pm_memory_file_open(&search->process.procfs, "smaps", O_RDONLY);
	if (fd < 0)
		return;

	pm_regions_init(&regions);
	int result = pm_maps_stream_read(fd, PM_MAPS_LIVE, &regions, &with_fields, NULL);
	close(fd);

	for (size_t i = 0; result == 0 && with_fields && i < regions.count; i++) {
		const struct pm_region *region = &regions.items[i];
		for (size_t n = first_number(search, region->inode);
		     n < search->file_count && search->numbers[n].inode == region->inode; n++) {
			size_t file = search->numbers[n].file, slot = search->slots[file];
			if (slot > 0 &&
			    pm_file_match_region(&search->process, &search->files[file], region))
				add_sizes(&search->users.items[slot - 1], region);
		}
	}
	for (struct pm_file_user *user = first_user(search); user < end_of_users(search); user++)
		user->sizes_known = result == 0 && with_fields && user->mappings > 0;

	pm_regions_deinit(&regions);
}

/** Reads how much the process has written, if it has a descriptor for writing. */
static void read_written(struct search *search)
{
	bool wanted = false;
	char *text;

	for (struct pm_file_user *user = first_user(search); user < end_of_users(search); user++)
		wanted |= user->fds_writable > 0;
	if (!wanted || pm_procfs_read(&search->process.procfs, "io", &text, NULL) < 0)
		return;

	bool known = pm_status_find(text, "wchar") != NULL;
	uint64_t written = pm_status_number(text, "wchar", 0);
	free(text);

	for (struct pm_file_user *user = first_user(search); user < end_of_users(search); user++) {
		user->written_known = known && user->fds_writable > 0;
		user->written = user->written_known ? written : 0;
	}
}

/** Reads what is known about the users that are the current process. */
static enum outcome complete_users(struct search *search, struct pm_error *error)
{
	char comm[PM_COMM_SIZE];
	bool mapped = false;

	for (struct pm_file_user *user = first_user(search); user < end_of_users(search); user++)
		mapped |= user->mappings > 0;
	if (mapped && !search->options->no_sizes)
		read_sizes(search);
	read_written(search);

	/* This also shows whether the process still exists. */
	if (pm_comm_read(&search->process.procfs, "comm", comm) < 0)
		return outcome_of(errno, error);
	for (struct pm_file_user *user = first_user(search); user < end_of_users(search); user++)
		memcpy(user->comm, comm, sizeof comm);

	return OUTCOME_READ;
}

/** Reads the current process. Users that were added stay if it is refused. */
static enum outcome read_process(struct search *search, struct pm_error *error)
{
	struct pm_process_stat stat;

	if (pm_process_stat_read(&search->process.procfs, "stat", &stat) < 0)
		return outcome_of(errno, error);
	if ((stat.flags & PM_PF_KTHREAD) != 0 ||
	    (pm_state_is_dead(stat.state) && !pm_process_stat_leader_gone(&stat)))
		return OUTCOME_SKIPPED;

	search->start_ticks = stat.start_ticks;
	search->thread[0] = '\0';
	if (pm_process_stat_leader_gone(&stat))
		snprintf(search->thread, sizeof search->thread, "task/%d/",
		         (int)pm_memory_file_living_thread(&search->process.procfs));

	enum outcome outcome = read_mappings(search, error);
	if (outcome == OUTCOME_READ && !search->options->no_descriptors)
		outcome = read_descriptors(search, error);

	if (outcome == OUTCOME_REFUSED) {
		int cause = errno;
		if (search->users.count > search->first &&
		    complete_users(search, error) == OUTCOME_FAILED)
			return OUTCOME_FAILED;
		errno = cause;
	} else if (outcome == OUTCOME_READ && search->users.count > search->first) {
		outcome = complete_users(search, error);
	}

	return outcome;
}

static void note_refused(struct search *search, int cause)
{
	struct pm_file_users *users = &search->users;
	struct pm_file_refused *refused = &users->refused[users->refused_count];

	users->unreadable++;
	if (users->refused_count == PM_FILE_USERS_REFUSED)
		return;

	*refused = (struct pm_file_refused){ .pid = search->process.procfs.pid };
	pm_comm_read(&search->process.procfs, "comm", refused->comm);
	pm_access_explain(search->root, search->process.procfs.pid, "read the maps of", cause,
	                  &refused->reason);
	users->refused_count++;
}

/** Prepares for the next process: no user is the current process. */
static void reset_slots(struct search *search, bool keep)
{
	for (size_t i = search->first; i < search->users.count; i++)
		search->slots[search->users.items[i].file] = 0;
	if (!keep)
		search->users.count = search->first;

	search->first = search->users.count;
}

static int visit(struct search *search, pid_t pid, struct pm_error *error)
{
	search->process.ipc_namespace = 0;
	if (pm_procfs_open(&search->process.procfs, search->root, pid) < 0)
		return pm_errno_is_ours(errno) ? (int)outcome_of(errno, error) : 0;

	enum outcome outcome = read_process(search, error);
	if (outcome == OUTCOME_REFUSED)
		note_refused(search, errno);
	else if (outcome == OUTCOME_READ)
		search->users.processes++;

	reset_slots(search, outcome != OUTCOME_SKIPPED);
	pm_procfs_close(&search->process.procfs);
	return outcome == OUTCOME_FAILED ? -1 : 0;
}

static int visit_all(struct search *search, struct pm_error *error)
{
	struct pm_procfs top = { .root = NULL,
		                 .fd = open(search->root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	pid_t *pids = NULL, own = getpid();
	size_t count = 0;
	int failed = top.fd < 0 ? -1 : pm_procfs_list_numbers(&top, ".", &pids, &count);
	int cause = errno;

	if (top.fd >= 0)
		close(top.fd);
	if (failed < 0)
		return pm_error_set(error,
		                    pm_errno_is_ours(cause) ? PM_ERROR_RESOURCES : PM_ERROR_IO,
		                    cause, "cannot list the processes in %s: %s", search->root,
		                    strerror(cause));

	int result = pm_check_cancel(search->options->cancel, error);
	bool live = strcmp(search->root, "/proc") == 0;
	for (size_t i = 0; result == 0 && i < count; i++) {
		if (!live || pids[i] != own)
			result = visit(search, pids[i], error);
		if (result == 0)
			result = pm_check_cancel(search->options->cancel, error);
	}

	free(pids);
	return result;
}

static int compare_numbers(const void *one, const void *other)
{
	const struct number *a = one, *b = other;

	if (a->inode != b->inode)
		return (a->inode > b->inode) - (a->inode < b->inode);
	return (a->file > b->file) - (a->file < b->file);
}

static int compare_users(const void *one, const void *other)
{
	const struct pm_file_user *a = one, *b = other;
	bool a_writes = pm_file_user_may_write(a), b_writes = pm_file_user_may_write(b);
	uint64_t a_size = a->pss + a->hugetlb, b_size = b->pss + b->hugetlb;

	if (a->file != b->file)
		return (a->file > b->file) - (a->file < b->file);
	if (a_writes != b_writes)
		return b_writes - a_writes;
	if (a_size != b_size)
		return (a_size < b_size) - (a_size > b_size);

	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int search_all(struct search *search, struct pm_error *error)
{
	search->numbers = calloc(search->file_count + 1, sizeof *search->numbers);
	search->slots = calloc(search->file_count + 1, sizeof *search->slots);
	if (!search->numbers || !search->slots)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < search->file_count; i++)
		search->numbers[i] = (struct number){ search->files[i].inode, i };
	qsort(search->numbers, search->file_count, sizeof *search->numbers, compare_numbers);

	if (visit_all(search, error) < 0)
		return -1;
	if (search->users.count > 1)
		qsort(search->users.items, search->users.count, sizeof *search->users.items,
		      compare_users);

	return 0;
}

int pm_file_users_read(const struct pm_file *files, size_t count,
                       const struct pm_file_users_options *options, struct pm_file_users *users,
                       struct pm_error *error)
{
	static const struct pm_file_users_options everything = { 0 };
	struct search search = { .files = files, .file_count = count, .options = options };
	if (!options)
		search.options = &everything;
	search.root = search.options->proc_root;
	if (!search.root)
		search.root = "/proc";

	int result = search_all(&search, error);
	free(search.numbers);
	free(search.slots);
	if (result < 0) {
		pm_file_users_deinit(&search.users);
		return -1;
	}

	*users = search.users;
	return 0;
}

void pm_file_users_deinit(struct pm_file_users *users)
{
	free(users->items);
	*users = (struct pm_file_users){ 0 };
}
