/* SPDX-License-Identifier: MIT */
/** @file Watches several processes: a row for each process. */
#ifndef CMD_WATCH_SEVERAL_H
#define CMD_WATCH_SEVERAL_H

#include "base/out.h"
#include "base/status.h"
#include "target/target_list.h"
#include "watch/options.h"

/**
 * Watches several processes until the count or the time of the options is reached, all processes
 * are gone, or the user interrupts. Prints a table of the processes for each sample, and at the
 * end. With --json, prints an object for each sample of each process as soon as the sample is
 * taken, and at the end an object with the summary of each process.
 *
 * @param options  the options; each process gets an equal share of the budget. `several` is set
 * @param targets  the processes
 * @param out      the output
 * @return         exit status; STATUS_ERROR also if one of the processes cannot be watched
 */
enum status watch_several(struct watch_options *options, const struct target_list *targets,
                          struct out *out);

#endif
