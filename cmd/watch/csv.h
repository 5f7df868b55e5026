/* SPDX-License-Identifier: MIT */
/** @file Prints the summary of `procmem watch` as comma-separated values. */
#ifndef CMD_WATCH_CSV_H
#define CMD_WATCH_CSV_H

#include "base/out.h"
#include "watch/history.h"
#include "watch/run.h"
#include "watch/view.h"

/**
 * Prints a row for each row of the view, or with --by owner for each owner.
 *
 * @param run      the run
 * @param history  the samples
 * @param view     the rows
 * @param out      where to print
 */
void watch_csv_print(const struct watch_run *run, const struct watch_history *history,
                     const struct watch_view *view, struct out *out);

#endif
