/* SPDX-License-Identifier: MIT */
/** @file The processes that share the limit of the cgroup. */
#ifndef CMD_HEADROOM_MEMBERS_H
#define CMD_HEADROOM_MEMBERS_H

#include "headroom/headroom.h"

/**
 * Prints the processes that share the limit of the cgroup.
 *
 * @param report  the results
 * @param out     where to write
 */
void headroom_members_print(const struct headroom_report *report, struct out *out);

/**
 * Adds the processes that share the limit of the cgroup to a JSON object.
 *
 * @param report  the results
 * @param json    the object
 */
void headroom_members_put(const struct headroom_report *report, struct json *json);

#endif
