/* SPDX-License-Identifier: MIT */
#include "reader/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "proc/memory_file.h"
#include "proc/process_handle.h"

/**
 * Opens the file of an O_PATH descriptor for reading, and closes the descriptor.
 * @return a descriptor, or -1 with errno set
 */
static int reopen(int path_fd)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/self/fd/%d", path_fd);

	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int cause = errno;
	close(path_fd);
	errno = cause;
	return fd;
}

int pm_regular_file_open(int path_fd)
{
	struct stat status;
	if (fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
		return reopen(path_fd);
	close(path_fd);
	errno = ENOENT;
	return -1;
}

/**
 * Reads the status of the file of an O_PATH descriptor, as far as it is known without asking the
 * server of a network file system: a dead server does not answer.
 * @return whether the file is a regular file with the inode of a region
 */
static bool is_file_of(int path_fd, const struct pm_region *region, struct statx *status)
{
	return statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, status) ==
	               0 &&
	       S_ISREG(status->stx_mode) && status->stx_ino == region->inode;
}

/**
 * Finds the mapped file through its link in map_files/, which also works for deleted files. To
 * check that the region was not replaced since maps was read, only the inode is compared: on btrfs
 * and overlayfs the device number in maps differs from that of stat(2).
 * @param status receives the status of the file
 * @return an O_PATH descriptor, or -1 with errno set; ESTALE: the link leads to another file
 */
static int find_link(const struct pm_procfs *procfs, const struct pm_region *region,
                     struct statx *status)
{
	char name[64];
	snprintf(name, sizeof name, "map_files/%" PRIx64 "-%" PRIx64, region->start, region->end);

	int fd = pm_memory_file_open(procfs, name, O_PATH);
	if (fd < 0)
		return -1;
	if (is_file_of(fd, region, status))
		return fd;

	close(fd);
	errno = ESTALE;

	return -1;
}

/**
 * Finds the mapped file by its name below the root directory of the target.
 * @param status receives the status of the file
 * @return an O_PATH descriptor, or -1 with errno set; ESTALE: the name now belongs to another file
 */
static int find_name(const struct pm_procfs *procfs, const struct pm_region *region,
                     struct statx *status)
{
	char *path;

	if (region->deleted || region->mapping[0] != '/') {
		errno = ENOENT;
		return -1;
	}
	if (asprintf(&path, "root%s", region->mapping) < 0) {
		errno = ENOMEM;
		return -1;
	}

	int fd = pm_memory_file_open(procfs, path, O_PATH);
	free(path);
	if (fd < 0)
		return -1;
	if (is_file_of(fd, region, status) && status->stx_dev_major == region->device_major &&
	    status->stx_dev_minor == region->device_minor)
		return fd;

	close(fd);
	errno = ESTALE;

	return -1;
}

/** Opens the mapped file through its link. @return as reopen() */
static int open_link(const struct pm_procfs *procfs, const struct pm_region *region)
{
	struct statx status;
	int fd = find_link(procfs, region, &status);

	return fd < 0 ? -1 : reopen(fd);
}

/** Opens the mapped file by its name. @return as reopen() */
static int open_name(const struct pm_procfs *procfs, const struct pm_region *region)
{
	struct statx status;
	int fd = find_name(procfs, region, &status);

	return fd < 0 ? -1 : reopen(fd);
}

bool pm_mapped_file_length(struct pm_process *process, const struct pm_region *region,
                           uint64_t *length)
{
	struct statx status;
	int fd = find_link(&process->procfs, region, &status);

	if (fd < 0)
		fd = find_name(&process->procfs, region, &status);
	if (fd < 0)
		return false;

	close(fd);
	*length = status.stx_size;
	return true;
}

int pm_mapped_file_open(struct pm_process *process, const struct pm_region *region, int *fd,
                        struct pm_error *error)
{
	int opened = open_link(&process->procfs, region);
	int link_cause = errno;

	if (opened < 0)
		opened = open_name(&process->procfs, region);
	if (opened >= 0) {
		*fd = opened;
		return 0;
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		return pm_error_set(error, PM_ERROR_RESOURCES, errno,
		                    "cannot open the mapped file: %s", strerror(errno));
	if (errno == ESTALE)
		return pm_error_set(
			error, PM_ERROR_NOT_FOUND, 0,
			"the mapped file was replaced: its name now belongs to another file");
	if (errno == ENOENT && (link_cause == EPERM || link_cause == EACCES))
		return pm_error_set(
			error, PM_ERROR_ACCESS, link_cause,
			"the mapped file is deleted: opening it in /proc/PID/map_files needs "
			"CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN");

	return pm_error_set(error, PM_ERROR_NOT_FOUND, errno, "cannot open the mapped file: %s",
	                    strerror(errno));
}
