/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Notifications from the kernel that a process approaches its memory limit, as an addition to
 * polling.
 *
 * Each source is a descriptor for poll(2). Which sources exist depends on the kernel, the version
 * of cgroups and our rights. None of them is required: a notification only starts a sample before
 * the interval is over.
 */
#ifndef PROCMEM_WAKEUP_H
#define PROCMEM_WAKEUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/headroom.h>
#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Causes of a notification. */
enum pm_wakeup_cause {
	/**
	 * cgroup v1: the memory of the group, page cache included, passed one of the requested
	 * sizes, up or down (`cgroup.event_control` with `memory.usage_in_bytes`,
	 * Documentation/admin-guide/cgroup-v1/memory.rst). The kernel checks this every 128 pages.
	 */
	PM_WAKEUP_USAGE,
	/**
	 * cgroup v1: the limit is reached and nothing can be reclaimed; the kernel then kills a
	 * process (`memory.oom_control`).
	 */
	PM_WAKEUP_OOM,
	/**
	 * cgroup v2: `memory.events` changed. This file counts how often memory.high and memory.max
	 * were reached, and the killed processes (Documentation/admin-guide/cgroup-v2.rst; observed
	 * by inotify(7)). The events of a group include those of groups below it.
	 */
	PM_WAKEUP_EVENTS,
	/**
	 * Some task waited for memory during 150 ms of 2 s (PSI trigger,
	 * Documentation/accounting/psi.rst): in the group with v2, otherwise in the machine. Before
	 * Linux 6.4 this requires CAP_SYS_RESOURCE.
	 */
	PM_WAKEUP_PRESSURE,
	PM_WAKEUP_CAUSES, /**< number of causes */
};

/** A source of notifications. */
struct pm_wakeup_source {
	enum pm_wakeup_cause cause; /**< cause of its notifications */
	int fd;                     /**< descriptor for poll(2); -1 if it could not be opened */
	short events;               /**< events to poll it for */
	int os_errno;               /**< why it could not be opened, otherwise 0 */
	char file[PM_LIMIT_SOURCE_SIZE]; /**< its file: of the group of the process, or of the
	                                    nearest ancestor that has a limit */
};

/** All sources for a process; opaque. Only one thread at a time may use them. */
struct pm_wakeup;

/**
 * Opens the sources: for the cgroup of the process, for all ancestors that have a limit, and for
 * pressure. Sources that this system lacks are left out.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param usage     sizes in bytes for PM_WAKEUP_USAGE
 * @param count     number of sizes
 * @param wakeup    receives the sources; release them with pm_wakeup_close()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES; a source that cannot be opened
 *                  is not an error
 * @return          0 or -1
 */
PM_PUBLIC int pm_wakeup_open(struct pm_process *process, const char *sys_root,
                             const uint64_t *usage, size_t count, struct pm_wakeup **wakeup,
                             struct pm_error *error);

/**
 * Closes the sources.
 * @param wakeup  the sources, or NULL
 */
PM_PUBLIC void pm_wakeup_close(struct pm_wakeup *wakeup);

/**
 * Returns the sources.
 *
 * @param wakeup  the sources
 * @param count   receives the number of sources
 * @return        an array that lives as long as `wakeup`
 */
PM_PUBLIC const struct pm_wakeup_source *pm_wakeup_sources(const struct pm_wakeup *wakeup,
                                                           size_t *count);

/**
 * Consumes the event that poll(2) returned for a source. If the group was removed, the source is
 * closed, and its `fd` becomes -1.
 *
 * @param wakeup   the sources
 * @param index    index of the source
 * @param revents  as returned by poll(2) for its descriptor
 * @return         true if there was a notification
 */
PM_PUBLIC bool pm_wakeup_consume(struct pm_wakeup *wakeup, size_t index, short revents);

/**
 * Reads how often limits of the group of the process were reached. Works after the end of the
 * process, as long as the group exists.
 *
 * @param wakeup  the sources
 * @param events  filled; `known` is false if the kernel does not count events, or if the group was
 *                removed
 * @param error   PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_wakeup_read_events(const struct pm_wakeup *wakeup, struct pm_limit_events *events,
                                    struct pm_error *error);

/**
 * Returns the name of a cause, as in JSON: "usage", "oom", "events", "pressure".
 *
 * @param cause  the cause
 * @return       a constant text
 */
PM_PUBLIC const char *pm_wakeup_name(enum pm_wakeup_cause cause);

#ifdef __cplusplus
}
#endif

#endif
