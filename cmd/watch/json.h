/* SPDX-License-Identifier: MIT */
/** @file FILL json.c */
#ifndef CMD_WATCH_JSON_H
#define CMD_WATCH_JSON_H

#include "watch/watch.h"

/**
 * Prints what is so now, as an object in one line.
 * @param watch the process
 * @param summary it is the last one
 * @param out where to
 */
void watch_json_print(const struct watch *watch, bool summary, struct out *out);

#endif
