/* SPDX-License-Identifier: MIT */
/** @file The options and results of `procmem cgroup`. Private to the command. */
#ifndef CMD_CGROUP_CGROUP_H
#define CMD_CGROUP_CGROUP_H

#include <procmem/cgroup_levels.h>
#include <procmem/shared_objects.h>
#include <procmem/tmpfs_rows.h>

#include "cgroup/rates.h"
#include "cli/command.h"
#include "cli/options.h"

/** The parsed options of `procmem cgroup`. */
struct cgroup_options {
	double seconds; /**< how long the cgroup is watched, in seconds; 0: not at all */
	uint64_t top;   /**< maximum number of rows of each list; 0: the default */
	struct output_options output;
};

/** The files in tmpfs that a process of the cgroup sees. */
struct cgroup_files {
	pid_t pid;                        /**< the process; 0 if none could be opened */
	char comm[PM_COMM_SIZE];          /**< its command name */
	bool known;                       /**< `tmpfs` and `rows` were read */
	bool earlier_known;               /**< `earlier` was read */
	struct pm_tmpfs earlier;          /**< the files at the start of --for */
	struct pm_tmpfs tmpfs;            /**< the files now */
	struct pm_tmpfs_rows rows;        /**< the directories that matter */
	struct pm_shared_objects objects; /**< shared memory without a path, and users of files */
	bool objects_known;               /**< `objects` was read */
	struct pm_shared_objects earlier_objects; /**< `objects` at the start of --for */
	double objects_seconds; /**< time between `earlier_objects` and `objects` */
	struct pm_error error;  /**< why `known` is false */
};

/** The results of a run of `procmem cgroup`. */
struct cgroup_report {
	const struct cgroup_options *options;
	struct pm_cgroup_levels levels; /**< the cgroup first */
	struct pm_members *members;     /**< processes of each level; owned */
	struct cgroup_rates rates;      /**< what each part does over time */
	struct cgroup_files files;      /**< files in tmpfs */
	struct pm_process *process;     /**< the TARGET; NULL for a PATH; borrowed */
	unsigned cpus;                  /**< number of CPUs, which bounds the lag of statistics */
};

/** Number of rows of a list without --top. */
enum { CGROUP_ROWS = 6 };

/**
 * Returns the maximum number of rows of a list.
 * @param options  the options
 */
size_t cgroup_rows_max(const struct cgroup_options *options);

/**
 * Returns how much the sum of the parts of a level may differ from its usage, because the kernel
 * charges pages and counts statistics in batches for each CPU: 1 %, or 256 KiB for each CPU.
 *
 * @param report  the report
 * @param level   the level
 * @return        bytes
 */
uint64_t cgroup_tolerance(const struct cgroup_report *report, const struct pm_cgroup_level *level);

/**
 * Runs `procmem cgroup`.
 * @see command.run
 */
enum status cgroup_run(struct out *out, int argc, char **argv);

/** The command line of `procmem cgroup`. */
extern const struct cli_spec cgroup_spec;

#endif
