/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Being told by the kernel that a process comes near its memory limit, instead of looking all the
 * time.
 *
 * Each source is a descriptor for poll(2). Which ones there are depends on the kernel, the version
 * of cgroups and our rights; none is needed for anything, they only make a look come earlier than
 * the clock would.
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

/** What a source tells. */
enum pm_wakeup_cause {
	/**
	 * cgroup v1: the memory of the group, page cache included, went past one of the sizes that
	 * were asked for, up or down
	 * (`cgroup.event_control` with `memory.usage_in_bytes`,
	 * Documentation/admin-guide/cgroup-v1/memory.rst). The kernel looks each 128 pages.
	 */
	PM_WAKEUP_USAGE,
	/**
	 * cgroup v1: the limit is reached and nothing can be taken back; the kernel kills next
	 * 	   (`memory.oom_control`).
	 */
	PM_WAKEUP_OOM,
	/**
	 * cgroup v2: `memory.events` changed, which counts how often memory.high and memory.max
	 * were reached and processes killed (Documentation/admin-guide/cgroup-v2.rst; told by
	 * inotify(7)). That of a group contains those below it.
	 */
	PM_WAKEUP_EVENTS,
	/**
	 * Some task waited for memory during 150 ms of 2 s (PSI trigger,
	 * Documentation/accounting/psi.rst): in the group by v2, else in the machine. Without
	 * CAP_SYS_RESOURCE since Linux 6.4.
	 */
	PM_WAKEUP_PRESSURE,
	PM_WAKEUP_CAUSES, /**< number of causes, for tables */
};

/** One source. */
struct pm_wakeup_source {
	enum pm_wakeup_cause cause; /**< what it tells */
	int fd;                     /**< descriptor for poll(2); -1 where the kernel refused it */
	short events;               /**< what to poll it for */
	int os_errno;               /**< why it refused, 0 where it did not */
	char file[PM_LIMIT_SOURCE_SIZE]; /**< the file that it stands on: of the process's own group
	                                    or the nearest one above it that has a limit */
};

/** All sources for a process; opaque. Not to be shared between threads. */
struct pm_wakeup;

/**
 * Opens the sources: of the process's own cgroup, of all groups above it that have a limit, and of
 * pressure. Those that this system does not have are left out.
 *
 * @param process   the process
 * @param sys_root  directory that stands for /sys; NULL means "/sys"
 * @param usage     sizes in bytes at which PM_WAKEUP_USAGE is to tell
 * @param count     how many
 * @param wakeup    where to store it; release with pm_wakeup_close()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES; a source that cannot be opened
 * is no error
 * @return          0 or -1
 */
PM_PUBLIC int pm_wakeup_open(struct pm_process *process, const char *sys_root,
                             const uint64_t *usage, size_t count, struct pm_wakeup **wakeup,
                             struct pm_error *error);

/**
 * Closes the sources.
 * @param wakeup what pm_wakeup_open() stored, or NULL
 */
PM_PUBLIC void pm_wakeup_close(struct pm_wakeup *wakeup);

/**
 * The sources.
 *
 * @param wakeup  the sources
 * @param count   where to store how many
 * @return        an array that lives as long as they
 */
PM_PUBLIC const struct pm_wakeup_source *pm_wakeup_sources(const struct pm_wakeup *wakeup,
                                                           size_t *count);

/**
 * Takes what poll(2) told of a source, so that it does not tell the same again. A source that broke
 * (its group was removed) is closed: its `fd` is -1 from then on.
 *
 * @param wakeup   the sources
 * @param index    which
 * @param revents  what poll(2) returned for its descriptor
 * @return         whether anything happened
 */
PM_PUBLIC bool pm_wakeup_consume(struct pm_wakeup *wakeup, size_t index, short revents);

/**
 * Reads how often the kernel had to act in the process's own group. Works after the end of the
 * process, as long as the group exists.
 *
 * @param wakeup  the sources
 * @param events  filled; not `known` where there are none, or the group is gone
 * @param error   PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_wakeup_read_events(const struct pm_wakeup *wakeup, struct pm_limit_events *events,
                                    struct pm_error *error);

/**
 * Word for a cause, as in JSON: "usage", "oom", "events", "pressure".
 * @param cause which
 * @return a constant text
 */
PM_PUBLIC const char *pm_wakeup_name(enum pm_wakeup_cause cause);

#ifdef __cplusplus
}
#endif

#endif
