/* SPDX-License-Identifier: MIT */
/** @file Evidence from files: recordings, core files and saved smaps files. */
#ifndef CMD_WHY_FILE_H
#define CMD_WHY_FILE_H

#include "why/observe.h"

/**
 * Fills an observation from the file that `observation->target` is. What a file does not have
 * remains empty.
 *
 * @param observation  with `options` and `target`
 * @param error        as for regions_load() and the functions that read recordings;
 *                     PM_ERROR_UNSUPPORTED for a saved maps file, which has no sizes, and for one
 *                     sample of a recording
 * @return             0 or -1
 */
int why_file_read(struct why_observation *observation, struct pm_error *error);

#endif
