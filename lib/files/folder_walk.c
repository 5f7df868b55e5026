/* SPDX-License-Identifier: MIT */
/*
 * Lists directories with getdents64(2) and examines each file with fstatat(2), relative to the
 * descriptor of its directory, so no path is built. All entries of a directory are examined before
 * the first directory below it is entered. At most one descriptor per level is open.
 *
 * Other mounts are neither examined nor entered: the server of a file system in the network or of
 * FUSE may be dead, and fstatat(2) would block. So a directory is not examined before it is opened
 * with RESOLVE_NO_XDEV, and a file that has the name of a mount point is opened in this way first.
 */
#include "files/folder_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/array.h"
#include "base/clock.h"
#include "reader/cancel.h"

enum {
	/** Size of the buffer for entries in bytes. Most directories fit in one call. */
	BUFFER_SIZE = 1 << 16,
	/** Maximum number of levels. Each needs a descriptor; a process usually may have 1024. */
	DEPTH_MAX = 128,
	/** Number of entries after which the clock and the cancel flag are checked, a power of two
	 */
	CHECK_INTERVAL = 256,
	/** Unit of stat.st_blocks in bytes (stat(3type)) */
	BLOCK_SIZE = 512,
};

static const uint64_t default_entries = 2000000;
static const double default_seconds = 2;

/** Opens a directory to list it. A file that has replaced it since is not opened. */
enum { OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

/** An entry as getdents64(2) returns it. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

int pm_folder_walk_init(struct pm_folder_walk *walk, const struct pm_tmpfs_options *options,
                        struct pm_tmpfs *tmpfs, struct pm_error *error)
{
	double seconds = options->seconds_max > 0 ? options->seconds_max : default_seconds;

	*walk = (struct pm_folder_walk){ .tmpfs = tmpfs,
		                         .entries_max = options->entries_max,
		                         .cancel = options->cancel };
	if (walk->entries_max == 0)
		walk->entries_max = default_entries;
	walk->deadline_ns = pm_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * PM_NS_PER_SECOND);
	walk->buffer = malloc(BUFFER_SIZE);

	return walk->buffer ? 0 : pm_error_out_of_memory(error);
}

void pm_folder_walk_deinit(struct pm_folder_walk *walk)
{
	pm_inode_set_deinit(&walk->links);
	free(walk->buffer);
	walk->buffer = NULL;
}

/**
 * Adds a directory.
 *
 * @param walk    the walk
 * @param folder  the directory; only `mount`, `parent` and `inode` are set
 * @param name    its name
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
static int add_folder(struct pm_folder_walk *walk, struct pm_tmpfs_folder folder, const char *name,
                      struct pm_error *error)
{
	struct pm_tmpfs *tmpfs = walk->tmpfs;

	if (pm_array_reserve(&tmpfs->folders, &walk->folder_capacity, tmpfs->folder_count, 1,
	                     sizeof *tmpfs->folders, error) < 0)
		return -1;
	folder.name = strdup(name);
	if (!folder.name)
		return pm_error_out_of_memory(error);

	tmpfs->folders[tmpfs->folder_count++] = folder;
	return 0;
}

/** Keeps a file if it is one of the largest. */
static int keep_file(struct pm_tmpfs *tmpfs, const struct pm_tmpfs_file *file, const char *name,
                     struct pm_error *error)
{
	struct pm_tmpfs_file *files = tmpfs->files;
	size_t count = tmpfs->file_count;

	if (file->bytes == 0 ||
	    (count == PM_TMPFS_FILES_KEPT && files[count - 1].bytes >= file->bytes))
		return 0;

	char *copy = strdup(name);
	if (!copy)
		return pm_error_out_of_memory(error);
	if (count == PM_TMPFS_FILES_KEPT)
		free(files[--count].name);

	size_t at = count;
	for (; at > 0 && files[at - 1].bytes < file->bytes; at--)
		files[at] = files[at - 1];
	files[at] = *file;
	files[at].name = copy;
	tmpfs->file_count = count + 1;

	return 0;
}

/** Counts a file that is not a directory. A file with several names is counted once. */
static int count_file(struct pm_folder_walk *walk, size_t index, const struct stat *file,
                      const char *name, struct pm_error *error)
{
	struct pm_tmpfs_folder *folder = &walk->tmpfs->folders[index];
	struct pm_tmpfs_file found = { .folder = index,
		                       .inode = file->st_ino,
		                       .bytes = (uint64_t)file->st_blocks * BLOCK_SIZE };

	if (file->st_nlink > 1) {
		struct pm_inode_key key = { file->st_dev, file->st_ino };
		int added = pm_inode_set_add(&walk->links, key, index, error);
		if (added <= 0)
			return added;
	}

	folder->files++;
	folder->bytes += found.bytes;
	return keep_file(walk->tmpfs, &found, name, error);
}

/**
 * Opens an entry of a directory, but not the root of another mount.
 *
 * @param parent  descriptor of the directory
 * @param name    name of the entry
 * @param flags   as for open(2)
 * @return        a descriptor, or -1 with errno set: EXDEV if something is mounted there. Before
 *                Linux 5.6, and where openat2(2) is forbidden, mounts are opened, too.
 */
static int open_on_mount(int parent, const char *name, int flags)
{
	struct open_how how = { .flags = (unsigned)flags, .resolve = RESOLVE_NO_XDEV };
	int fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof how);

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(parent, name, flags);
	return fd;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/** Returns whether something is mounted over a file. */
static bool is_mount_point(const struct pm_folder_walk *walk, int fd, const char *name)
{
	if (walk->mount_name_count == 0 ||
	    !bsearch(&name, walk->mount_names, walk->mount_name_count, sizeof name, compare_names))
		return false;

	int opened = open_on_mount(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (opened >= 0)
		close(opened);
	return opened < 0 && errno == EXDEV;
}

void pm_folder_walk_set_mounts(struct pm_folder_walk *walk, char **names, size_t count)
{
	if (count > 0)
		qsort(names, count, sizeof *names, compare_names);
	walk->mount_names = names;
	walk->mount_name_count = count;
}

static int add_below(struct pm_folder_walk *walk, size_t parent, uint64_t inode, const char *name,
                     struct pm_error *error)
{
	struct pm_tmpfs_folder below = { .parent = parent,
		                         .mount = walk->tmpfs->folders[parent].mount,
		                         .inode = inode };
	return add_folder(walk, below, name, error);
}

/**
 * Counts an entry of a directory.
 *
 * @param walk   the walk
 * @param index  index of the directory
 * @param fd     descriptor of the directory
 * @param entry  the entry
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
static int count_entry(struct pm_folder_walk *walk, size_t index, int fd, const struct entry *entry,
                       struct pm_error *error)
{
	struct pm_tmpfs_folder *folder = &walk->tmpfs->folders[index];
	struct stat file;

	if (entry->type == DT_DIR)
		return add_below(walk, index, entry->inode, entry->name, error);
	if (is_mount_point(walk, fd, entry->name))
		return 0;

	if (fstatat(fd, entry->name, &file, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0) {
		/* It was deleted since the directory was listed. */
		if (errno == ENOENT)
			return 0;
		folder->cause = errno;
		folder->unknown++;
		return 0;
	}

	/* A mount that is newer than the list of mount points. */
	if (file.st_dev != walk->tmpfs->mounts[folder->mount].device)
		return 0;
	/* A directory has replaced the file since the directory was listed. */
	if (S_ISDIR(file.st_mode))
		return add_below(walk, index, file.st_ino, entry->name, error);
	return count_file(walk, index, &file, entry->name, error);
}

/**
 * Checks the bounds.
 *
 * @param walk   the walk
 * @param error  PM_ERROR_CANCELLED
 * @return       1 to continue, 0 if a bound is reached, -1 if the caller has cancelled
 */
static int check_bounds(struct pm_folder_walk *walk, struct pm_error *error)
{
	if (walk->entries >= walk->entries_max) {
		walk->tmpfs->bound = PM_TMPFS_BOUND_ENTRIES;
		return 0;
	}

	if (walk->entries++ % CHECK_INTERVAL != 0)
		return 1;
	if (pm_check_cancel(walk->cancel, error) < 0)
		return -1;
	if (pm_clock_ns(CLOCK_MONOTONIC) < walk->deadline_ns)
		return 1;

	walk->tmpfs->bound = PM_TMPFS_BOUND_SECONDS;
	return 0;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/**
 * Counts the entries of a directory.
 *
 * @return 1, 0 if a bound is reached, -1 on error
 */
static int list_folder(struct pm_folder_walk *walk, size_t index, int fd, struct pm_error *error)
{
	long length;

	while ((length = syscall(SYS_getdents64, fd, walk->buffer, (size_t)BUFFER_SIZE)) > 0) {
		for (long at = 0; at < length;) {
			const struct entry *entry = (const void *)(walk->buffer + at);
			at += entry->length;
			if (is_dots(entry->name))
				continue;

			int result = check_bounds(walk, error);
			if (result > 0 && count_entry(walk, index, fd, entry, error) < 0)
				return -1;
			if (result == 0)
				walk->tmpfs->folders[index].cut = true;
			if (result <= 0)
				return result;
		}
	}

	/* ENOENT: the directory was deleted since it was opened. */
	if (length < 0 && errno != ENOENT)
		walk->tmpfs->folders[index].cause = errno;

	return 1;
}

/**
 * Counts the entries of a directory and of all directories below.
 *
 * @param walk   the walk
 * @param index  index of the directory
 * @param fd     descriptor of the directory
 * @param depth  number of levels above it
 * @param error  PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return       1, 0 if a bound is reached, -1 on error
 */
static int walk_folder(struct pm_folder_walk *walk, size_t index, int fd, unsigned depth,
                       struct pm_error *error);

/** Opens a directory below another one, and walks through it. */
static int enter_folder(struct pm_folder_walk *walk, size_t index, int parent, unsigned depth,
                        struct pm_error *error)
{
	struct pm_tmpfs_folder *folder = &walk->tmpfs->folders[index];
	struct stat opened;

	if (depth >= DEPTH_MAX) {
		if (walk->tmpfs->bound == PM_TMPFS_COMPLETE)
			walk->tmpfs->bound = PM_TMPFS_BOUND_DEPTH;
		return 1;
	}

	int fd = open_on_mount(parent, folder->name, OPEN_FOLDER);
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != EXDEV)
			folder->cause = errno;
		return 1;
	}

	/* Another directory may have taken its place since it was listed. */
	int result = 1;
	if (fstat(fd, &opened) == 0 && opened.st_ino == folder->inode &&
	    opened.st_dev == walk->tmpfs->mounts[folder->mount].device)
		result = walk_folder(walk, index, fd, depth, error);
	close(fd);

	return result;
}

static int walk_folder(struct pm_folder_walk *walk, size_t index, int fd, unsigned depth,
                       struct pm_error *error)
{
	size_t first = walk->tmpfs->folder_count;
	int result = list_folder(walk, index, fd, error);
	size_t end = walk->tmpfs->folder_count;

	/* After a bound, the directories that are left are not entered. */
	for (size_t below = first; below < end && result >= 0; below++)
		if (result == 0)
			walk->tmpfs->folders[below].cut = true;
		else
			result = enter_folder(walk, below, fd, depth + 1, error);

	return result;
}

int pm_folder_walk_add(struct pm_folder_walk *walk, size_t mount, int fd, struct pm_error *error)
{
	struct pm_tmpfs *tmpfs = walk->tmpfs;
	size_t index = tmpfs->folder_count;
	struct pm_tmpfs_folder root = { .parent = index, .mount = mount };
	struct stat opened;

	if (fstat(fd, &opened) == 0)
		root.inode = opened.st_ino;
	if (add_folder(walk, root, "", error) < 0)
		return -1;
	tmpfs->mounts[mount].root = index;

	int listed = openat(fd, ".", OPEN_FOLDER);
	if (listed < 0) {
		tmpfs->folders[index].cause = errno;
		return 0;
	}
	int result = walk_folder(walk, index, listed, 0, error);
	close(listed);

	return result < 0 ? -1 : 0;
}

void pm_folder_walk_sum(struct pm_tmpfs *tmpfs)
{
	for (size_t i = tmpfs->folder_count; i-- > 0;) {
		struct pm_tmpfs_folder *folder = &tmpfs->folders[i];
		folder->all_files += folder->files;
		folder->all_bytes += folder->bytes;
		tmpfs->unreadable += folder->cause != 0;

		if (folder->parent == i) {
			tmpfs->all_files += folder->all_files;
			tmpfs->all_bytes += folder->all_bytes;
		} else {
			tmpfs->folders[folder->parent].all_files += folder->all_files;
			tmpfs->folders[folder->parent].all_bytes += folder->all_bytes;
		}
	}
}
