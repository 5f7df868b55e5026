/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Utilisation, saturation and errors of memory: of a process, of each cgroup above it, of the
 * machine and of each NUMA node.
 *
 * One reading has sizes, which are valid alone, and counters, which mean something only as the
 * difference of two readings: pm_pressure_compare() computes it. A value that the kernel does not
 * report is not known, never 0.
 *
 * `struct pm_pressure` in <procmem/headroom.h> has only the averages of PSI.
 */
#ifndef PROCMEM_PRESSURE_H
#define PROCMEM_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/headroom.h>
#include <procmem/process.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a level is. */
enum pm_pressure_scope {
	PM_PRESSURE_PROCESS, /**< the target */
	PM_PRESSURE_CGROUP,  /**< a memory cgroup; never the root cgroup of the machine */
	PM_PRESSURE_HOST,    /**< the machine */
	PM_PRESSURE_NODE,    /**< a NUMA node */
	PM_PRESSURE_SCOPES,  /**< number of scopes */
};

/** The part of the report to which a field belongs. */
enum pm_pressure_part {
	PM_PRESSURE_UTILISATION,
	PM_PRESSURE_SATURATION,
	PM_PRESSURE_ERRORS,
	PM_PRESSURE_PARTS, /**< number of parts */
};

/** The unit of a field. */
enum pm_pressure_unit {
	PM_PRESSURE_BYTES,
	PM_PRESSURE_COUNT,
	PM_PRESSURE_CENTIPERCENT, /**< hundredths of a percent */
	PM_PRESSURE_MICROSECONDS,
	PM_PRESSURE_SIGNED, /**< a number with a sign; the value is that of an int64_t */
	PM_PRESSURE_FLAG,   /**< 0 or 1 */
};

/**
 * The fields. Behind each: the levels that have it, and its source: status, stat and limits of
 * /proc/PID (proc(5)), the files of a cgroup (Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/memory.rst), /proc/meminfo, /proc/vmstat, /proc/pressure/memory
 * (Documentation/accounting/psi.rst), and meminfo and numastat of the nodes in
 * /sys/devices/system/node.
 */
enum pm_pressure_field {
	/* Utilisation. */
	PM_PRESSURE_USED,        /**< cgroup: usage; host: MemTotal - MemAvailable; node: MemUsed */
	PM_PRESSURE_MAX,         /**< cgroup: limit, if there is one; host, node: MemTotal */
	PM_PRESSURE_HIGH,        /**< cgroup v2: memory.high, if it is set */
	PM_PRESSURE_PEAK,        /**< cgroup: memory.peak, memory.max_usage_in_bytes */
	PM_PRESSURE_RECLAIMABLE, /**< cgroup: active_file + inactive_file */
	PM_PRESSURE_AVAILABLE,   /**< host: MemAvailable */
	PM_PRESSURE_FREE,        /**< node: MemFree */
	PM_PRESSURE_GROUP_USED, /**< node: memory of the target's cgroup on it (memory.numa_stat) */
	PM_PRESSURE_RSS,        /**< process: VmRSS */
	PM_PRESSURE_ANON,       /**< process: RssAnon; cgroup: anon, total_rss */
	PM_PRESSURE_FILE,       /**< process: RssFile; cgroup: file, total_cache */
	PM_PRESSURE_SHMEM,      /**< process: RssShmem; cgroup: shmem, total_shmem */
	PM_PRESSURE_SWAP,     /**< process: VmSwap; cgroup: swap used; host: SwapTotal - SwapFree */
	PM_PRESSURE_SWAP_MAX, /**< cgroup v2: memory.swap.max, if it is set; host: SwapTotal */
	PM_PRESSURE_MEMSW,    /**< cgroup v1: memory.memsw.usage_in_bytes */
	PM_PRESSURE_MEMSW_MAX,   /**< cgroup v1: memory.memsw.limit_in_bytes, if it is set */
	PM_PRESSURE_ZSWAP,       /**< cgroup v2: memory.zswap.current */
	PM_PRESSURE_ZSWAP_MAX,   /**< cgroup v2: memory.zswap.max, if it is set */
	PM_PRESSURE_PAGE_TABLES, /**< process: VmPTE; cgroup v2: pagetables; host, node: PageTables
	                          */
	PM_PRESSURE_HUGETLB,     /**< process: HugetlbPages */
	PM_PRESSURE_KERNEL,      /**< cgroup v2: kernel (5.18) */
	PM_PRESSURE_SLAB,        /**< cgroup v2: slab; host, node: SUnreclaim */
	PM_PRESSURE_SOCK,        /**< cgroup v2: sock */
	PM_PRESSURE_COMMITTED,   /**< host: Committed_AS */
	PM_PRESSURE_COMMIT_MAX,  /**< host: CommitLimit, if vm.overcommit_memory is 2 */
	PM_PRESSURE_HUGE_TOTAL,  /**< host, node: HugePages_Total, in pages */
	PM_PRESSURE_HUGE_FREE,   /**< host, node: HugePages_Free, in pages */
	PM_PRESSURE_ADDRESSES,   /**< process: VmSize */
	PM_PRESSURE_ADDRESSES_MAX, /**< process: RLIMIT_AS, if it is set */

	PM_PRESSURE_MAPPINGS, /**< process: number of regions; more than 4096 are counted only in
	                         the first reading */
	PM_PRESSURE_MAPPINGS_MAX, /**< process: vm.max_map_count */

	/* Saturation. Counters, except the averages. */
	PM_PRESSURE_STALL_SOME,   /**< cgroup, host: PSI, total of `some` */
	PM_PRESSURE_STALL_FULL,   /**< cgroup, host: PSI, total of `full` */
	PM_PRESSURE_SOME_AVG10,   /**< cgroup, host: PSI, average of the last 10 s */
	PM_PRESSURE_FULL_AVG10,   /**< cgroup, host: PSI, average of the last 10 s */
	PM_PRESSURE_SOME_AVG60,   /**< cgroup, host: PSI, average of the last 60 s */
	PM_PRESSURE_FULL_AVG60,   /**< cgroup, host: PSI, average of the last 60 s */
	PM_PRESSURE_MAX_HITS,     /**< cgroup: max of memory.events, memory.failcnt */
	PM_PRESSURE_HIGH_HITS,    /**< cgroup v2: high of memory.events */
	PM_PRESSURE_LOW_HITS,     /**< cgroup v2: low of memory.events */
	PM_PRESSURE_SWAP_HITS,    /**< cgroup v2: max of memory.swap.events */
	PM_PRESSURE_SWAP_FAILS,   /**< cgroup v2: fail of memory.swap.events */
	PM_PRESSURE_SCAN_DIRECT,  /**< cgroup v2, host: pgscan_direct */
	PM_PRESSURE_STEAL_DIRECT, /**< cgroup v2, host: pgsteal_direct */
	PM_PRESSURE_SCAN_KSWAPD,  /**< cgroup v2, host: pgscan_kswapd; alone it is normal */
	PM_PRESSURE_STALLS,       /**< host: sum of allocstall_* */
	PM_PRESSURE_THROTTLED,    /**< host: pgscan_direct_throttle */
	PM_PRESSURE_REFAULT_ANON, /**< cgroup, host: workingset_refault_anon (5.9) */
	PM_PRESSURE_REFAULT_FILE, /**< cgroup, host: workingset_refault_file, or before 5.9 _refault
	                           */
	PM_PRESSURE_RESTORE_ANON, /**< cgroup v2, host: workingset_restore_anon */
	PM_PRESSURE_RESTORE_FILE, /**< cgroup v2, host: workingset_restore_file */
	PM_PRESSURE_SWAP_IN,      /**< host, cgroup v2 of new kernels: pswpin, in pages */
	PM_PRESSURE_SWAP_OUT,     /**< host, cgroup v2 of new kernels: pswpout, in pages */
	PM_PRESSURE_MAJOR_FAULTS, /**< process: majflt; cgroup, host: pgmajfault */
	PM_PRESSURE_MINOR_FAULTS, /**< process: minflt */
	PM_PRESSURE_BLOCK_DELAY,  /**< process: delayacct_blkio_ticks, if vm.task_delayacct is on */
	PM_PRESSURE_COMPACT_STALL, /**< host: compact_stall */
	PM_PRESSURE_COMPACT_FAIL,  /**< host: compact_fail */
	PM_PRESSURE_THP_FALLBACK,  /**< host: thp_fault_fallback */
	PM_PRESSURE_NUMA_MISS,     /**< node: numa_miss */
	PM_PRESSURE_NUMA_FOREIGN,  /**< node: numa_foreign */
	PM_PRESSURE_NUMA_MIGRATED, /**< host: numa_pages_migrated */

	/* Errors. Counters, except the last five. */
	PM_PRESSURE_OOM_KILL,      /**< cgroup, host: oom_kill; cgroup v1: without cgroups below */
	PM_PRESSURE_OOM,           /**< cgroup v2: oom of memory.events */
	PM_PRESSURE_GROUP_KILL,    /**< cgroup v2: oom_group_kill of memory.events (5.17) */
	PM_PRESSURE_LOCAL_KILL,    /**< cgroup v2: oom_kill of memory.events.local */
	PM_PRESSURE_LOCAL_OOM,     /**< cgroup v2: oom of memory.events.local */
	PM_PRESSURE_CORRECTED,     /**< host: corrected errors of memory (edac) */
	PM_PRESSURE_UNCORRECTED,   /**< host: uncorrected errors of memory (edac) */
	PM_PRESSURE_UNDER_OOM,     /**< cgroup v1: under_oom: processes wait for memory now */
	PM_PRESSURE_CORRUPTED,     /**< host: HardwareCorrupted */
	PM_PRESSURE_KILLED,        /**< process: SIGKILL is pending */
	PM_PRESSURE_OOM_SCORE,     /**< process: oom_score */
	PM_PRESSURE_OOM_SCORE_ADJ, /**< process: oom_score_adj, -1000 to 1000 */

	PM_PRESSURE_FIELDS, /**< number of fields */
};

/** What a field is. */
struct pm_pressure_field_info {
	const char *name;           /**< name as in JSON, such as "major_faults" */
	enum pm_pressure_part part; /**< part of the report */
	enum pm_pressure_unit unit; /**< unit of the value */
	bool counter; /**< whether it only grows, so that only its rise has a meaning */
};

/** Size of pm_pressure_level.name in bytes, including the NUL. */
#define PM_PRESSURE_NAME_SIZE 1024

/** The values of one level at one moment. */
struct pm_pressure_level {
	enum pm_pressure_scope scope; /**< what the level is */
	/**
	 * Name: of the process, the command name, which may contain any byte but NUL; of a cgroup,
	 * its path below the mount point, or "..." and the end of the path; "host"; "node0"
	 */
	char name[PM_PRESSURE_NAME_SIZE];
	bool known[PM_PRESSURE_FIELDS];      /**< whether the kernel reports a value */
	uint64_t values[PM_PRESSURE_FIELDS]; /**< the values; 0 if not known */
};

/** Largest numbers of cgroups above a process, of cgroups without a process, and of NUMA nodes. */
enum {
	PM_PRESSURE_DEPTH_MAX = 32,
	PM_PRESSURE_TOP_MAX = 32,
	PM_PRESSURE_NODES_MAX = 64,
};

/** All levels at one moment. */
struct pm_pressure_reading {
	uint64_t time_ns; /**< CLOCK_MONOTONIC */
	/**
	 * The levels: the process, its cgroups from the innermost one on, the host, the nodes.
	 * Without a process: the host, the nodes, and the cgroups directly below the root. Owned.
	 */
	struct pm_pressure_level *levels;
	size_t count;    /**< number of levels */
	size_t left_out; /**< number of cgroups and nodes above the largest numbers */
	bool gone;       /**< the process has ended: its level is missing */
	/** The cgroups are those directly below the root: each represents all cgroups below it */
	bool top;
};

/** What pm_pressure_read() reads; opaque. Only one thread at a time may use it. */
struct pm_pressure_source;

/**
 * Finds the cgroups of a process. They remain the same for all readings, also when the process has
 * ended.
 *
 * @param process    the process, which must outlive the source; NULL to read only the host, the
 *                   nodes and the cgroups directly below the root
 * @param proc_root  directory that replaces /proc; NULL means that of the process, or "/proc"
 * @param sys_root   directory that replaces /sys; NULL means "/sys"
 * @param source     receives the source; release it with pm_pressure_close()
 * @param error      PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return           0 or -1
 */
PM_PUBLIC int pm_pressure_open(struct pm_process *process, const char *proc_root,
                               const char *sys_root, struct pm_pressure_source **source,
                               struct pm_error *error);

/**
 * Releases a source.
 * @param source  the source, or NULL
 */
PM_PUBLIC void pm_pressure_close(struct pm_pressure_source *source);

/**
 * Returns which cgroups of the process are visible.
 * @param source  the source
 * @return        the view; PM_CGROUP_VISIBLE without a process
 */
PM_PUBLIC enum pm_cgroup_view pm_pressure_view(const struct pm_pressure_source *source);

/**
 * Reads all levels. A process that has ended is not an error: see pm_pressure_reading.gone.
 *
 * @param source   the source
 * @param reading  receives the levels; release it with pm_pressure_deinit()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_pressure_read(struct pm_pressure_source *source,
                               struct pm_pressure_reading *reading, struct pm_error *error);

/**
 * Releases a reading.
 * @param reading  the reading; zeroed afterwards
 */
PM_PUBLIC void pm_pressure_deinit(struct pm_pressure_reading *reading);

/** By how much the counters of one level have risen. */
struct pm_pressure_rise {
	bool known[PM_PRESSURE_FIELDS];     /**< whether both readings have the counter */
	uint64_t rises[PM_PRESSURE_FIELDS]; /**< the rise; 0 if not known */
};

/** The difference of two readings. */
struct pm_pressure_change {
	double seconds; /**< time between the readings; 0 if there is no earlier one */
	/** For each level of the later reading, at the same index. Owned. */
	struct pm_pressure_rise *rises;
};

/**
 * Compares two readings of one source. The rise of a counter that has fallen, as that of a cgroup
 * that was removed and created again, is not known.
 *
 * @param before  the earlier reading; NULL if there is none: then no rise is known
 * @param after   the later reading
 * @param change  receives the difference; release it with pm_pressure_change_deinit()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_pressure_compare(const struct pm_pressure_reading *before,
                                  const struct pm_pressure_reading *after,
                                  struct pm_pressure_change *change, struct pm_error *error);

/**
 * Releases a difference.
 * @param change  the difference; zeroed afterwards
 */
PM_PUBLIC void pm_pressure_change_deinit(struct pm_pressure_change *change);

/**
 * Returns what a field is.
 * @param field  the field
 * @return       constant; NULL if there is no such field
 */
PM_PUBLIC const struct pm_pressure_field_info *pm_pressure_field_of(enum pm_pressure_field field);

#ifdef __cplusplus
}
#endif

#endif
