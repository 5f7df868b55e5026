/* SPDX-License-Identifier: MIT */
#include "region/deleted.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proc/process.h"
#include "proc/process_handle.h"

/**
 * Returns the name with " (deleted)", if it is a file with the inode of the region; otherwise NULL.
 * @param root  link to the root of the target, relative to /proc/PID
 */
static const char *whole_name(const struct pm_procfs *procfs, const char *root,
                              struct pm_regions *regions, const struct pm_region *region)
{
	char path[PATH_MAX + 64];
	struct stat status;
	int length = snprintf(path, sizeof path, "%s%s (deleted)", root, region->mapping);
	if (length < 0 || (size_t)length >= sizeof path)
		return NULL;
	if (fstatat(procfs->fd, path, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 ||
	    status.st_ino != region->inode)
		return NULL;

	const char *name = path + strlen(root);
	return pm_regions_text(regions, name, strlen(name));
}

void pm_deleted_resolve(struct pm_process *process, struct pm_regions *regions, size_t first)
{
	/* Adjacent regions often map the same file and share its text: it is looked up once. */
	const char *looked_up = NULL;
	char root[48] = "";
	const char *name = NULL;
	uint64_t inode = 0;

	for (size_t i = first; i < regions->count; i++) {
		struct pm_region *region = &regions->items[i];
		if (!region->deleted || region->mapping[0] != '/')
			continue;

		/* A dead first thread has no root. */
		if (root[0] == '\0')
			snprintf(root, sizeof root, "task/%d/root",
			         (int)pm_process_memory_thread(process));

		if (region->mapping != looked_up || region->inode != inode) {
			looked_up = region->mapping;
			inode = region->inode;
			name = whole_name(&process->procfs, root, regions, region);
		}

		if (name) {
			region->mapping = name;
			region->deleted = false;
		}
	}
}
