/* SPDX-License-Identifier: MIT */
/** @file `procmem snap -l`: the samples of a recording. */
#ifndef CMD_SNAP_LIST_H
#define CMD_SNAP_LIST_H

#include <procmem/error.h>

#include "base/out.h"
#include "cli/options.h"

/**
 * Lists the samples of a recording.
 *
 * @param word     operand of the user, FILE or FILE@SAMPLE; all samples are listed in either case
 * @param options  output options
 * @param out      the output
 * @param error    as pm_recording_open() and pm_recording_list()
 * @return         0 or -1
 */
int snap_list(const char *word, const struct output_options *options, struct out *out,
              struct pm_error *error);

#endif
