/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_WATCH_PRINT_H
#define CMD_WATCH_PRINT_H

#include "watch/watch.h"

/**
 * Prints what is so now, as text.
 * @param watch the process
 * @param out where to
 */
void watch_print(const struct watch *watch, struct out *out);

/**
 * Prints what was seen in all, as text.
 * @param watch the process
 * @param out where to
 */
void watch_print_summary(const struct watch *watch, struct out *out);

#endif
