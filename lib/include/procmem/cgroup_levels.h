/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A cgroup and its ancestors: usage, limits, events, and what the memory is. The memory of a cgroup
 * is charged to all its ancestors, so each level contains the level before it.
 */
#ifndef PROCMEM_CGROUP_LEVELS_H
#define PROCMEM_CGROUP_LEVELS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/cgroup_parts.h>
#include <procmem/headroom.h>
#include <procmem/members.h>
#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One cgroup. Sizes are bytes; UINT64_MAX means that there is no limit or the size is not known.
 */
struct pm_cgroup_level {
	char *folder; /**< directory of the cgroup; owned */
	char *path;   /**< path below the mount point, "/" for the root, any bytes but NUL; owned */
	int version;  /**< version of cgroups, 1 or 2 */
	uint64_t current; /**< usage (memory.current, v1: memory.usage_in_bytes) */
	uint64_t peak;    /**< maximum usage so far (memory.peak of Linux 5.19, v1:
	                     memory.max_usage_in_bytes) */
	uint64_t max;     /**< limit (memory.max, v1: memory.limit_in_bytes) */
	uint64_t high;    /**< limit above which processes are slowed down (memory.high); only v2 */
	uint64_t swap;    /**< swap used (memory.swap.current; v1: total_swap of memory.stat) */
	uint64_t swap_max; /**< limit of swap (memory.swap.max); v1: UINT64_MAX */
	/** v1: limit of memory and swap together (memory.memsw.limit_in_bytes); v2: UINT64_MAX */
	uint64_t memory_swap_max;
	struct pm_cgroup_split split;  /**< what the usage consists of */
	struct pm_limit_events events; /**< limit events; not known for the root of v2 */
	/**
	 * Pages of the hugetlb controller of v2, all sizes together, which `current` does not
	 * contain unless `split` has PM_CGROUP_HUGETLB; UINT64_MAX without that controller
	 */
	uint64_t hugetlb;
	/**
	 * Memory of the kernel that `current` does not contain: the usage of the root cgroup of v1
	 * is the sum of anonymous memory and page cache (mem_cgroup_usage() of
	 * the kernel); 0 for other cgroups
	 */
	uint64_t kernel_outside;
	/**
	 * Number of pages that were needed again soon after they had been reclaimed, in this cgroup
	 * and below (workingset_refault_anon and _file, before Linux 5.9 workingset_refault; v1:
	 * with the prefix total_); UINT64_MAX if not known
	 */
	uint64_t refaults;
};

/** A cgroup and its ancestors. */
struct pm_cgroup_levels {
	struct pm_cgroup_level
		*items;           /**< the cgroup first, the highest visible ancestor last; owned
	                           */
	size_t count;             /**< number of elements of `items`; 0 if none is visible */
	enum pm_cgroup_view view; /**< whether there are levels that are not visible */
};

/**
 * Reads the memory cgroup of a process and its ancestors.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param levels    receives the levels; release them with pm_cgroup_levels_deinit()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_cgroup_levels_read(struct pm_process *process, const char *sys_root,
                                    struct pm_cgroup_levels *levels, struct pm_error *error);

/**
 * Reads a cgroup that is given by its directory, and its ancestors.
 *
 * @param folder  directory of the cgroup, such as "/sys/fs/cgroup/shop"
 * @param levels  receives the levels; release them with pm_cgroup_levels_deinit(). `view` is
 *                PM_CGROUP_VISIBLE also if an ancestor of the mount is hidden
 * @param error   PM_ERROR_NOT_FOUND if there is no such directory, PM_ERROR_USAGE if it is not a
 *                memory cgroup, PM_ERROR_ACCESS, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_cgroup_levels_read_folder(const char *folder, struct pm_cgroup_levels *levels,
                                           struct pm_error *error);

/**
 * Reads the processes of a level and of the cgroups below it.
 *
 * @param level      the level
 * @param proc_root  directory to use as /proc; NULL means "/proc"
 * @param members    receives the processes; release them with pm_members_deinit()
 * @param error      PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_cgroup_levels_members(const struct pm_cgroup_level *level, const char *proc_root,
                                       struct pm_members *members, struct pm_error *error);

/**
 * Releases the levels.
 * @param levels  filled by a function of this file, or zeroed
 */
PM_PUBLIC void pm_cgroup_levels_deinit(struct pm_cgroup_levels *levels);

/** The usage of a cgroup, in a list of all cgroups. */
struct pm_cgroup_usage {
	char *folder;   /**< directory of the cgroup; owned */
	uint64_t bytes; /**< usage in bytes */
	size_t below;   /**< number of ancestors that the list contains, too */
};

/** All cgroups that the calling process sees. */
struct pm_cgroup_list {
	struct pm_cgroup_usage *items; /**< by descending usage, without the root; owned */
	size_t count;                  /**< number of elements of `items` */
	size_t unreadable;             /**< cgroups whose usage or children could not be read */
	bool incomplete; /**< there are more than 20,000 cgroups, or they are nested too deeply */
	char *root;      /**< directory of the root; owned; NULL if no memory cgroup is visible */
};

/**
 * Lists all cgroups with their usage.
 *
 * @param process   a process, usually the calling one: its mountinfo and cgroup show where the
 *                  hierarchy is
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param cancel    flag that a signal handler or another thread sets; NULL if there is none
 * @param list      receives the cgroups; release them with pm_cgroup_levels_list_deinit()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return          0 or -1
 */
PM_PUBLIC int pm_cgroup_levels_list(struct pm_process *process, const char *sys_root,
                                    const volatile sig_atomic_t *cancel,
                                    struct pm_cgroup_list *list, struct pm_error *error);

/**
 * Releases a list.
 * @param list  filled by pm_cgroup_levels_list(), or zeroed
 */
PM_PUBLIC void pm_cgroup_levels_list_deinit(struct pm_cgroup_list *list);

#ifdef __cplusplus
}
#endif

#endif
