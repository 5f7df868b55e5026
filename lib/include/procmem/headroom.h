/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The headroom of a process: all limits that apply to it, and the used part of each.
 */
#ifndef PROCMEM_HEADROOM_H
#define PROCMEM_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>
#include <procmem/runtimes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of limits */
enum pm_limit_kind {
	/**
	 * Memory limit of a cgroup (memory.max of v2, memory.limit_in_bytes of v1). If it is
	 * reached and the kernel cannot reclaim memory, the kernel kills a process.
	 */
	PM_LIMIT_CGROUP,
	/**
	 * The same limit as PM_LIMIT_CGROUP, but only inactive page cache counts as reclaimable.
	 * pm_limit.used minus pm_limit.reclaimable is the working set, as shown by the kubelet and
	 * by container monitoring.
	 */
	PM_LIMIT_CGROUP_WORKING_SET,
	/**
	 * Memory limit of a cgroup (memory.high of v2). If it is exceeded, the kernel throttles the
	 * processes.
	 */
	PM_LIMIT_CGROUP_HIGH,
	PM_LIMIT_SYSTEM,        /**< memory and swap of the machine */
	PM_LIMIT_ADDRESS_SPACE, /**< RLIMIT_AS; the used part is VmSize */
	PM_LIMIT_DATA,          /**< RLIMIT_DATA; the used part is VmData */
	PM_LIMIT_STACK, /**< RLIMIT_STACK; the used part is the size of the first thread's stack */
	/* Limits of runtimes inside the process: the kernel does not know them. */
	PM_LIMIT_JAVA_HEAP,        /**< Java heap, MaxHeapSize: OutOfMemoryError */
	PM_LIMIT_JAVA_METASPACE,   /**< metaspace, MaxMetaspaceSize: OutOfMemoryError */
	PM_LIMIT_JAVA_CLASS_SPACE, /**< CompressedClassSpaceSize: OutOfMemoryError */
	PM_LIMIT_JAVA_CODE,        /**< ReservedCodeCacheSize: the compiler stops */
	PM_LIMIT_JAVA_DIRECT,      /**< MaxDirectMemorySize: OutOfMemoryError */
	PM_LIMIT_V8_OLD_SPACE,     /**< old space of V8: V8 aborts the process */
	PM_LIMIT_GO_MEMORY,        /**< GOMEMLIMIT, a soft limit: the collector works harder */
	PM_LIMIT_MAPPINGS,         /**< vm.max_map_count; the used part is the number of regions */
	PM_LIMIT_PIDS,             /**< processes and threads of a cgroup (pids.max) */
	PM_LIMIT_USER_THREADS,     /**< RLIMIT_NPROC; the used part is the number of threads of all
	                              processes of the user */
	PM_LIMIT_THREADS,          /**< threads of the machine (kernel.threads-max) */
	PM_LIMIT_PID_MAX, /**< process and thread IDs (kernel.pid_max); the used part is the number
	                     of threads of the machine */
	PM_LIMIT_KINDS,   /**< number of kinds */
};

/** Size of pm_limit.source in bytes, including the NUL. */
#define PM_LIMIT_SOURCE_SIZE 1200

/**
 * Maximum number of limits of the same kind. A cgroup and each of its ancestors can have a limit.
 * If there are more limits, those with the least headroom are kept.
 */
#define PM_LIMIT_LEVELS 6

/**
 * Maximum number of limits of a process. The four kinds of cgroup limits can occur PM_LIMIT_LEVELS
 * times each. Each of the other kinds can occur once.
 */
#define PM_LIMITS_MAX (PM_LIMIT_KINDS + 4 * (PM_LIMIT_LEVELS - 1))

/** A limit, and the used part of it */
struct pm_limit {
	enum pm_limit_kind kind; /**< kind of the limit */
	/**
	 * Unit of `max`, `used` and `reclaimable`. true: number of regions, processes or threads.
	 * false: bytes.
	 */
	bool counts;
	/**
	 * True if the kernel does not enforce the limit for this process, because the process
	 * belongs to root or has a capability.
	 */
	bool exempt;
	/**
	 * True if `used` may be wrong, because the calling process or the target is in a PID or
	 * user namespace other than the initial one, or, for a limit of a runtime, because it was
	 * not read from a counter that is kept up to date.
	 */
	bool approximate;
	/** True if the used part is not known: `used` and `reclaimable` are 0. */
	bool used_unknown;
	uint64_t max;  /**< the limit */
	uint64_t used; /**< used part of the limit */
	/**
	 * Part of `used` that the kernel can reclaim: page cache. For PM_LIMIT_CGROUP_WORKING_SET,
	 * this is only the inactive page cache, which was not used recently.
	 */
	uint64_t reclaimable;
	/**
	 * Where the limit is defined: the path of a file, such as "/proc/sys/vm/max_map_count", or
	 * the name of a resource limit or of a setting of a runtime. The path of a file of a cgroup
	 * is relative to the mount point.
	 */
	char source[PM_LIMIT_SOURCE_SIZE];
};

/**
 * Returns the part of a limit that is left. Memory that the kernel can reclaim counts as left.
 *
 * @param limit  the limit
 * @return       the part that is left, in the unit of the limit; 0 if the limit is exceeded
 */
static inline uint64_t pm_limit_left(const struct pm_limit *limit)
{
	uint64_t used = limit->used > limit->reclaimable ? limit->used - limit->reclaimable : 0;
	return limit->max > used ? limit->max - used : 0;
}

/**
 * Returns whether a limit is one of a runtime inside the process, such as the Java heap.
 *
 * @param kind  the kind of the limit
 * @return      whether it is
 */
static inline bool pm_limit_is_of_runtime(enum pm_limit_kind kind)
{
	return kind >= PM_LIMIT_JAVA_HEAP && kind <= PM_LIMIT_GO_MEMORY;
}

/**
 * Returns whether the used part of a limit contains garbage, which the next collection frees. A
 * heap that expands to its limit is then normal. Its growth does not say when the limit is reached.
 *
 * @param kind  the kind of the limit
 * @return      true for PM_LIMIT_JAVA_HEAP, PM_LIMIT_V8_OLD_SPACE and PM_LIMIT_GO_MEMORY
 */
static inline bool pm_limit_has_garbage(enum pm_limit_kind kind)
{
	return kind == PM_LIMIT_JAVA_HEAP || kind == PM_LIMIT_V8_OLD_SPACE ||
	       kind == PM_LIMIT_GO_MEMORY;
}

/** Counts of limit events of a cgroup since the cgroup was created. */
struct pm_limit_events {
	/** Whether the number of OOM kills is known. If not, `oom_kill` is 0. */
	bool known;
	uint64_t high; /**< number of times that memory.high was exceeded; 0 with cgroup v1 */
	uint64_t max;  /**< number of times that memory.max was reached (v1: memory.failcnt) */
	/**
	 * Number of times that memory.max was reached and nothing could be reclaimed; 0 with
	 * cgroup v1
	 */
	uint64_t oom;
	/** Number of processes that the kernel killed in the cgroup for lack of memory */
	uint64_t oom_kill;
};

/**
 * Pressure on memory: the share of time in which tasks waited for memory (PSI,
 * Documentation/accounting/psi.rst). If the cgroup of the process has a file memory.pressure,
 * the tasks are those of this cgroup. Otherwise they are those of the machine.
 */
struct pm_pressure {
	bool known;    /**< whether the kernel reports the pressure */
	bool machine;  /**< the tasks are those of the machine */
	double some10; /**< percentage of time, over the last 10 s, in which some task waited */
	double full10; /**< percentage of time, over the last 10 s, in which all tasks waited */
	double some60; /**< percentage of time, over the last 60 s, in which some task waited */
	double full60; /**< percentage of time, over the last 60 s, in which all tasks waited */
};

/** Which cgroups of a process are visible to the calling process. */
enum pm_cgroup_view {
	/** The cgroup and all its ancestors are visible, or there is no cgroup */
	PM_CGROUP_VISIBLE,
	PM_CGROUP_ANCESTORS_HIDDEN, /**< the cgroup is visible, but some ancestors are not */
	PM_CGROUP_HIDDEN,           /**< neither the cgroup nor any ancestor is visible */
};

/** All limits of a process. */
struct pm_headroom {
	/**
	 * The limits, in the order of enum pm_limit_kind. Of several limits of the same kind, the
	 * one with the least headroom (pm_limit_left()) is first.
	 */
	struct pm_limit limits[PM_LIMITS_MAX];
	size_t count; /**< number of elements of `limits` */
	/** Version of cgroups, 1 or 2; 0 if no memory cgroup is visible */
	int cgroup_version;
	/**
	 * Which cgroups are visible. Limits of hidden cgroups apply to the process, too, but are
	 * not known.
	 */
	enum pm_cgroup_view cgroup_view;
	struct pm_limit_events events; /**< limit events of the cgroup of the process */
	struct pm_pressure pressure;   /**< pressure on memory */
};

/**
 * Reads all limits. Limits that the calling process cannot read are left out.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param headroom  receives the limits, the events and the pressure
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_headroom_read(struct pm_process *process, const char *sys_root,
                               struct pm_headroom *headroom, struct pm_error *error);

/**
 * Reads everything that pm_headroom_read() reads, except the limits on numbers of regions,
 * processes and threads. This is faster, because pm_headroom_read() also reads all regions.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param headroom  receives the limits, the events and the pressure
 * @param error     as for pm_headroom_read()
 * @return          0 or -1
 */
PM_PUBLIC int pm_headroom_read_memory(struct pm_process *process, const char *sys_root,
                                      struct pm_headroom *headroom, struct pm_error *error);

/**
 * Adds the limits on numbers of regions, processes and threads to the result of
 * pm_headroom_read_memory(). If `headroom` already contains these limits, they are replaced.
 *
 * If the program has already read the regions, call pm_headroom_read_memory() and this function
 * instead of pm_headroom_read(), which would read the regions again.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param regions   the regions of the process
 * @param headroom  the result of pm_headroom_read_memory(); receives the additional limits
 * @param error     as for pm_headroom_read()
 * @return          0 or -1
 */
PM_PUBLIC int pm_headroom_add_counts(struct pm_process *process, const char *sys_root,
                                     const struct pm_regions *regions, struct pm_headroom *headroom,
                                     struct pm_error *error);

/**
 * Adds the limits inside the runtimes of the process. If `headroom` already contains such limits,
 * they are replaced.
 *
 * @param headroom  the limits; receives the additional ones
 * @param runtimes  the runtimes of the process
 */
PM_PUBLIC void pm_headroom_add_runtimes(struct pm_headroom *headroom,
                                        const struct pm_runtimes *runtimes);

/**
 * Finds the limit of a kind. If there are several limits of this kind, returns the one with the
 * least headroom (pm_limit_left()).
 *
 * @param headroom  the limits
 * @param kind      the kind
 * @return          the limit; NULL if `headroom` has no limit of this kind
 */
PM_PUBLIC const struct pm_limit *pm_headroom_find(const struct pm_headroom *headroom,
                                                  enum pm_limit_kind kind);

/**
 * Compares the memory limit of the cgroup (PM_LIMIT_CGROUP) with the memory and swap of the machine
 * (PM_LIMIT_SYSTEM), and returns the limit with less headroom.
 *
 * @param headroom  the limits
 * @return          the limit; if `headroom` has only one of the two, that one; NULL if it has
 *                  neither
 */
PM_PUBLIC const struct pm_limit *pm_headroom_memory(const struct pm_headroom *headroom);

/**
 * Returns the name of a kind, as in JSON, such as "cgroup" or "address_space".
 *
 * @param kind  the kind
 * @return      a constant text
 */
PM_PUBLIC const char *pm_limit_name(enum pm_limit_kind kind);

#ifdef __cplusplus
}
#endif

#endif
