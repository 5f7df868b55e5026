/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The OOM kills in the log of the kernel: who was killed, why, and in which cgroup.
 *
 * The kernel writes two records for a kill (mm/oom_kill.c): `oom-kill:constraint=...`, which has
 * the cgroups, since Linux 5.0, and `Killed process PID (NAME) total-vm:...`. The first one is not
 * written if there are very many kills. Records that a program has written to the log are ignored.
 */
#ifndef PROCMEM_OOM_LOG_H
#define PROCMEM_OOM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <procmem/error.h>
#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What was exhausted. */
enum pm_oom_constraint {
	PM_OOM_UNKNOWN,
	PM_OOM_MEMCG,  /**< the limit of a cgroup */
	PM_OOM_GLOBAL, /**< the memory of the machine */
	PM_OOM_CPUSET, /**< the NUMA nodes of a cpuset */
	PM_OOM_POLICY, /**< the NUMA nodes of a memory policy (set_mempolicy(2)) */
};

/** Size of a path of a cgroup, including the NUL. A record of the log has less than 1 KiB. */
#define PM_OOM_GROUP_SIZE 1024

/** A kill. */
struct pm_oom_kill {
	uint64_t time_us;   /**< time of the record: microseconds since boot (local_clock()) */
	bool age_known;     /**< whether `seconds_ago` is known: not in a saved log */
	double seconds_ago; /**< about the age; time in which the machine slept does not count */
	pid_t pid;          /**< PID in the first PID namespace */
	char comm[PM_COMM_SIZE];           /**< command name; may contain any byte but NUL */
	enum pm_oom_constraint constraint; /**< what was exhausted */
	/** Path of the cgroup of the process, from the root cgroup on; "" if not known */
	char group[PM_OOM_GROUP_SIZE];
	/** Path of the cgroup whose limit was reached; "" if not known, or if it was another limit
	 */
	char limit_group[PM_OOM_GROUP_SIZE];
	bool sizes_known;   /**< whether the log has the next four sizes */
	uint64_t total_vm;  /**< virtual size in bytes */
	uint64_t anon_rss;  /**< resident anonymous memory in bytes */
	uint64_t file_rss;  /**< resident memory of files in bytes */
	uint64_t shmem_rss; /**< resident shared memory in bytes; 0 before Linux 4.5 */
};

/** Maximum number of kills that are kept: the newest ones. */
#define PM_OOM_KILLS_MAX 64

/** The kills in the log. */
struct pm_oom_log {
	struct pm_oom_kill *kills; /**< the kills, oldest first. Owned */
	size_t count;              /**< number of kills */
	size_t dropped;            /**< number of older kills that were not kept */
	bool complete;             /**< the log goes back to the boot of the machine */
	bool cut;                  /**< the log was longer than what is read */
	double seconds_back;       /**< age of the oldest record; 0 if not known */
};

/**
 * Reads the kills from the log. Does not wait for new records.
 *
 * @param path   a file in the format of /dev/kmsg (Documentation/ABI/testing/dev-kmsg); NULL means
 *               "/dev/kmsg". The ages of the kills of another file are not known
 * @param log    receives the kills; release it with pm_oom_log_deinit()
 * @param error  PM_ERROR_ACCESS, PM_ERROR_NOT_FOUND (in a container), PM_ERROR_FORMAT (not the
 *               log of the kernel: /dev/kmsg must be the device, another file must be a
 *               regular file or this device), PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return       0 or -1
 */
PM_PUBLIC int pm_oom_log_read(const char *path, struct pm_oom_log *log, struct pm_error *error);

/**
 * Releases a log.
 * @param log  the log; zeroed afterwards
 */
PM_PUBLIC void pm_oom_log_deinit(struct pm_oom_log *log);

#ifdef __cplusplus
}
#endif

#endif
