/* SPDX-License-Identifier: MIT */
/** @file Printing or counting strings in the order of their addresses. */
#ifndef CMD_STRINGS_PRINT_H
#define CMD_STRINGS_PRINT_H

#include <procmem/scan.h>

#include "strings/strings.h"

/**
 * Prints what strings_line_found() has made, or counts it for -u.
 * @see pm_scan_deliver
 */
int strings_print_deliver(void *search, const struct pm_scan_delivery *delivery,
                          struct pm_error *error);

/**
 * Ends the last line, if it has no end yet.
 * @param strings  the run of the command
 */
void strings_print_finish(struct strings *strings);

#endif
