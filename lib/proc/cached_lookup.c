/* SPDX-License-Identifier: MIT */
#include "proc/cached_lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

/* Number of times that a path is looked up: the lookup fails if a name is changed anywhere at the
 * same time. */
enum { LOOKUPS_MAX = 8 };

int pm_cached_lookup(const struct pm_procfs *procfs, const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)(flags | O_PATH | O_CLOEXEC),
		                .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS |
		                           RESOLVE_CACHED };
	int directory = pm_procfs_open_file(procfs, root, O_PATH | O_DIRECTORY), fd = -1;
	if (directory < 0)
		return -1;

	for (int i = 0; i == 0 || (fd < 0 && errno == EAGAIN && i < LOOKUPS_MAX); i++)
		fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
	if (fd < 0 && (errno == ENOSYS || errno == EINVAL))
		fd = openat(directory, path + strspn(path, "/"), flags | O_PATH | O_CLOEXEC);

	int cause = errno;
	close(directory);
	errno = cause;
	return fd;
}
