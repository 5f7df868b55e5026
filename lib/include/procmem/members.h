/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The processes that share the memory limit of a process, and the page cache that is charged to
 * their cgroup.
 */
#ifndef PROCMEM_MEMBERS_H
#define PROCMEM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Maximum number of processes that are read. Further processes are only counted, in
 * pm_members.others.
 */
#define PM_MEMBERS_MAX 2000

/**
 * A process. The sizes are those of proc_pid_status(5), in bytes. Memory that several processes
 * share is counted for each of these processes.
 */
struct pm_member {
	pid_t pid;               /**< process ID */
	uint64_t rss;            /**< VmRSS */
	uint64_t swap;           /**< VmSwap */
	uint64_t anon;           /**< RssAnon: part of `rss` that no file backs */
	uint64_t shmem;          /**< RssShmem: part of `rss` in tmpfs and shared memory */
	char comm[PM_COMM_SIZE]; /**< command name, any bytes but NUL */
};

/** The processes of a cgroup and of all its descendants. */
struct pm_members {
	/**
	 * The cgroup, as a path below the mount point; owned. "/" is the root cgroup. NULL if
	 * neither the cgroup of the process nor an ancestor has a limit.
	 */
	char *group;
	struct pm_member *items; /**< the processes, by descending sum of RSS and swap; owned */
	size_t count;            /**< number of processes */
	/**
	 * Number of processes that were not read, because there are more than PM_MEMBERS_MAX
	 * processes, or because these processes belong to another PID namespace
	 */
	size_t others;
	/**
	 * True if the processes of some cgroups are missing: there are too many cgroups, or these
	 * cgroups are nested too deeply, or they are not accessible
	 */
	bool incomplete;
	uint64_t cache; /**< bytes of page cache charged to the cgroup, including `shmem` */
	/**
	 * Shared memory and files in tmpfs, in bytes: a part of `cache`. The kernel cannot reclaim
	 * this part without swap. 0 if the kernel does not report it (cgroup v1 before Linux 4.12)
	 */
	uint64_t shmem;
	/**
	 * Part of `cache` that was not used recently (inactive_file). The kernel reclaims this part
	 * first.
	 */
	uint64_t reclaimable;
	/**
	 * Memory of the kernel that is charged to the cgroup, with the buffers of sockets, in
	 * bytes; 0 if the kernel does not report it
	 */
	uint64_t kernel;
};

/**
 * Reads the processes that share the tightest memory limit of a process. This is the limit with the
 * least memory left, among the limits of the cgroup of the process and of all ancestors of this
 * cgroup. pm_headroom_read() returns it as the first PM_LIMIT_CGROUP. The processes in the cgroup
 * that has this limit, and in the descendants of this cgroup, are read. If there is no limit, no
 * processes are read.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param members   receives the processes; release them with pm_members_deinit()
 * @param error     PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES. Other processes of the cgroup
 *                  may end during the call; they are left out
 * @return          0 or -1
 */
PM_PUBLIC int pm_members_read(struct pm_process *process, const char *sys_root,
                              struct pm_members *members, struct pm_error *error);

/** Which cgroup the processes of pm_member_pids_read() share. */
enum pm_members_of {
	PM_MEMBERS_OF_LIMIT,  /**< the cgroup with the tightest limit, as for pm_members_read() */
	PM_MEMBERS_OF_CGROUP, /**< the cgroup of the process, whether or not it has a limit */
};

/** Maximum number of process IDs that pm_member_pids_read() lists. */
#define PM_MEMBER_PIDS_MAX 8192

/** The IDs of the processes of a cgroup and of all its descendants. */
struct pm_member_pids {
	char *group;     /**< as pm_members.group; owned */
	pid_t *items;    /**< the process IDs, in no particular order; owned */
	size_t count;    /**< number of IDs, at most PM_MEMBER_PIDS_MAX */
	size_t others;   /**< number of processes that belong to another PID namespace */
	size_t beyond;   /**< number of further processes that are not in the list */
	bool incomplete; /**< as pm_members.incomplete */
};

/**
 * Lists the processes of a cgroup without reading their sizes. This costs some system calls for
 * each cgroup, and none for each process.
 *
 * @param process   the process
 * @param sys_root  directory that replaces /sys; NULL means "/sys"
 * @param of        which cgroup
 * @param pids      receives the IDs; release with pm_member_pids_deinit(). All zeros if there is no
 *                  such cgroup
 * @param error     as for pm_members_read()
 * @return          0 or -1
 */
PM_PUBLIC int pm_member_pids_read(struct pm_process *process, const char *sys_root,
                                  enum pm_members_of of, struct pm_member_pids *pids,
                                  struct pm_error *error);

/**
 * Releases a list of process IDs.
 * @param pids  filled by pm_member_pids_read(), or zeroed
 */
PM_PUBLIC void pm_member_pids_deinit(struct pm_member_pids *pids);

/**
 * Releases the members.
 * @param members  filled by pm_members_read(), or zeroed
 */
PM_PUBLIC void pm_members_deinit(struct pm_members *members);

#ifdef __cplusplus
}
#endif

#endif
