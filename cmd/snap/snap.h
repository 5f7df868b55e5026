/* SPDX-License-Identifier: MIT */
/** @file One sample with all sizes of smaps, put into a recording; and which samples one has. */
#ifndef CMD_SNAP_SNAP_H
#define CMD_SNAP_SNAP_H

#include <procmem/recording.h>
#include <procmem/sample.h>

#include "base/out.h"
#include "cli/command.h"
#include "cli/options.h"

/** A sample that was written. */
struct snap {
	struct pm_process_id run;   /**< the process */
	struct pm_sampler *sampler; /**< whose sample it is */
	struct pm_sample sample;    /**< the sample */
	uint64_t number;            /**< which it became in the recording */
};

/**
 * Takes a sample and writes it.
 *
 * @param snap     filled; release with snap_deinit()
 * @param process  the process
 * @param file     the recording; one of the same process gets a further sample
 * @param error    any
 * @return         0 or -1
 */
int snap_take(struct snap *snap, struct pm_process *process, const char *file,
              struct pm_error *error);

/**
 * Releases it.
 * @param snap as filled, or zeroed
 */
void snap_deinit(struct snap *snap);

/**
 * Runs `procmem snap`.
 * @see command.run
 */
enum status snap_run(struct out *out, int argc, char **argv);

/** The command line of `procmem snap`. */
extern const struct cli_spec snap_spec;

#endif
