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
#include "headroom/rates.h"
#include "target/forecast.h"
#include "view/json.h"

/** The parsed options of `procmem headroom`. */
struct headroom_options {
	struct headroom_source source; /**< what is measured */
	bool follow;                   /**< --follow was given */
	bool min_given;                /**< --min was given */
	uint64_t min_bytes;            /**< minimum amount of memory that must be left, in bytes */
	/** Minimum as a percentage of the memory limit. If it is 0, `min_bytes` is used instead. */
	double min_percent;
	struct output_options output;
};

/** The results of a run of `procmem headroom`. */
struct headroom_report {
	const struct headroom_options *options;
	struct pm_headroom headroom;
	struct pm_members members; /**< processes that share the limit of the cgroup */
	struct pm_totals totals;
	const struct pm_process_info *info; /**< PID, command name and user */
	char *command;                   /**< command line, owned; empty if the process has none */
	uint64_t weights[PM_KIND_COUNT]; /**< number of resident and swapped bytes of each kind */
	uint64_t swapped[PM_KIND_COUNT]; /**< the swapped bytes in `weights` */
	size_t counts[PM_KIND_COUNT];    /**< number of regions of each kind */
	const struct headroom_rates *rates; /**< never NULL */
	/** Forecasts of the elements of `headroom.limits`, at the same indices. */
	struct forecast forecasts[PM_LIMITS_MAX];
};

/**
 * Runs `procmem headroom`.
 * @see command.run
 */
enum status headroom_run(struct out *out, int argc, char **argv);

/** The command line of `procmem headroom`. */
extern const struct cli_spec headroom_spec;

#endif
