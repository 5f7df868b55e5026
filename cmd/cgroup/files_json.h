/* SPDX-License-Identifier: MIT */
/** @file The files in tmpfs and the shared memory of a cgroup as JSON. */
#ifndef CMD_CGROUP_FILES_JSON_H
#define CMD_CGROUP_FILES_JSON_H

#include "cgroup/cgroup.h"
#include "view/json.h"

/**
 * Writes them into the JSON object of the first level.
 *
 * @param report  the results
 * @param json    the output
 */
void cgroup_files_json_put(const struct cgroup_report *report, struct json *json);

#endif
