/* SPDX-License-Identifier: MIT */
/*
 * Notifications about memory: eventfds of cgroup v1, inotify on memory.events of v2, PSI triggers.
 *
 * Each open_*() function returns whether this system has such a source; `fd` and `os_errno` of the
 * source show whether the source could be opened. If a function for cgroup files is called again
 * for another cgroup, it adds this cgroup to the source that is already open.
 */
#include <procmem/wakeup.h>

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

#include "base/array.h"
#include "base/io.h"
#include "limits/cgroup_file.h"
#include "limits/cgroups.h"

struct pm_wakeup {
	struct pm_wakeup_source sources[PM_WAKEUP_CAUSES]; /* sources that this system has */
	size_t count;
	struct pm_hierarchy hierarchy; /* cgroup of the process */
};

const char *pm_wakeup_name(enum pm_wakeup_cause cause)
{
	static const char *const names[PM_WAKEUP_CAUSES] = { "usage", "oom", "events", "pressure" };
	return (unsigned)cause < PM_WAKEUP_CAUSES ? names[cause] : "";
}

/**
 * Records why a source could not be opened. A source that is already open for another cgroup stays
 * usable and is not changed.
 *
 * @param source  receives the error in `os_errno`
 * @param cause   errno of the failed call
 * @return        true; false, with `source` unchanged, if the file does not exist, which means that
 *                this system has no such source
 */
static bool refuse(struct pm_wakeup_source *source, int cause)
{
	if (cause == ENOENT || cause == ENOTDIR)
		return false;
	/* A source that was opened for another cgroup stays usable. */
	if (source->fd < 0)
		source->os_errno = cause;
	return true;
}

/**
 * Opens a file of the cgroup.
 * @return the descriptor, or -1 with errno set
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
 * Stores the descriptor of a source and the path of its file. Does nothing if the source already
 * has this descriptor: all cgroups share the descriptor, and the path remains the one in the first
 * cgroup.
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
 * Registers an eventfd by writing a line to cgroup.event_control.
 *
 * @param control   descriptor of cgroup.event_control
 * @param event     descriptor of the eventfd
 * @param file      descriptor of the file whose events are requested, such as memory.usage_in_bytes
 * @param argument  argument of the event, preceded by a space; "" for none
 * @return          0, or -1 with errno set
 */
static int write_registration(int control, int event, int file, const char *argument)
{
	char line[96];
	int length = snprintf(line, sizeof line, "%d %d%s\n", event, file, argument);

	if (write(control, line, (size_t)length) != length)
		return -1;

	return 0;
}

/**
 * Registers an eventfd for a file of a v1 cgroup.
 *
 * @param hierarchy  the cgroup
 * @param name       name of the file
 * @param numbers    arguments, one for each registration; NULL for a single registration without an
 *                   argument
 * @param count      number of arguments
 * @param source     receives the descriptor and the path, or the error
 * @return           whether this system has such a source
 */
static bool register_v1(const struct pm_hierarchy *hierarchy, const char *name,
                        const uint64_t *numbers, size_t count, struct pm_wakeup_source *source)
{
	int file = open_file(hierarchy, name, O_RDONLY);
	if (file < 0)
		return refuse(source, errno);

	int control = open_file(hierarchy, "cgroup.event_control", O_WRONLY | O_APPEND);
	int event = source->fd;
	if (event < 0 && control >= 0)
		event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	int cause = errno;
	int failed = -(control < 0 || event < 0);
	if (!numbers)
		count = 1;

	for (size_t i = 0; failed == 0 && i < count; i++) {
		char argument[32] = "";
		if (numbers)
			snprintf(argument, sizeof argument, " %" PRIu64, numbers[i]);
		failed = write_registration(control, event, file, argument);
		cause = errno;
	}

	/*
	 * The registration stays valid after close(2), because the kernel has its own references to
	 * both files.
	 */
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

/**
 * Opens a source that reports when the usage of a v1 cgroup crosses one of the sizes in `usage`, in
 * bytes. Without sizes, there is no such source.
 */
static bool open_usage(const struct pm_hierarchy *hierarchy, const uint64_t *usage, size_t count,
                       struct pm_wakeup_source *source)
{
	return count > 0 && register_v1(hierarchy, "memory.usage_in_bytes", usage, count, source);
}

/** Opens a source that reports when a v1 cgroup is out of memory. */
static bool open_oom(const struct pm_hierarchy *hierarchy, struct pm_wakeup_source *source)
{
	return register_v1(hierarchy, "memory.oom_control", NULL, 0, source);
}

/** Opens a source that reports changes of memory.events of a v2 cgroup. */
static bool open_events(const struct pm_hierarchy *hierarchy, struct pm_wakeup_source *source)
{
	static const char name[] = "memory.events";
	char *path;
	if (asprintf(&path, "%s%s/%s", hierarchy->folder, hierarchy->group, name) < 0)
		return refuse(source, ENOMEM);

	int fd = source->fd;
	if (fd < 0)
		fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	bool added = fd >= 0 && inotify_add_watch(fd, path, IN_MODIFY) >= 0;
	int cause = errno;
	free(path);
	if (added) {
		accept_source(source, fd, POLLIN, hierarchy, name);
		return true;
	}

	if (fd >= 0 && fd != source->fd)
		close(fd);

	return refuse(source, cause);
}

/**
 * Returns whether a file belongs to the running kernel, that is, to procfs or the file system of
 * cgroup v2. A file of a saved tree must not be written to.
 */
static bool is_live(int fd)
{
	struct statfs status;
	return fstatfs(fd, &status) == 0 &&
	       (status.f_type == PROC_SUPER_MAGIC || status.f_type == CGROUP2_SUPER_MAGIC);
}

/** Opens a source that reports memory pressure: writes a trigger to the PSI file at `path`. */
static bool open_pressure(const char *path, struct pm_wakeup_source *source)
{
	/*
	 * Reports when tasks wait for 150 ms within 2 s. The kernel overwrites the last byte that
	 * is written with a NUL, so the terminating NUL is written, too.
	 */
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

/** State while sources are opened. The arrays have one element for each cause. */
struct opening {
	struct pm_wakeup_source sources[PM_WAKEUP_CAUSES];
	bool has[PM_WAKEUP_CAUSES]; /* whether this system has the source */
	const uint64_t *usage;      /* sizes for PM_WAKEUP_USAGE, in bytes */
	size_t count;               /* number of sizes */
};

static bool has_limit(const struct pm_hierarchy *hierarchy)
{
	static const char *const names[][2] = {
		[1] = { "memory.limit_in_bytes", NULL }, [2] = { "memory.max", "memory.high" }
	};

	for (size_t i = 0; i < 2 && names[hierarchy->version][i]; i++) {
		uint64_t max;
		if (pm_cgroup_number(hierarchy, names[hierarchy->version][i], &max, NULL) > 0 &&
		    !pm_cgroup_is_unlimited(hierarchy, max))
			return true;
	}

	return false;
}

/** Opens the sources of one cgroup, or adds the cgroup to sources that are already open. */
static void add_group(const struct pm_hierarchy *hierarchy, struct opening *opening)
{
	struct pm_wakeup_source *sources = opening->sources;
	bool *has = opening->has;
	if (hierarchy->version == 2) {
		has[PM_WAKEUP_EVENTS] |= open_events(hierarchy, &sources[PM_WAKEUP_EVENTS]);
	} else {
		has[PM_WAKEUP_USAGE] |= open_usage(hierarchy, opening->usage, opening->count,
		                                   &sources[PM_WAKEUP_USAGE]);
		has[PM_WAKEUP_OOM] |= open_oom(hierarchy, &sources[PM_WAKEUP_OOM]);
	}
}

/**
 * Opens sources for the cgroup of the process and for each ancestor that has a limit. The root
 * cgroup is omitted, because it has no limit and its events concern the whole machine.
 */
static int add_groups(const struct pm_hierarchy *hierarchy, struct opening *opening,
                      struct pm_error *error)
{
	struct pm_hierarchy at = *hierarchy;
	at.group = strdup(hierarchy->group);
	if (!at.group)
		return pm_error_out_of_memory(error);

	bool own = true;
	do {
		if (at.group[0] != '\0' && (own || has_limit(&at)))
			add_group(&at, opening);
		own = false;
	} while (pm_cgroup_go_up(&at));

	free(at.group);
	return 0;
}

/**
 * Opens a source for the memory pressure of the cgroup or, if the cgroup has no PSI file, for the
 * memory pressure of the machine.
 *
 * @param hierarchy  the cgroup
 * @param proc_root  directory of /proc
 * @param opening    receives the source
 * @param error      PM_ERROR_RESOURCES
 * @return           0 or -1
 */
static int add_pressure(const struct pm_hierarchy *hierarchy, const char *proc_root,
                        struct opening *opening, struct pm_error *error)
{
	struct pm_wakeup_source *source = &opening->sources[PM_WAKEUP_PRESSURE];
	char *path;
	bool found = false;
	if (hierarchy->version == 2) {
		if (asprintf(&path, "%s%s/memory.pressure", hierarchy->folder, hierarchy->group) <
		    0)
			return pm_error_out_of_memory(error);
		found = open_pressure(path, source);
		free(path);
	}

	if (!found) {
		if (asprintf(&path, "%s/pressure/memory", proc_root) < 0)
			return pm_error_out_of_memory(error);
		found = open_pressure(path, source);
		free(path);
	}

	opening->has[PM_WAKEUP_PRESSURE] = found;
	return 0;
}

static void close_sources(struct pm_wakeup_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sources[i].fd >= 0)
			close(sources[i].fd);
}

int pm_wakeup_open(struct pm_process *process, const char *sys_root, const uint64_t *usage,
                   size_t count, struct pm_wakeup **wakeup, struct pm_error *error)
{
	struct pm_wakeup *made = calloc(1, sizeof *made);
	struct opening opening = { .usage = usage, .count = count };

	if (!made)
		return pm_error_out_of_memory(error);

	for (int i = 0; i < PM_WAKEUP_CAUSES; i++)
		opening.sources[i] = (struct pm_wakeup_source){ .cause = (enum pm_wakeup_cause)i,
			                                        .fd = -1 };

	int result = pm_hierarchy_find(process, "memory", sys_root, &made->hierarchy, error);
	if (result == 0 && made->hierarchy.version)
		result = add_groups(&made->hierarchy, &opening, error);
	if (result == 0)
		result = add_pressure(&made->hierarchy, pm_process_root(process), &opening, error);

	if (result < 0) {
		close_sources(opening.sources, PM_WAKEUP_CAUSES);
		pm_hierarchy_deinit(&made->hierarchy);
		free(made);
		return -1;
	}

	for (size_t i = 0; i < PM_WAKEUP_CAUSES; i++)
		if (opening.has[i])
			made->sources[made->count++] = opening.sources[i];

	*wakeup = made;
	return 0;
}

void pm_wakeup_close(struct pm_wakeup *wakeup)
{
	if (!wakeup)
		return;
	close_sources(wakeup->sources, wakeup->count);
	pm_hierarchy_deinit(&wakeup->hierarchy);
	free(wakeup);
}

const struct pm_wakeup_source *pm_wakeup_sources(const struct pm_wakeup *wakeup, size_t *count)
{
	*count = wakeup->count;
	return wakeup->sources;
}

bool pm_wakeup_consume(struct pm_wakeup *wakeup, size_t index, short revents)
{
	struct pm_wakeup_source *source = &wakeup->sources[index];
	if (source->fd < 0 || revents == 0)
		return false;

	/*
	 * If a PSI file has an error, or the cgroup of a file was removed, every further poll(2)
	 * reports POLLERR at once. The source is therefore closed.
	 */
	if (revents & (POLLERR | POLLNVAL)) {
		close(source->fd);
		source->fd = -1;
		return false;
	}

	if (!(revents & source->events))
		return false;

	/*
	 * Read everything from an eventfd or inotify descriptor, so that poll(2) does not report
	 * the same notification again. The contents are not needed. Nothing is read from a PSI
	 * file, because poll(2) itself consumes its event.
	 */
	char bytes[4096];
	while (source->events & POLLIN && pm_read(source->fd, bytes, sizeof bytes) > 0) {
	}

	return true;
}

int pm_wakeup_read_events(const struct pm_wakeup *wakeup, struct pm_limit_events *events,
                          struct pm_error *error)
{
	struct pm_limit_events read = { 0 };
	if (wakeup->hierarchy.version &&
	    pm_cgroup_read_events(&wakeup->hierarchy, &read, error) < 0)
		return -1;
	*events = read;
	return 0;
}
