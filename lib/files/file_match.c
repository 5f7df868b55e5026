/* SPDX-License-Identifier: MIT */
#include "files/file_match.h"

#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "files/file.h"

/** Tests whether a System V segment of a process is in the IPC namespace of a file. */
static bool same_ipc(struct pm_file_match_process *process, const struct pm_file *file)
{
	if (file->ipc_namespace == 0)
		return true;
	if (process->ipc_namespace == 0)
		process->ipc_namespace = pm_file_ipc_namespace(&process->procfs);

	return process->ipc_namespace == 0 || process->ipc_namespace == file->ipc_namespace;
}

enum pm_file_match pm_file_match_region(struct pm_file_match_process *process,
                                        const struct pm_file *file, const struct pm_region *region)
{
	uint64_t device = makedev(region->device_major, region->device_minor);
	bool sysv = region->deleted && pm_file_name_is_sysv(region->mapping);
	struct pm_file_number number;

	if (sysv != (file->type == PM_FILE_SYSV) || (sysv && !same_ipc(process, file)))
		return PM_FILE_MATCH_NO;
	if (file->device == device)
		return PM_FILE_MATCH_YES;

	/* The devices of stat(2) and of maps differ in btrfs and overlayfs. */
	if (file->device != PM_DEVICE_UNKNOWN &&
	    pm_file_number_of_region(&process->procfs, region, &number) == 0)
		return number.device == file->device && number.inode == file->inode
		               ? PM_FILE_MATCH_YES
		               : PM_FILE_MATCH_NO;
	if (file->map_device != PM_DEVICE_UNKNOWN && file->map_device != device)
		return PM_FILE_MATCH_NO;
	/*
	 * Subvolumes of btrfs have one device in maps and the same inode numbers, so where st_dev
	 * is another one, the device in maps proves nothing.
	 */
	if (file->map_device == device && file->device == PM_DEVICE_UNKNOWN)
		return PM_FILE_MATCH_YES;
	if (file->name && strcmp(file->name, region->mapping) == 0)
		return PM_FILE_MATCH_BY_NAME;

	return PM_FILE_MATCH_NO;
}

/** Tests whether a name in /proc/PID/fd is that of a file, with or without " (deleted)". */
static bool is_name_of(const struct pm_file *file, const char *name)
{
	size_t length = file->name ? strlen(file->name) : 0;

	return length > 0 && strncmp(name, file->name, length) == 0 &&
	       (name[length] == '\0' || strcmp(name + length, " (deleted)") == 0);
}

enum pm_file_match pm_file_match_descriptor(struct pm_file_match_process *process,
                                            const struct pm_file *file, const char *link,
                                            const struct pm_file_number *number)
{
	uint64_t device = file->device == PM_DEVICE_UNKNOWN ? file->map_device : file->device;
	char name[PATH_MAX];

	/* Of a name that is too long, the numbers can be compared. */
	if (pm_file_link_read(process->procfs.fd, link, name) < 0)
		return PM_FILE_MATCH_NO;
	if (pm_file_name_is_sysv(name) != (file->type == PM_FILE_SYSV))
		return PM_FILE_MATCH_NO;
	if (number->device == device)
		return PM_FILE_MATCH_YES;
	if (file->device == PM_DEVICE_UNKNOWN && is_name_of(file, name))
		return PM_FILE_MATCH_BY_NAME;

	return PM_FILE_MATCH_NO;
}
