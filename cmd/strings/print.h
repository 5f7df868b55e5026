/* SPDX-License-Identifier: MIT */
/** @file Prints or counts strings, in the order of their addresses. */
#ifndef CMD_STRINGS_PRINT_H
#define CMD_STRINGS_PRINT_H

#include <procmem/scan.h>

#include "strings/strings.h"

/**
 * Prints the line that strings_line_found() has made, or counts the string for -u.
 * @see pm_scan_deliver
 */
int strings_print_deliver(void *search, const struct pm_scan_delivery *delivery,
                          struct pm_error *error);

/**
 * Ends the last line, if its newline has not been printed yet.
 * @param strings  the state of the command
 */
void strings_print_finish(struct strings *strings);

#endif
