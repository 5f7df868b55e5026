/* SPDX-License-Identifier: MIT */
/**
 * @file Watches processes that belong together: those of a tree, a cgroup or a name, which come and
 * go, or one process over restarts.
 */
#ifndef CMD_WATCH_FAMILY_FAMILY_H
#define CMD_WATCH_FAMILY_FAMILY_H

#include "base/out.h"
#include "base/status.h"
#include "watch/options.h"

/**
 * Watches a family until the count or the time of the options is reached, all processes have ended,
 * or the user interrupts. Shows a live screen, or prints a table for each sample, and a summary at
 * the end.
 *
 * @param options  the options; `family` says which processes are watched
 * @param word     TARGET: a process or, depending on `family`, the name of the processes
 * @param live     whether a live screen is shown
 * @param out      the output
 * @return         exit status
 */
enum status family_watch(struct watch_options *options, const char *word, bool live,
                         struct out *out);

#endif
