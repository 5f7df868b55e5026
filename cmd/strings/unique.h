/* SPDX-License-Identifier: MIT */
/** @file Prints the counts of `procmem strings -u`. */
#ifndef CMD_STRINGS_UNIQUE_H
#define CMD_STRINGS_UNIQUE_H

#include "strings/strings.h"

/**
 * Prints the distinct strings with their counts, and notes about them on stderr.
 * @param strings  the state of the command; all strings are counted, and the tally is sorted
 */
void strings_unique_print(struct strings *strings);

#endif
