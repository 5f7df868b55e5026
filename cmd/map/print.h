/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_MAP_PRINT_H
#define CMD_MAP_PRINT_H

#include "map/map.h"

/**
 * Prints the chosen regions in the form that the options name, all but map_at_print()'s.
 *
 * @param loaded   what was read
 * @param list     list of the chosen regions, not sorted yet
 * @param groups   empty groups to fill, NULL for none
 * @param options  the options
 * @param out      where to
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int map_print(const struct loaded *loaded, struct list *list, struct groups *groups,
              const struct map_options *options, struct out *out, struct pm_error *error);

/**
 * Opens the JSON object of a target: pid, command and time, or the saved file.
 * @param json the text
 * @param loaded what was read
 */
void map_print_open_json(struct json *json, const struct loaded *loaded);

#endif
