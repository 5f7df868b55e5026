/* SPDX-License-Identifier: MIT */
/** @file The table of the parts of a cgroup, in the text output of `procmem cgroup`. */
#ifndef CMD_CGROUP_PARTS_H
#define CMD_CGROUP_PARTS_H

#include "cgroup/cgroup.h"

/**
 * Returns the name of a part for people, such as "tmpfs and shared memory".
 * @param part   the part
 * @param split  the parts of the level
 */
const char *cgroup_parts_name(enum pm_cgroup_part part, const struct pm_cgroup_split *split);

/**
 * Adds a size. Unlike in a table, zero is a number.
 *
 * @param report  the results, which say the unit
 * @param text    receives the size
 * @param size    bytes
 */
void cgroup_parts_put_size(const struct cgroup_report *report, struct text *text, uint64_t size);

/**
 * Prints the parts of a level that are not empty, and the rest.
 *
 * @param report  the results
 * @param index   index of the level, whose parts are known
 * @param out     receives the table
 */
void cgroup_parts_print(const struct cgroup_report *report, size_t index, struct out *out);

#endif
