/* SPDX-License-Identifier: MIT */
/** @file Prints samples and the summary of `procmem watch` as JSON. */
#ifndef CMD_WATCH_JSON_H
#define CMD_WATCH_JSON_H

#include "base/out.h"
#include "watch/history.h"
#include "watch/run.h"
#include "watch/view.h"

/**
 * Prints the last sample as an object in one line.
 * @param run the run
 * @param history the history
 * @param view the rows
 * @param summary true: print the last object, which summarizes the run
 * @param out the output
 */
void watch_json_print(const struct watch_run *run, const struct watch_history *history,
                      const struct watch_view *view, bool summary, struct out *out);

#endif
