/* SPDX-License-Identifier: MIT */
/** @file The text output of `procmem cgroup`. */
#ifndef CMD_CGROUP_PRINT_H
#define CMD_CGROUP_PRINT_H

#include "cgroup/cgroup.h"

/**
 * Prints what fills a cgroup: the answer in the first line, then each level.
 *
 * @param report  the results
 * @param out     receives the text
 */
void cgroup_print(const struct cgroup_report *report, struct out *out);

/**
 * Returns the name of a part for people, such as "tmpfs and shared memory".
 * @param part   the part
 * @param split  the parts of the level
 */
const char *cgroup_print_part(enum pm_cgroup_part part, const struct pm_cgroup_split *split);

#endif
