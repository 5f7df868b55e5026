/* SPDX-License-Identifier: MIT */
/** @file The options and results of `procmem stale`. Private to the command. */
#ifndef CMD_STALE_STALE_H
#define CMD_STALE_STALE_H

#include <procmem/process.h>
#include <procmem/stale.h>

#include "cli/command.h"
#include "cli/options.h"
#include "target/group.h"
#include "target/selection.h"

/** The parsed options of `procmem stale`. */
struct stale_options {
	double seconds; /**< --for: duration of the measurement in seconds; 0 if not given */
	bool yes;       /**< --yes: measure a process of any size */
	enum group_by by;
	struct list_options list;
	struct selection selection;
	struct output_options output;
};

/** The results of a run of `procmem stale`. */
struct stale_report {
	const struct stale_options *options;
	struct pm_process *process;  /**< the process; owned by the caller */
	struct pm_stale *stale;      /**< the measurement; owned */
	struct pm_process_info info; /**< the process, before the measurement */
	char *command;               /**< command line; owned */
	struct pm_stale_prediction prediction;
	bool stopped;          /**< a signal or a debugger had stopped the process at a reading */
	bool interrupted;      /**< the user ended the measurement early */
	struct pm_error ended; /**< why the process could not be read to the end; PM_ERROR_NONE if
	                          it could */
	struct pm_stale_result result;
};

/**
 * Runs `procmem stale`.
 * @see command.run
 */
enum status stale_run(struct out *out, int argc, char **argv);

/** The command line of `procmem stale`. */
extern const struct cli_spec stale_spec;

#endif
