/* SPDX-License-Identifier: MIT */
/** @file Prints the results of `procmem stale` as JSON. */
#ifndef CMD_STALE_JSON_H
#define CMD_STALE_JSON_H

#include "stale/stale.h"
#include "view/list.h"

/**
 * Prints the results.
 *
 * @param report   the results
 * @param regions  the sorted list of the selected regions
 * @param groups   the sorted list of groups; NULL without --by
 * @param out      receives the object
 * @param error    PM_ERROR_USAGE
 * @return         0 or -1
 */
int stale_json_print(const struct stale_report *report, const struct list *regions,
                     const struct list *groups, struct out *out, struct pm_error *error);

#endif
