/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What fills memory around the process while --for measures: other processes, and files in tmpfs.
 */
#ifndef CMD_HEADROOM_AROUND_H
#define CMD_HEADROOM_AROUND_H

#include <stdbool.h>

#include <procmem/headroom.h>
#include <procmem/shared_objects.h>
#include <procmem/tmpfs.h>
#include <procmem/tmpfs_rows.h>

#include "target/neighbours.h"
#include "target/shared_files.h"

/** Processes that have a row of their own. */
enum headroom_scope {
	HEADROOM_ALONE,    /**< none */
	HEADROOM_CHILDREN, /**< the process and its descendants (--children) */
	HEADROOM_CGROUP,   /**< the processes of its cgroup (--cgroup) */
	HEADROOM_NAMED,    /**< all processes with a name (--all-processes) */
};

struct headroom_source;

/** What was seen around the process. Zeroed before the first use. */
struct headroom_around {
	bool observed;                /**< it was observed for some time */
	struct neighbours neighbours; /**< the other processes */
	struct pm_tmpfs before;       /**< files in tmpfs at the start */
	struct pm_tmpfs after;        /**< files in tmpfs at the end */
	struct pm_tmpfs_rows folders; /**< directories in tmpfs, fastest growth first */
	/** Shared memory without a directory at the start */
	struct pm_shared_objects objects_before;
	struct pm_shared_objects objects; /**< the same at the end */
	double objects_seconds;           /**< time between the two, in seconds; 0 if not known */
	struct shared_files files;        /**< files that the process maps, fastest growth first */
	/** Why the files in tmpfs are not known; PM_ERROR_NONE if they are */
	struct pm_error folders_error;
	bool shmem_known;  /**< whether `shmem_rate` is known */
	double shmem_rate; /**< growth of tmpfs files and shared memory that are charged to the
	                      cgroup with the limit, in bytes per second */
	/** Growth of the memory of the kernel that is charged to this cgroup, in bytes per second;
	 * not known if `shmem_rate` is not */
	double kernel_rate;
	const char *name;        /**< private: further processes have this name; NULL: none */
	double name_due;         /**< private: time when they are searched again */
	uint64_t shmem_first;    /**< private: their size at the start, in bytes */
	uint64_t kernel_first;   /**< private: memory of the kernel at the start, in bytes */
	double shmem_first_time; /**< private: time of these sizes, in seconds */
};

/**
 * Starts to observe.
 *
 * @param around   zeroed; release with headroom_around_deinit()
 * @param process  the process; must outlive the observation
 * @param source   what is measured; its name must outlive `around`
 * @param error    PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int headroom_around_begin(struct headroom_around *around, struct pm_process *process,
                          const struct headroom_source *source, struct pm_error *error);

/**
 * Walks through the files in tmpfs, and finds the files that the process maps.
 *
 * @param around   what was seen
 * @param error    as for headroom_around_begin()
 * @return         0 or -1
 */
int headroom_around_walk(struct headroom_around *around, struct pm_error *error);

/**
 * Adds a sample of the other processes, and of the files that the process maps.
 *
 * @param around   what was seen
 * @param time     time of the sample, in seconds
 * @param regions  the regions of the process; NULL: the files are not measured
 * @param error    as for neighbours_add()
 * @return         0 or -1
 */
int headroom_around_add(struct headroom_around *around, double time,
                        const struct pm_regions *regions, struct pm_error *error);

/**
 * Walks through the files in tmpfs again, and judges what grows.
 *
 * @param around  what was seen
 * @param error   as for headroom_around_begin()
 * @return        0 or -1
 */
int headroom_around_end(struct headroom_around *around, struct pm_error *error);

/**
 * Judges the processes if the target has ended: nothing else can be read again.
 * @param around  what was seen
 */
void headroom_around_stop(struct headroom_around *around);

/**
 * Computes the growth of an object of shared memory.
 *
 * @param around  what was seen
 * @param object  an element of `around->objects`
 * @return        bytes per second; 0 if it did not grow, or if that is not known
 */
double headroom_around_object_rate(const struct headroom_around *around,
                                   const struct pm_shared_object *object);

/**
 * Tests whether the growth of a process can use up the limit of the cgroup.
 *
 * @param around   what was seen
 * @param process  an element of `around->neighbours`
 * @return         false if most of its growth is shared memory that is charged to another cgroup
 */
bool headroom_around_is_charged(const struct headroom_around *around,
                                const struct neighbour *process);

/**
 * Releases what was seen.
 * @param around  zeroed afterwards
 */
void headroom_around_deinit(struct headroom_around *around);

#endif
