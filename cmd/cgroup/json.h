/* SPDX-License-Identifier: MIT */
/** @file The JSON output of `procmem cgroup`. */
#ifndef CMD_CGROUP_JSON_H
#define CMD_CGROUP_JSON_H

#include "cgroup/cgroup.h"
#include "view/json.h"

/**
 * Prints what fills a cgroup.
 *
 * @param report  the results
 * @param out     receives the JSON
 */
void cgroup_json_print(const struct cgroup_report *report, struct out *out);

/**
 * Writes the numbers of a level: `path`, `version`, `max`, `current`, `parts` and others.
 *
 * @param json   the output
 * @param level  the level
 */
void cgroup_json_put_level(struct json *json, const struct pm_cgroup_level *level);

#endif
