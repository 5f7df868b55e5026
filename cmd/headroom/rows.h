/* SPDX-License-Identifier: MIT */
/** @file A row for each process of --children, --cgroup and --all-processes. */
#ifndef CMD_HEADROOM_ROWS_H
#define CMD_HEADROOM_ROWS_H

#include "headroom/headroom.h"

/**
 * Prints the rows. Prints nothing without these options.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_rows_print(const struct headroom_report *report, struct out *out);

/**
 * Adds the rows to a JSON object, as the member `processes`.
 *
 * @param report  the results
 * @param json    the object
 */
void headroom_rows_put(const struct headroom_report *report, struct json *json);

#endif
