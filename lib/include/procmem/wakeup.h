/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Notifications from the kernel that a process approaches its memory limit, as an addition to
 * polling.
 *
 * Each source is a descriptor for poll(2). Which sources exist depends on the kernel, the version
 * of cgroups and the rights of the calling process. A caller that takes samples at intervals needs
 * no source: a notification only makes it take a sample earlier.
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
	 * cgroup v1: the memory usage of the cgroup, including page cache, rose above or fell below
	 * one of the requested sizes (`cgroup.event_control` with `memory.usage_in_bytes`,
	 * Documentation/admin-guide/cgroup-v1/memory.rst). The kernel checks this each
	 * time that 128 pages were added or removed.
	 */
	PM_WAKEUP_USAGE,
	/**
	 * cgroup v1: the limit is reached and nothing can be reclaimed (`memory.oom_control`). The
	 * kernel then kills a process.
	 */
	PM_WAKEUP_OOM,
	/**
	 * cgroup v2: `memory.events` changed. This file shows how often memory.high and memory.max
	 * were reached, and the number of killed processes
	 * (Documentation/admin-guide/cgroup-v2.rst). Changes are observed by inotify(7). The events
	 * of a cgroup include the events of its descendants.
	 */
	PM_WAKEUP_EVENTS,
	/**
	 * For at least 150 ms in total within 2 s, one or more tasks waited for memory (PSI trigger
	 * "some", Documentation/accounting/psi.rst). If the cgroup (v2) has a file memory.pressure,
	 * the tasks of the cgroup are observed. Otherwise all tasks of the machine are observed.
	 * Before Linux 6.4, the trigger requires CAP_SYS_RESOURCE.
	 */
	PM_WAKEUP_PRESSURE,
	PM_WAKEUP_CAUSES, /**< number of causes */
};

/** A source of notifications. */
struct pm_wakeup_source {
	enum pm_wakeup_cause cause; /**< cause of the notifications */
	int fd; /**< descriptor for poll(2); -1 if the source could not be opened, or was closed */
	short events; /**< events for which to poll `fd`: POLLIN or POLLPRI */
	int os_errno; /**< errno of the attempt to open the source; 0 if the source was opened */
	/**
	 * Path of the file that the source observes. If the source observes files of several
	 * cgroups, this is the file of the cgroup that is nearest to the process.
	 */
	char file[PM_LIMIT_SOURCE_SIZE];
};

/** All sources of notifications for a process; opaque. Only one thread at a time may use them. */
struct pm_wakeup;

/**
 * Opens the sources: for the cgroup of the process, for each ancestor of this cgroup that has a
 * limit (never for the root cgroup), and for memory pressure. Sources that this system lacks are
 * left out.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param usage     sizes in bytes for PM_WAKEUP_USAGE; may be NULL if `count` is 0
 * @param count     number of sizes; if it is 0, there is no source PM_WAKEUP_USAGE
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
 * Consumes the event that poll(2) returned for a source. If the cgroup was removed, or if poll(2)
 * reported an error, the source is closed, and its `fd` becomes -1.
 *
 * @param wakeup   the sources
 * @param index    index of the source
 * @param revents  the events that poll(2) returned for the descriptor of the source
 * @return         true if there was a notification, otherwise false
 */
PM_PUBLIC bool pm_wakeup_consume(struct pm_wakeup *wakeup, size_t index, short revents);

/**
 * Reads the counts of limit events of the cgroup of the process. Works after the end of the
 * process, as long as the cgroup exists.
 *
 * @param wakeup  the sources
 * @param events  receives the counts; `known` is false if the kernel does not count OOM kills, or
 *                if the cgroup was removed
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
