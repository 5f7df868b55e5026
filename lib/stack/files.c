/* SPDX-License-Identifier: MIT */
#include "stack/files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "proc/process_handle.h"
#include "reader/mapped_file.h"

int pm_stack_files_root(struct pm_process *process)
{
	return pm_procfs_open_file(&process->procfs, "root", O_PATH | O_DIRECTORY);
}

int pm_stack_files_open(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	if (root < 0)
		return -1;

	/* openat2(2) exists since Linux 5.6. On older kernels, debug files and names of generated
	 * code are not found. */
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
	return fd < 0 ? -1 : pm_regular_file_open(fd);
}

/** Opens the program of the target, if it is the file of a region. */
static int open_program(struct pm_process *process, const struct pm_region *region)
{
	struct statx status;
	int fd = pm_procfs_open_file(&process->procfs, "exe", O_PATH);

	if (fd < 0)
		return -1;
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &status) == 0 &&
	    status.stx_ino == region->inode && status.stx_dev_major == region->device_major &&
	    status.stx_dev_minor == region->device_minor)
		return pm_regular_file_open(fd);

	close(fd);
	return -1;
}

int pm_stack_files_mapped(struct pm_process *process, const struct pm_region *region)
{
	int fd;

	if (pm_mapped_file_open(process, region, &fd, NULL) == 0)
		return fd;
	return open_program(process, region);
}

int pm_stack_files_debug(int root, const struct pm_build_id *id)
{
	char path[PM_BUILD_ID_PATH_SIZE];

	if (id->size < 2 || id->size > PM_BUILD_ID_MAX)
		return -1;

	pm_build_id_path(id, path);
	int fd = pm_stack_files_open(root, path);
	return fd >= 0 ? fd : pm_open_regular(path);
}

int pm_stack_files_link(int root, const char *path, const char *name, unsigned place)
{
	static const char *const before[] = { "", "", "/usr/lib/debug" };
	static const char *const after[] = { "", ".debug/", "" };
	const char *end = strrchr(path, '/');
	char *wanted;

	if (!end || place >= sizeof before / sizeof *before || name[0] == '\0' ||
	    strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -1;
	if (asprintf(&wanted, "%s%.*s/%s%s", before[place], (int)(end - path), path, after[place],
	             name) < 0)
		return -1;

	int fd = pm_stack_files_open(root, wanted);
	free(wanted);
	return fd;
}
