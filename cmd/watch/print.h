/* SPDX-License-Identifier: MIT */
/** @file Prints samples and the summary of `procmem watch` as text. */
#ifndef CMD_WATCH_PRINT_H
#define CMD_WATCH_PRINT_H

#include "base/out.h"
#include "watch/history.h"
#include "watch/run.h"
#include "watch/view.h"

/**
 * Prints the last sample.
 * @param run the run
 * @param history the history
 * @param view the rows
 * @param out the output
 */
void watch_print(const struct watch_run *run, const struct watch_history *history,
                 const struct watch_view *view, struct out *out);

/**
 * Prints a summary of all samples.
 * @param run the run, which has ended
 * @param history the history
 * @param view the rows
 * @param out the output
 */
void watch_print_summary(const struct watch_run *run, const struct watch_history *history,
                         const struct watch_view *view, struct out *out);

#endif
