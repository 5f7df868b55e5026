/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The thresholds of pressure on memory: which of them a reading crosses, and on which level.
 */
#ifndef PROCMEM_PRESSURE_SIGNS_H
#define PROCMEM_PRESSURE_SIGNS_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/oom_log.h>
#include <procmem/pressure.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The rules, the gravest first. */
enum pm_pressure_rule {
	/**
	 * Processes were killed between the readings; on the machine, for lack of memory of the
	 * machine. Whether that was the reason is not always known without the log
	 */
	PM_SIGN_OOM_KILL,
	/** The log has a recent kill, and the level has no PM_SIGN_OOM_KILL */
	PM_SIGN_OOM_RECENT,
	PM_SIGN_KILLED,      /**< SIGKILL is pending for the process */
	PM_SIGN_UNDER_OOM,   /**< processes of the cgroup wait for the OOM killer */
	PM_SIGN_UNCORRECTED, /**< uncorrected errors of memory between the readings */
	PM_SIGN_CORRUPTED,   /**< the kernel has taken damaged memory out of use */
	PM_SIGN_SWAP_FAIL,   /**< memory of the cgroup could not be swapped out */
	PM_SIGN_OOMD,        /**< PSI full avg10 is above the limit of systemd-oomd */
	PM_SIGN_FULL,        /**< PSI full avg10 */
	PM_SIGN_STALL,       /**< PSI some, between the readings */
	PM_SIGN_SOME,        /**< PSI some avg60 */
	PM_SIGN_MAX_HITS,    /**< the limit of the cgroup was reached */
	PM_SIGN_HIGH_HITS,   /**< memory.high of the cgroup was exceeded */
	PM_SIGN_DIRECT,      /**< pages scanned by direct reclaim */
	PM_SIGN_SWAPPING,    /**< pages read from swap or written to it */
	/**
	 * Pages in use that were evicted and are needed again (workingset_restore_*); in a cgroup
	 * of v1 with a limit, all refaults
	 */
	PM_SIGN_THRASHING,
	PM_SIGN_MAJOR_FAULTS, /**< major page faults of the process */
	PM_SIGN_BLOCK_DELAY,  /**< the process waited for block devices */
	PM_SIGN_SWAP_USED,    /**< memory and swap are above the limit of systemd-oomd */
	PM_SIGN_USED,         /**< the used part without page cache is close to the limit */
	PM_SIGN_COMMITTED,    /**< Committed_AS is close to CommitLimit */
	PM_SIGN_ADDRESSES,    /**< VmSize is close to RLIMIT_AS */
	PM_SIGN_MAPPINGS,     /**< the number of regions is close to vm.max_map_count */
	PM_SIGN_RULES,        /**< number of rules */
};

/** Kills in the log are recent for this time, in seconds (own choice). */
#define PM_OOM_RECENT_SECONDS 3600

/** Where a threshold comes from. */
enum pm_sign_source {
	PM_SIGN_OWN,       /**< own choice of procmem */
	PM_SIGN_OOMD_CONF, /**< the default of oomd.conf(5) */
	PM_SIGN_USE,       /**< Brendan Gregg's USE method: any value above 0 is saturation */
	PM_SIGN_KERNEL,    /**< the documentation of the kernel says that tasks wait or fail */
};

/** A rule. */
struct pm_sign_info {
	const char *name;           /**< name as in JSON, such as "oom_kill" */
	enum pm_pressure_part part; /**< part of the report */
	double threshold;           /**< a larger value crosses it */
	bool percent;               /**< the value is a percentage */
	bool rate;                  /**< the value is a number per second */
	enum pm_sign_source source; /**< source of the threshold */
};

/** A threshold that is crossed. */
struct pm_sign {
	enum pm_pressure_rule rule; /**< the rule */
	size_t level;               /**< index of the level in the reading */
	double value;               /**< the value */
};

/** The thresholds that are crossed, the gravest first, and then by level. */
struct pm_signs {
	struct pm_sign *items; /**< the signs. Owned */
	size_t count;          /**< number of signs */
};

/**
 * Finds the thresholds that a reading crosses. A rule whose value is not known is not crossed.
 *
 * @param reading  the reading
 * @param change   the difference to an earlier reading
 * @param log      the kills; NULL if the log cannot be read
 * @param paths    whether the names of cgroups in the reading are paths from the root cgroup on, as
 *                 in the log
 * @param signs    receives the signs; release them with pm_signs_deinit()
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
PM_PUBLIC int pm_signs_find(const struct pm_pressure_reading *reading,
                            const struct pm_pressure_change *change, const struct pm_oom_log *log,
                            bool paths, struct pm_signs *signs, struct pm_error *error);

/**
 * Releases signs.
 * @param signs  the signs; zeroed afterwards
 */
PM_PUBLIC void pm_signs_deinit(struct pm_signs *signs);

/**
 * Tests whether a kill in the log is recent.
 * @param kill  the kill
 * @return      false if its age is not known
 */
PM_PUBLIC bool pm_signs_kill_is_recent(const struct pm_oom_kill *kill);

/**
 * Tests whether a kill concerns a level. It concerns the machine if the memory of the machine was
 * exhausted, not if a limit of a cgroup was reached. It concerns a cgroup if it happened in the
 * cgroup or because of its limit. The limit of another cgroup below the same parent does not
 * concern the parent, except without a process: then each cgroup represents all cgroups below it.
 *
 * @param reading  the reading
 * @param level    index of the level
 * @param kill     the kill
 * @param paths    as for pm_signs_find()
 * @return         false if the cgroup of the kill is not known
 */
PM_PUBLIC bool pm_signs_kill_is_of(const struct pm_pressure_reading *reading, size_t level,
                                   const struct pm_oom_kill *kill, bool paths);

/**
 * Returns what a rule is.
 * @param rule  the rule
 * @return      constant; NULL if there is no such rule
 */
PM_PUBLIC const struct pm_sign_info *pm_sign_of(enum pm_pressure_rule rule);

#ifdef __cplusplus
}
#endif

#endif
