/* SPDX-License-Identifier: MIT */
/** @file The cgroups of the machine with the highest usage. */
#ifndef CMD_CGROUP_TOP_H
#define CMD_CGROUP_TOP_H

#include "cgroup/cgroup.h"

/**
 * Prints the cgroups of the machine with the highest usage, as text or as JSON.
 *
 * @param options  the options
 * @param out      receives the list
 * @param error    PM_ERROR_UNSUPPORTED if no memory cgroup is visible, PM_ERROR_IO,
 *                 PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int cgroup_top_print(const struct cgroup_options *options, struct out *out, struct pm_error *error);

#endif
