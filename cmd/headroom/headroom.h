/* SPDX-License-Identifier: MIT */
/** @file The options and results of `procmem headroom`. Private to the command. */
#ifndef CMD_HEADROOM_HEADROOM_H
#define CMD_HEADROOM_HEADROOM_H

#include <procmem/headroom.h>
#include <procmem/members.h>
#include <procmem/region.h>
#include <procmem/sample.h>
#include <procmem/trend.h>

#include "cli/command.h"
#include "cli/options.h"
#include "view/json.h"

/** The parsed options of `procmem headroom`. */
struct headroom_options {
	double seconds;        /**< duration of --for in seconds; 0 if --for was not given */
	const char *recording; /**< file of --from; NULL if not given */
	bool min_given;        /**< --min was given */
	uint64_t min_bytes;    /**< minimum amount of memory that must be left, in bytes */
	/** Minimum as a percentage of the memory limit. If it is 0, `min_bytes` is used instead. */
	double min_percent;
	struct output_options output;
};

/** How the limited quantities changed over time. */
struct headroom_rates {
	bool known;                /**< rates were measured */
	struct pm_series memory;   /**< resident and swapped bytes */
	struct pm_series size;     /**< bytes of address space */
	struct pm_series mappings; /**< number of regions; empty if a recording was read */
	struct pm_series threads;  /**< number of threads */
};

/** The results of a run of `procmem headroom`. */
struct headroom_report {
	const struct headroom_options *options;
	struct pm_headroom headroom;
	struct pm_members members; /**< processes that share the limit of the cgroup */
	struct pm_totals totals;
	const char *comm;                /**< command name */
	char *command;                   /**< command line; owned by the caller of the output */
	pid_t pid;                       /**< PID */
	uint64_t weights[PM_KIND_COUNT]; /**< number of resident and swapped bytes of each kind */
	size_t counts[PM_KIND_COUNT];    /**< number of regions of each kind */
	const struct headroom_rates *rates;
};

/**
 * Runs `procmem headroom`.
 * @see command.run
 */
enum status headroom_run(struct out *out, int argc, char **argv);

/** The command line of `procmem headroom`. */
extern const struct cli_spec headroom_spec;

#endif
