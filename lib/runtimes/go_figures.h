/* SPDX-License-Identifier: MIT */
/** @file Counters and the memory limit of a Go program. Private. */
#ifndef PM_RUNTIMES_GO_FIGURES_H
#define PM_RUNTIMES_GO_FIGURES_H

#include "runtimes/context.h"
#include "runtimes/go_layout.h"

/**
 * Adds the counters, and the limit if there is one.
 * @param context  the context
 * @param layout   the layout, whose heap passed its checks
 */
void pm_go_figures_read(struct pm_runtimes_context *context, const struct pm_go_layout *layout);

/**
 * Adds the limit that the environment sets, with the resident memory of all Go ranges as about what
 * is used.
 * @param context  the context; its source has a process
 */
void pm_go_figures_environment(struct pm_runtimes_context *context);

/**
 * Parses a value of GOMEMLIMIT as the runtime does: a number with one of the units B, KiB, MiB, GiB
 * and TiB, or without a unit.
 *
 * @param text   the value
 * @param limit  receives the limit in bytes
 * @return       false if the value is "off" or not valid, or if it is 2^63 - 1: no limit
 */
bool pm_go_figures_parse_limit(const char *text, uint64_t *limit);

#endif
