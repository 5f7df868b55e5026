/* SPDX-License-Identifier: MIT */
/** @file Prints what uses up the limit of memory. */
#ifndef CMD_HEADROOM_FILLERS_PRINT_H
#define CMD_HEADROOM_FILLERS_PRINT_H

#include "headroom/headroom.h"

/**
 * Prints what uses up the limit, if it is not only the process itself.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_fillers_print(const struct headroom_report *report, struct out *out);

/**
 * Adds the members `fillers` and `group_growth` to a JSON object.
 *
 * @param report  the results
 * @param json    the object
 */
void headroom_fillers_print_json(const struct headroom_report *report, struct json *json);

#endif
