/* SPDX-License-Identifier: MIT */
/**
 * @file
 * How much a process may still grow: every limit that it can run into, and how much of each is
 * used.
 */
#ifndef PROCMEM_HEADROOM_H
#define PROCMEM_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/process.h>
#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is limited. */
enum pm_limit_kind {
	PM_LIMIT_CGROUP,      /**< memory of a cgroup: above it the kernel kills (memory.max,
	                         memory.limit_in_bytes) */
	PM_LIMIT_CGROUP_HIGH, /**< memory of a cgroup: above it the kernel slows its processes down
	                         (memory.high) */
	PM_LIMIT_SYSTEM,      /**< memory and swap of the machine */
	PM_LIMIT_ADDRESS_SPACE, /**< RLIMIT_AS against VmSize */
	PM_LIMIT_DATA,          /**< RLIMIT_DATA against VmData */
	PM_LIMIT_STACK,         /**< RLIMIT_STACK against the first thread's stack */
	PM_LIMIT_MAPPINGS,      /**< vm.max_map_count against the number of regions */
	PM_LIMIT_PIDS,          /**< processes and threads of a cgroup (pids.max) */
	PM_LIMIT_THREADS,       /**< threads of the machine (kernel.threads-max) */
	PM_LIMIT_KINDS,         /**< number of kinds, for tables */
};

/** Bytes of pm_limit.source. */
#define PM_LIMIT_SOURCE_SIZE 1200

/** One limit. In bytes, or in things where `counts` is set. */
struct pm_limit {
	enum pm_limit_kind kind; /**< what is limited */
	bool counts;             /**< it counts things, not bytes */
	uint64_t max;            /**< the limit */
	uint64_t used;           /**< what is used of it */
	uint64_t reclaimable; /**< part of that which the kernel takes back when it is needed: page
	                         cache that nobody used lately */
	char source[PM_LIMIT_SOURCE_SIZE]; /**< where it stands: a file, or the name of a resource
	                                      limit */
};

/**
 * What is left of a limit.
 * @param limit the limit
 * @return its unit; 0 where it is exceeded
 */
static inline uint64_t pm_limit_left(const struct pm_limit *limit)
{
	uint64_t used = limit->used > limit->reclaimable ? limit->used - limit->reclaimable : 0;
	return limit->max > used ? limit->max - used : 0;
}

/** How often the kernel had to act, since the process's cgroup exists. */
struct pm_limit_events {
	bool known;        /**< the kernel counts them */
	uint64_t high;     /**< v2: memory.high was exceeded */
	uint64_t max;      /**< the limit was reached (v1: memory.failcnt) */
	uint64_t oom;      /**< v2: the limit was reached and nothing could be taken back */
	uint64_t oom_kill; /**< processes killed */
};

/**
 * How long tasks waited for memory (PSI, Documentation/accounting/psi.rst), in the cgroup where it
 * has that, else in the machine.
 */
struct pm_pressure {
	bool known;    /**< the kernel tells */
	double some10; /**< percent of the last 10 s in which some task waited */
	double full10; /**< percent in which all did */
	double some60; /**< the same for 60 s */
	double full60; /**< the same for 60 s */
};

/** All limits that apply. */
struct pm_headroom {
	struct pm_limit limits[PM_LIMIT_KINDS]; /**< in the order of enum pm_limit_kind */
	size_t count;                           /**< how many apply */
	int cgroup_version;                     /**< 1 or 2; 0: no memory cgroup is seen */
	struct pm_limit_events events;          /**< of the process's own group */
	struct pm_pressure pressure;            /**< waiting for memory */
};

/**
 * Reads all limits. What this kernel or our rights do not show is left out.
 *
 * @param process   the process
 * @param sys_root  directory that stands for /sys; NULL means "/sys"
 * @param headroom  filled
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
PM_PUBLIC int pm_headroom_read(struct pm_process *process, const char *sys_root,
                               struct pm_headroom *headroom, struct pm_error *error);

/**
 * Reads only what bounds memory: cgroup and machine, events and pressure, and resource limits. For
 * callers that ask again and again: all limits cost a look at all regions.
 *
 * @param process   the process
 * @param sys_root  directory that stands for /sys; NULL means "/sys"
 * @param headroom  filled
 * @param error     as pm_headroom_read()
 * @return          0 or -1
 */
PM_PUBLIC int pm_headroom_read_memory(struct pm_process *process, const char *sys_root,
                                      struct pm_headroom *headroom, struct pm_error *error);

/**
 * Adds the limits on numbers of things, of regions, processes and threads, to what
 * pm_headroom_read_memory() read: for callers that know the regions. Those that are there already
 * are read anew.
 *
 * @param process   the process
 * @param sys_root  directory that stands for /sys; NULL means "/sys"
 * @param regions   its regions
 * @param headroom  as read; gets the limits
 * @param error     as pm_headroom_read()
 * @return          0 or -1
 */
PM_PUBLIC int pm_headroom_add_counts(struct pm_process *process, const char *sys_root,
                                     const struct pm_regions *regions, struct pm_headroom *headroom,
                                     struct pm_error *error);

/**
 * The limit of a kind.
 * @param headroom as read
 * @param kind which
 * @return the limit, or NULL where none applies
 */
PM_PUBLIC const struct pm_limit *pm_headroom_find(const struct pm_headroom *headroom,
                                                  enum pm_limit_kind kind);

/**
 * The memory limit that is the first to kill: the cgroup's, else the machine's.
 *
 * @param headroom  as read
 * @return          the limit, or NULL where neither is known
 */
PM_PUBLIC const struct pm_limit *pm_headroom_memory(const struct pm_headroom *headroom);

/**
 * Word for a kind, as in JSON: "cgroup", "address_space".
 * @param kind which
 * @return a constant text
 */
PM_PUBLIC const char *pm_limit_name(enum pm_limit_kind kind);

#ifdef __cplusplus
}
#endif

#endif
