/* SPDX-License-Identifier: MIT */
/** @file Prints a family as JSON: an object for each process, one for their sum, and events. */
#ifndef CMD_WATCH_FAMILY_JSON_H
#define CMD_WATCH_FAMILY_JSON_H

#include "base/out.h"
#include "watch/family/run.h"

/**
 * Prints the last sample: an object for each process that runs or cannot be read, one for each
 * process that has just ended, and one for the family.
 *
 * @param run  the run, after family_run_judge()
 * @param out  the output
 */
void family_json_sample(const struct family_run *run, struct out *out);

/**
 * Prints the summary: an object for each process and one for the family.
 *
 * @param run    the run, after family_run_judge()
 * @param ended  why watching ended
 * @param out    the output
 */
void family_json_summary(const struct family_run *run, const char *ended, struct out *out);

#endif
