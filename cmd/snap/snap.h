/* SPDX-License-Identifier: MIT */
/**
 * @file `procmem snap`: adds one sample with all sizes of smaps to a recording, or lists the
 * samples of a recording.
 */
#ifndef CMD_SNAP_SNAP_H
#define CMD_SNAP_SNAP_H

#include <procmem/histogram.h>
#include <procmem/owner_sums.h>
#include <procmem/process_id.h>
#include <procmem/sample.h>

#include "base/out.h"
#include "cli/cli.h"
#include "cli/command.h"

/** A sample that was added to a recording. */
struct snap {
	struct pm_process_id id;     /**< the process */
	struct pm_sampler *sampler;  /**< the sampler, which owns the regions of `sample`; owned */
	struct pm_sample sample;     /**< the sample */
	uint64_t number;             /**< number of the sample in the recording */
	bool owners_known;           /**< `owners` is set */
	struct pm_owner_sums owners; /**< sums by owner */
	bool chunks_known;           /**< the chunks of malloc were counted */
	struct pm_histogram chunks;  /**< the chunks in use; owned */
};

/**
 * Takes a sample, and adds it to a recording.
 *
 * @param snap     filled; release with snap_deinit()
 * @param process  the process
 * @param heap     the TARGET, to count the chunks of malloc, too; NULL: they are not counted
 * @param file     name of the recording; it is created if it does not exist, else it must be of the
 *                 same process
 * @param error    as pm_sampler_take() and pm_recorder_add()
 * @return         0 or -1
 */
int snap_take(struct snap *snap, struct pm_process *process, const char *heap, const char *file,
              struct pm_error *error);

/**
 * Releases a sample.
 * @param snap as filled by snap_take(), or zeroed
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
