/* SPDX-License-Identifier: MIT */
/** @file JSON output of `procmem headroom`. */
#ifndef CMD_HEADROOM_JSON_H
#define CMD_HEADROOM_JSON_H

#include "headroom/headroom.h"

/**
 * Prints the results as JSON.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_json_print(const struct headroom_report *report, struct out *out);

#endif
