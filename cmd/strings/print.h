/* SPDX-License-Identifier: MIT */
/** @file FILL print.c */
#ifndef CMD_STRINGS_PRINT_H
#define CMD_STRINGS_PRINT_H

#include "strings/strings.h"

/** Prints what strings_line_found() wrote. @see pm_scan_deliver */
int strings_print_deliver(void *search, const struct pm_scan_delivery *delivery,
                          struct pm_error *error);

/**
 * Ends the last line.
 * @param strings it
 */
void strings_print_finish(struct strings *strings);

#endif
