/* SPDX-License-Identifier: MIT */
#include "files/file_system.h"

#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "proc/mountinfo.h"

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
