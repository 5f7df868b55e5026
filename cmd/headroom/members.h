/* SPDX-License-Identifier: MIT */
/** @file FILL members.c */
#ifndef CMD_HEADROOM_MEMBERS_H
#define CMD_HEADROOM_MEMBERS_H

#include "headroom/headroom.h"

/**
 * Prints who shares the cgroup's limit.
 * @param report it
 * @param out where to
 */
void headroom_members_print(const struct headroom_report *report, struct out *out);

/**
 * Writes that as an object.
 * @param report it
 * @param json the object that it goes into
 */
void headroom_members_put(const struct headroom_report *report, struct json *json);

#endif
