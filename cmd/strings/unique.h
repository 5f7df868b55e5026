/* SPDX-License-Identifier: MIT */
/** @file Prints the counts of `procmem strings -u`. */
#ifndef CMD_STRINGS_UNIQUE_H
#define CMD_STRINGS_UNIQUE_H

#include "strings/strings.h"

/**
 * Prints the distinct strings with their counts.
 * @param strings  the state of the command; all strings are counted, and the tally is sorted
 */
void strings_unique_print(struct strings *strings);

/**
 * Prints notes on stderr that suggest other options, each one once for all processes.
 *
 * @param options  the options of the command line
 * @param out      the output that has all strings
 * @param advice   what strings_unique_print() has counted for all processes
 */
void strings_unique_advise(const struct strings_options *options, const struct out *out,
                           const struct strings_advice *advice);

/**
 * Prints the first line of the CSV.
 * @param out  where to print
 */
void strings_unique_csv_header(struct out *out);

#endif
