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

#endif
