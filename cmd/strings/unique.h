/* SPDX-License-Identifier: MIT */
/** @file Printing the counts of `procmem strings -u`. */
#ifndef CMD_STRINGS_UNIQUE_H
#define CMD_STRINGS_UNIQUE_H

#include "strings/strings.h"

/**
 * Prints the distinct strings with their counts, and notes about them on stderr.
 * @param strings  the run of the command, with all strings counted; the tally is sorted
 */
void strings_unique_print(struct strings *strings);

#endif
