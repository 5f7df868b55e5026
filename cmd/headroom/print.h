/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_HEADROOM_PRINT_H
#define CMD_HEADROOM_PRINT_H

#include "headroom/headroom.h"

/**
 * Prints it.
 * @param report it
 * @param out where to
 */
void headroom_print(const struct headroom_report *report, struct out *out);

/**
 * Prints it as JSON.
 * @param report it
 * @param out where to
 */
void headroom_print_json(const struct headroom_report *report, struct out *out);

#endif
