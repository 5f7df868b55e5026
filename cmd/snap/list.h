/* SPDX-License-Identifier: MIT */
/** @file FILL list.c */
#ifndef CMD_SNAP_LIST_H
#define CMD_SNAP_LIST_H

#include "snap/snap.h"

/**
 * Lists the samples of a recording.
 *
 * @param word     it, FILE or FILE@SAMPLE: all samples are listed
 * @param options  how
 * @param out      where to
 * @param error    as pm_recording_open() and pm_recording_list()
 * @return         0 or -1
 */
int snap_list(const char *word, const struct output_options *options, struct out *out,
              struct pm_error *error);

#endif
