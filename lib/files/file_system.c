/* SPDX-License-Identifier: MIT */
#include "files/file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "proc/mountinfo.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

/* Number of times that a cached path is looked up: the lookup fails if a name is changed anywhere
 * at the same time. */
enum { LOOKUPS_MAX = 8 };

/** A search in mountinfo. */
struct mount_search {
	const struct statx *status;
	bool found;
	enum pm_file_system system;
};

static enum pm_file_system system_of_type(const char *type)
{
	if (strcmp(type, "tmpfs") == 0 || strcmp(type, "devtmpfs") == 0)
		return PM_FILE_SYSTEM_TMPFS;
	if (strcmp(type, "hugetlbfs") == 0)
		return PM_FILE_SYSTEM_HUGETLBFS;
	if (strcmp(type, "btrfs") == 0 || strcmp(type, "overlay") == 0)
		return PM_FILE_SYSTEM_LAYERED;

	return PM_FILE_SYSTEM_OTHER;
}

/** Compares a mount. The device alone does not find files of btrfs and of some overlayfs. */
static int compare_mount(void *context, const struct pm_mount *mount, struct pm_error *error)
{
	struct mount_search *search = context;
	const struct statx *status = search->status;
	uint64_t device = makedev(status->stx_dev_major, status->stx_dev_minor);
	bool same = mount->device == device;

	(void)error;
#ifdef STATX_MNT_ID
	same |= (status->stx_mask & STATX_MNT_ID) != 0 && mount->id == status->stx_mnt_id;
#endif
	if (same && !search->found) {
		search->found = true;
		search->system = system_of_type(mount->type);
	}

	return 0;
}

enum pm_file_system pm_file_system_find(const struct pm_procfs *procfs, const struct statx *status)
{
	struct mount_search search = { .status = status };
	int fd = procfs ? pm_procfs_open_file(procfs, "mountinfo", O_RDONLY) : -1;

	if (fd >= 0) {
		pm_mounts_visit_file(fd, compare_mount, &search, NULL);
		close(fd);
	}
	if (!search.found)
		pm_mounts_visit("/proc", compare_mount, &search, NULL);

	return search.system;
}

int pm_file_system_open_cached(const struct pm_procfs *procfs, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS |
		                           RESOLVE_CACHED };
	int root = pm_procfs_open_file(procfs, "root", O_PATH | O_DIRECTORY), fd = -1;
	if (root < 0)
		return -1;

	for (int i = 0; i == 0 || (fd < 0 && errno == EAGAIN && i < LOOKUPS_MAX); i++)
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
	if (fd < 0 && (errno == ENOSYS || errno == EINVAL))
		fd = openat(root, path + strspn(path, "/"), O_PATH | O_CLOEXEC);

	int cause = errno;
	close(root);
	errno = cause;
	return fd;
}
