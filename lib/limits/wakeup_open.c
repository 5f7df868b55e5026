/* SPDX-License-Identifier: MIT */
#include "limits/wakeup_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

/**
 * Notes that a source could not be opened.
 * @return what the caller returns: whether there is one
 */
static bool refuse(struct pm_wakeup_source *source, int cause)
{
	if (cause == ENOENT || cause == ENOTDIR)
		return false;
	/* What listens to one group already goes on. */
	if (source->fd < 0)
		source->os_errno = cause;
	return true;
}

/**
 * Opens a file of the group.
 * @return a descriptor; -1 with errno set
 */
static int open_file(const struct pm_hierarchy *hierarchy, const char *name, int flags)
{
	char *path;
	if (asprintf(&path, "%s%s/%s", hierarchy->folder, hierarchy->group, name) < 0) {
		errno = ENOMEM;
		return -1;
	}

	int fd = open(path, flags | O_CLOEXEC), cause = errno;
	free(path);
	errno = cause;
	return fd;
}

/**
 * Takes over a descriptor as the source, and names the file; of a further group only the descriptor
 * counts, which is the same.
 */
static void accept_source(struct pm_wakeup_source *source, int fd, short events,
                          const struct pm_hierarchy *hierarchy, const char *name)
{
	if (source->fd == fd)
		return;

	source->fd = fd;
	source->events = events;
	source->os_errno = 0;
	snprintf(source->file, sizeof source->file, "%s%s/%s", hierarchy->folder, hierarchy->group,
	         name);
}

/**
 * Writes one registration.
 * @param argument as the file takes it, "" for none
 * @return 0 or -1 with errno set
 */
static int write_registration(int control, int event, int file, const char *argument)
{
	char line[96];
	int length = snprintf(line, sizeof line, "%d %d%s%s\n", event, file, *argument ? " " : "",
	                      argument);
	return write(control, line, (size_t)length) == length ? 0 : -1;
}

/**
 * Registers an eventfd for a file of a v1 group.
 * @param numbers arguments, one registration each; NULL for one without
 */
static bool register_v1(const struct pm_hierarchy *hierarchy, const char *name,
                        const uint64_t *numbers, size_t count, struct pm_wakeup_source *source)
{
	int file = open_file(hierarchy, name, O_RDONLY);
	if (file < 0)
		return refuse(source, errno);

	int control = open_file(hierarchy, "cgroup.event_control", O_WRONLY | O_APPEND);
	int event = source->fd >= 0 || control < 0 ? source->fd
	                                           : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int failed = control < 0 || event < 0 ? -1 : 0, cause = errno;

	for (size_t i = 0; failed == 0 && i < (numbers ? count : 1); i++) {
		char argument[32] = "";
		if (numbers)
			snprintf(argument, sizeof argument, "%" PRIu64, numbers[i]);
		failed = write_registration(control, event, file, argument);
		cause = errno;
	}

	/* The kernel keeps what it needs of both. */
	if (control >= 0)
		close(control);
	close(file);
	if (failed == 0) {
		accept_source(source, event, POLLIN, hierarchy, name);
		return true;
	}

	if (event >= 0 && event != source->fd)
		close(event);

	return refuse(source, cause);
}

bool pm_wakeup_add_usage(const struct pm_hierarchy *hierarchy, const uint64_t *usage, size_t count,
                         struct pm_wakeup_source *source)
{
	return count > 0 && register_v1(hierarchy, "memory.usage_in_bytes", usage, count, source);
}

bool pm_wakeup_add_oom(const struct pm_hierarchy *hierarchy, struct pm_wakeup_source *source)
{
	return register_v1(hierarchy, "memory.oom_control", NULL, 0, source);
}

bool pm_wakeup_add_events(const struct pm_hierarchy *hierarchy, struct pm_wakeup_source *source)
{
	static const char name[] = "memory.events";
	char *path;
	if (asprintf(&path, "%s%s/%s", hierarchy->folder, hierarchy->group, name) < 0)
		return refuse(source, ENOMEM);

	int fd = source->fd >= 0 ? source->fd : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int failed = fd < 0 ? -1 : inotify_add_watch(fd, path, IN_MODIFY), cause = errno;
	free(path);
	if (failed >= 0) {
		accept_source(source, fd, POLLIN, hierarchy, name);
		return true;
	}

	if (fd >= 0 && fd != source->fd)
		close(fd);

	return refuse(source, cause);
}

/** Whether a file is the running kernel's: writing to one of a saved tree would change it. */
static bool is_live(int fd)
{
	struct statfs status;
	return fstatfs(fd, &status) == 0 &&
	       (status.f_type == PROC_SUPER_MAGIC || status.f_type == CGROUP2_SUPER_MAGIC);
}

bool pm_wakeup_add_pressure(const char *path, struct pm_wakeup_source *source)
{
	/* With the NUL: the kernel overwrites the last byte that it is given with one. */
	static const char trigger[] = "some 150000 2000000";
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return refuse(source, errno);
	if (!is_live(fd)) {
		close(fd);
		return false;
	}
	if (write(fd, trigger, sizeof trigger) < 0) {
		int cause = errno;
		close(fd);
		return refuse(source, cause);
	}

	source->fd = fd;
	source->events = POLLPRI;
	snprintf(source->file, sizeof source->file, "%s", path);

	return true;
}
