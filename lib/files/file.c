/* SPDX-License-Identifier: MIT */
/*
 * Identity of files and of shared memory. Files are never opened for reading, since that can wait
 * or have effects (pipes, devices, leases): descriptors with O_PATH are enough for their numbers.
 * Nothing is asked of a server (proc/cached_lookup.h), except by the lookup of the caller's path.
 */
#include "files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "files/file_system.h"
#include "proc/cached_lookup.h"
#include "proc/process_handle.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0
#endif

/* Number of descriptors of a process that are compared with a mapping. */
enum { DESCRIPTORS_MAX = 4096 };

static bool begins(const char *text, const char *words)
{
	return strncmp(text, words, strlen(words)) == 0;
}

bool pm_file_name_is_sysv(const char *name)
{
	enum { PREFIX = 5, KEY = 8 };

	if (!begins(name, "/SYSV"))
		return false;
	for (size_t i = 0; i < KEY; i++)
		if (pm_hex_digit(name[PREFIX + i]) < 0)
			return false;

	return name[PREFIX + KEY] == '\0' || strcmp(name + PREFIX + KEY, " (deleted)") == 0;
}

int pm_file_status_read(int directory, const char *name, int flags, struct statx *status)
{
	return statx(directory, name, flags | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
	             STATX_BASIC_STATS | STATX_MNT_ID, status);
}

int pm_file_link_read(int directory, const char *link, char name[static PATH_MAX])
{
	ssize_t length = readlinkat(directory, link, name, PATH_MAX - 1);
	if (length < 0 && errno != ENAMETOOLONG)
		return -1;

	name[length > 0 ? length : 0] = '\0';
	return 0;
}

static uint64_t device_of(const struct statx *status)
{
	return makedev(status->stx_dev_major, status->stx_dev_minor);
}

int pm_file_number_read(int directory, const char *name, struct pm_file_number *number)
{
	struct statx status;

	if (pm_file_status_read(directory, name, 0, &status) < 0)
		return -1;

	*number = (struct pm_file_number){ device_of(&status), status.stx_ino };
	return 0;
}

/** Formats the name of the link to a mapped file. */
static void format_link(const struct pm_region *region, char *link, size_t size)
{
	snprintf(link, size, "map_files/%" PRIx64 "-%" PRIx64, region->start, region->end);
}

int pm_file_number_of_region(const struct pm_procfs *procfs, const struct pm_region *region,
                             struct pm_file_number *number)
{
	char link[64];

	format_link(region, link, sizeof link);
	return pm_file_number_read(procfs->fd, link, number);
}

uint64_t pm_file_ipc_namespace(const struct pm_procfs *procfs)
{
	struct pm_file_number number;

	if (pm_file_number_read(procfs->fd, "ns/ipc", &number) < 0)
		return 0;
	return number.inode;
}

enum pm_file_type pm_file_type_of_name(const char *name, bool deleted)
{
	if (deleted && pm_file_name_is_sysv(name))
		return PM_FILE_SYSV;
	if (begins(name, "/memfd:"))
		return PM_FILE_MEMFD;
	if (begins(name, "[anon_shmem:") || (deleted && begins(name, "/dev/zero")))
		return PM_FILE_SHARED_ANONYMOUS;
	if (deleted && begins(name, "/anon_hugepage"))
		return PM_FILE_HUGETLB;
	if (begins(name, "/dmabuf:"))
		return PM_FILE_DMA_BUF;
	if (begins(name, "anon_inode:"))
		return PM_FILE_KERNEL;

	return PM_FILE_REGULAR;
}

/**
 * Returns the type of a file that has no special name.
 * @param procfs  as for pm_file_system_find()
 */
static enum pm_file_type type_of_status(const struct pm_procfs *procfs, const struct statx *status)
{
	if (S_ISCHR(status->stx_mode) || S_ISBLK(status->stx_mode))
		return PM_FILE_DEVICE;

	switch (pm_file_system_find(procfs, status)) {
	case PM_FILE_SYSTEM_HUGETLBFS:
		return PM_FILE_HUGETLB;
	case PM_FILE_SYSTEM_TMPFS:
		return PM_FILE_TMPFS;
	default:
		return PM_FILE_REGULAR;
	}
}

/** Fills the parts of an identity that the file itself shows. */
static void adopt_status(struct pm_file *file, const struct pm_procfs *procfs,
                         const struct statx *status, struct pm_file_state *state)
{
	file->inode = status->stx_ino;
	file->device = device_of(status);
	if (file->type == PM_FILE_REGULAR)
		file->type = type_of_status(procfs, status);

	if (state)
		*state = (struct pm_file_state){
			.known = true,
			.deleted = status->stx_nlink == 0,
			.length = status->stx_size,
			.allocated = status->stx_blocks * 512,
		};
}

/** Returns the type that the name of an open file shows, as in /proc/PID/fd. */
static enum pm_file_type type_of_descriptor(int fd)
{
	static const char suffix[] = " (deleted)";
	char link[64], name[PATH_MAX];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (pm_file_link_read(AT_FDCWD, link, name) < 0)
		return PM_FILE_REGULAR;

	size_t length = strlen(name);
	bool deleted = length >= sizeof suffix &&
	               strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
	return pm_file_type_of_name(name, deleted);
}

static int check_mode(const char *path, mode_t mode, struct pm_error *error)
{
	const char *what = NULL;

	if (S_ISDIR(mode))
		what = "directory";
	else if (S_ISFIFO(mode))
		what = "pipe";
	else if (S_ISSOCK(mode))
		what = "socket";
	if (!what)
		return 0;

	return pm_error_set(error, PM_ERROR_USAGE, 0,
	                    "%s is a %s, which cannot be mapped: use a file", path, what);
}

static int open_failed(const char *path, int cause, struct pm_error *error)
{
	enum pm_error_kind kind = PM_ERROR_IO;

	if (cause == ENOENT || cause == ENOTDIR)
		kind = PM_ERROR_NOT_FOUND;
	else if (cause == EACCES || cause == EPERM)
		kind = PM_ERROR_ACCESS;
	else if (pm_errno_is_ours(cause))
		kind = PM_ERROR_RESOURCES;

	return pm_error_set(error, kind, cause, "cannot examine %s: %s", path, strerror(cause));
}

int pm_file_from_path(const char *path, struct pm_file *file, struct pm_file_state *state,
                      struct pm_error *error)
{
	struct statx status;
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return open_failed(path, errno, error);

	int result = pm_file_status_read(fd, "", AT_EMPTY_PATH, &status);
	if (result < 0)
		open_failed(path, errno, error);
	else
		result = check_mode(path, status.stx_mode, error);

	if (result == 0) {
		*file = (struct pm_file){
			.map_device = PM_DEVICE_UNKNOWN,
			.name = path,
			.type = type_of_descriptor(fd),
		};
		adopt_status(file, NULL, &status, state);
	}

	close(fd);
	return result;
}

/**
 * Tests whether an open file can be that of a region: the inode number must be equal, and the
 * devices, unless they cannot be compared.
 */
static bool is_file_of(const struct pm_procfs *procfs, int fd, const struct pm_region *region,
                       struct statx *status)
{
	uint64_t device = makedev(region->device_major, region->device_minor);

	return pm_file_status_read(fd, "", AT_EMPTY_PATH, status) == 0 &&
	       status->stx_ino == region->inode &&
	       (device_of(status) == device ||
	        pm_file_system_find(procfs, status) == PM_FILE_SYSTEM_LAYERED);
}

/** Returns a descriptor if it is that of the file of a region; otherwise -1, and closes it. */
static int keep_same(const struct pm_procfs *procfs, int fd, const struct pm_region *region,
                     struct statx *status)
{
	if (fd < 0 || is_file_of(procfs, fd, region, status))
		return fd;

	close(fd);
	return -1;
}

/** Opens a link in the directory of the process. Returns a descriptor with O_PATH, or -1. */
static int open_link(const struct pm_procfs *procfs, const char *link,
                     const struct pm_region *region, struct statx *status)
{
	return keep_same(procfs, pm_procfs_open_file(procfs, link, O_PATH), region, status);
}

/** Opens the path of a region in the root directory of the process, or in the own one. */
static int open_path(const struct pm_procfs *procfs, const struct pm_region *region,
                     struct statx *status)
{
	struct pm_procfs own;
	if (region->deleted || region->mapping[0] != '/')
		return -1;

	int fd = pm_cached_lookup(procfs, "root", region->mapping, 0);
	fd = keep_same(procfs, fd, region, status);
	if (fd < 0 && pm_procfs_open(&own, "/proc", getpid()) == 0) {
		fd = pm_cached_lookup(&own, "root", region->mapping, 0);
		fd = keep_same(&own, fd, region, status);
		pm_procfs_close(&own);
	}

	return fd;
}

/** Opens the file of a region through a descriptor of the process with the same numbers. */
static int open_descriptor(const struct pm_procfs *procfs, const struct pm_region *region,
                           struct statx *status)
{
	uint64_t device = makedev(region->device_major, region->device_minor);
	pid_t *numbers;
	size_t count;
	int fd = -1;
	if (pm_procfs_list_numbers(procfs, "fd", &numbers, &count) < 0)
		return -1;

	for (size_t i = 0; fd < 0 && i < count && i < DESCRIPTORS_MAX; i++) {
		char name[32];
		struct pm_file_number number;

		snprintf(name, sizeof name, "fd/%d", (int)numbers[i]);
		if (pm_file_number_read(procfs->fd, name, &number) == 0 &&
		    number.inode == region->inode && number.device == device)
			fd = open_link(procfs, name, region, status);
	}

	free(numbers);
	return fd;
}

/** Opens the file of a region by the first way that works. */
static int open_region(const struct pm_procfs *procfs, const struct pm_region *region,
                       struct statx *status)
{
	char link[64];

	format_link(region, link, sizeof link);
	int fd = open_link(procfs, link, region, status);
	if (fd < 0)
		fd = open_path(procfs, region, status);
	if (fd < 0)
		fd = open_descriptor(procfs, region, status);

	return fd;
}

int pm_file_from_region(struct pm_process *process, const struct pm_region *region,
                        struct pm_file *file, struct pm_file_state *state, struct pm_error *error)
{
	const struct pm_procfs *procfs = &process->procfs;
	enum pm_file_type type = pm_file_type_of_name(region->mapping, region->deleted);
	/* The first System V segment has the ID 0, which is its inode number, too. */
	if (region->inode == 0 && type != PM_FILE_SYSV)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"no file or shared memory is mapped there: the memory is private "
			"to process %d",
			(int)procfs->pid);

	struct pm_file found = {
		.inode = region->inode,
		.device = PM_DEVICE_UNKNOWN,
		.map_device = makedev(region->device_major, region->device_minor),
		.name = region->mapping,
		.type = type,
	};
	if (found.type == PM_FILE_KERNEL)
		return pm_error_set(
			error, PM_ERROR_USAGE, 0,
			"%s is an object of the kernel; all objects of this sort have the "
			"same inode, so its users cannot be found",
			region->mapping);
	if (found.type == PM_FILE_SYSV)
		found.ipc_namespace = pm_file_ipc_namespace(procfs);

	struct statx status;
	int fd = open_region(procfs, region, &status);
	if (fd >= 0) {
		adopt_status(&found, procfs, &status, state);
		close(fd);
	} else if (state) {
		*state = (struct pm_file_state){ 0 };
	}

	if (fd < 0 && begins(region->mapping, "/dev/shm/"))
		found.type = PM_FILE_TMPFS;
	else if (fd < 0 && found.type == PM_FILE_REGULAR && begins(region->mapping, "/dev/"))
		found.type = PM_FILE_DEVICE;

	*file = found;
	return 0;
}

bool pm_file_equal(const struct pm_file *one, const struct pm_file *other)
{
	if (one->inode != other->inode ||
	    (one->type == PM_FILE_SYSV) != (other->type == PM_FILE_SYSV))
		return false;
	if (one->ipc_namespace != other->ipc_namespace && one->ipc_namespace != 0 &&
	    other->ipc_namespace != 0)
		return false;

	if (one->device != PM_DEVICE_UNKNOWN && other->device != PM_DEVICE_UNKNOWN)
		return one->device == other->device;

	return one->map_device != PM_DEVICE_UNKNOWN && one->map_device == other->map_device;
}

const char *pm_file_type_words(enum pm_file_type type)
{
	static const char *const words[PM_FILE_TYPE_COUNT] = {
		[PM_FILE_REGULAR] = "file",
		[PM_FILE_TMPFS] = "file in tmpfs",
		[PM_FILE_MEMFD] = "memfd",
		[PM_FILE_SYSV] = "System V shared memory",
		[PM_FILE_SHARED_ANONYMOUS] = "shared anonymous memory",
		[PM_FILE_HUGETLB] = "huge pages",
		[PM_FILE_DMA_BUF] = "DMA buffer",
		[PM_FILE_DEVICE] = "device",
		[PM_FILE_KERNEL] = "kernel object",
	};

	if ((unsigned)type >= PM_FILE_TYPE_COUNT)
		return "";
	return words[type];
}
