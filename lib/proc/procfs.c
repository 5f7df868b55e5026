/* SPDX-License-Identifier: MIT */
#include "proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"

int pm_procfs_open(struct pm_procfs *procfs, const char *root, pid_t pid)
{
	char *path;
	if (asprintf(&path, "%s/%d", root, (int)pid) < 0)
		return -1;

	char *own_root = strdup(root);
	int fd = -1;
	if (own_root)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	int cause = errno;
	free(path);
	if (fd < 0) {
		free(own_root);
		errno = cause;
		return -1;
	}

	*procfs = (struct pm_procfs){ .root = own_root, .pid = pid, .fd = fd };
	return 0;
}

void pm_procfs_close(struct pm_procfs *procfs)
{
	close(procfs->fd);
	free(procfs->root);
}

int pm_procfs_open_file(const struct pm_procfs *procfs, const char *name, int flags)
{
	return openat(procfs->fd, name, flags | O_CLOEXEC);
}

int pm_procfs_read_max(const struct pm_procfs *procfs, const char *name, size_t max, char **text,
                       size_t *length)
{
	int fd = pm_procfs_open_file(procfs, name, O_RDONLY);
	if (fd < 0)
		return -1;

	struct pm_error error;
	int result = pm_read_all(fd, max, text, length, &error);
	close(fd);
	if (result < 0 && error.os_errno)
		errno = error.os_errno;
	else if (result < 0)
		errno = EFBIG;

	return result;
}

int pm_procfs_read(const struct pm_procfs *procfs, const char *name, char **text, size_t *length)
{
	return pm_procfs_read_max(procfs, name, PM_PROCFS_TEXT_MAX, text, length);
}

bool pm_procfs_is_live(const struct pm_procfs *procfs)
{
	struct statfs fs;
	return fstatfs(procfs->fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

bool pm_procfs_is_mounted(const char *root)
{
	struct statfs fs;

	if (strcmp(root, "/proc") != 0)
		return true;
	return statfs(root, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;
	return (left > right) - (left < right);
}

int pm_procfs_list_numbers(const struct pm_procfs *procfs, const char *name, pid_t **numbers,
                           size_t *count)
{
	int fd = pm_procfs_open_file(procfs, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return -1;

	DIR *directory = fdopendir(fd);
	if (!directory) {
		int cause = errno;
		close(fd);
		errno = cause;
		return -1;
	}

	pid_t *list = NULL;
	size_t capacity = 0, found = 0;
	struct dirent *entry;
	while (errno = 0, (entry = readdir(directory))) {
		uint64_t number;
		if (pm_parse_decimal(entry->d_name, INT_MAX, &number, NULL) < 0)
			continue;
		if (pm_array_reserve(&list, &capacity, found, 1, sizeof *list, NULL) < 0) {
			errno = ENOMEM;
			break;
		}
		list[found++] = (pid_t)number;
	}

	int cause = errno;
	closedir(directory);
	if (cause) {
		free(list);
		errno = cause;
		return -1;
	}

	if (found > 1)
		qsort(list, found, sizeof *list, compare_pids);
	*numbers = list;
	*count = found;

	return 0;
}
