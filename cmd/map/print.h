/* SPDX-License-Identifier: MIT */
/** @file The list of `procmem map` as a table, CSV, JSON or pmap text. */
#ifndef CMD_MAP_PRINT_H
#define CMD_MAP_PRINT_H

#include "map/map.h"

/**
 * Prints the selected regions in the form that the options select.
 *
 * @param loaded   the target
 * @param list     the selected regions, not sorted yet
 * @param groups   empty groups, which are filled and printed instead of regions; NULL without --by
 * @param options  the options
 * @param out      where to write
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int map_print(const struct loaded *loaded, struct list *list, struct groups *groups,
              const struct map_options *options, struct out *out, struct pm_error *error);

/**
 * Opens the JSON object of a target and writes its first members: pid, command and time, or the
 * name of the saved file.
 *
 * @param json    the JSON text
 * @param loaded  the target
 */
void map_print_open_json(struct json *json, const struct loaded *loaded);

#endif
