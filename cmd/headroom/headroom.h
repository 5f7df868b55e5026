/* SPDX-License-Identifier: MIT */
/** @file What `procmem headroom` found, for those who print it. Private to the command. */
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

/** What the user wants. */
struct headroom_options {
	double seconds;        /**< how long to watch, 0: not */
	const char *recording; /**< file to take the rate from, NULL for none */
	bool min_given;        /**< one of the next two holds */
	uint64_t min_bytes;    /**< least memory that must be left */
	double min_percent; /**< least share of the limit that must be left; 0: `min_bytes` counts
	                     */
	struct output_options output;
};

/** How things that limits bound changed over time. */
struct headroom_rates {
	bool known;                /**< there was time to see */
	struct pm_series memory;   /**< resident and swapped bytes */
	struct pm_series size;     /**< bytes of address space */
	struct pm_series mappings; /**< number of regions; empty where unknown */
	struct pm_series threads;  /**< number of threads */
};

/** All that is told. */
struct headroom_report {
	const struct headroom_options *options;
	struct pm_headroom headroom;
	struct pm_members members; /**< who shares the cgroup's limit */
	struct pm_totals totals;
	const char *comm;                /**< command name */
	pid_t pid;                       /**< PID */
	uint64_t weights[PM_KIND_COUNT]; /**< resident and swapped bytes of each kind */
	size_t counts[PM_KIND_COUNT];    /**< regions of each kind */
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
