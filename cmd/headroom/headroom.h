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
 * Measures the rates.
 *
 * @param rates    filled; release with headroom_rates_deinit()
 * @param process  the process
 * @param options  for how long, or which recording
 * @param error    what went wrong
 * @return         0 or -1
 */
int headroom_rates_measure(struct headroom_rates *rates, struct pm_process *process,
                           const struct headroom_options *options, struct pm_error *error);

/**
 * Releases rates.
 * @param rates as measured, or zeroed
 */
void headroom_rates_deinit(struct headroom_rates *rates);

/**
 * How long a limit lasts at the rate that was seen.
 *
 * @param rates    the rates
 * @param limit    the limit
 * @param trend    where to store what was seen of what it bounds
 * @param seconds  where to store how long it lasts
 * @return         true where that grows steadily
 */
bool headroom_lasts(const struct headroom_rates *rates, const struct pm_limit *limit,
                    struct pm_trend *trend, double *seconds);

/**
 * Prints who shares the cgroup's limit.
 * @param report it
 * @param out where to
 */
void headroom_print_members(const struct headroom_report *report, struct out *out);

/**
 * Writes that as an object.
 * @param report it
 * @param json the object that it goes into
 */
void headroom_put_members(const struct headroom_report *report, struct json *json);

/**
 * Prints it.
 * @param report it
 * @param out where to
 */
void headroom_print(const struct headroom_report *report, struct out *out);

/**
 * Prints it as JSON.
 * @param report it
 * @param out where to
 */
void headroom_print_json(const struct headroom_report *report, struct out *out);

/**
 * Runs `procmem headroom`.
 * @see command.run
 */
enum status headroom_run(struct out *out, int argc, char **argv);

/** The command line of `procmem headroom`. */
extern const struct cli_spec headroom_spec;

#endif
