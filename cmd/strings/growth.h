/* SPDX-License-Identifier: MIT */
/** @file `procmem strings -u --growth`: which strings a process got between two moments. */
#ifndef CMD_STRINGS_GROWTH_H
#define CMD_STRINGS_GROWTH_H

#include "strings/strings.h"

/** The counts of a moment, of which only the hashes of the texts are kept. */
struct strings_counts;

/**
 * Keeps the counts of a tally.
 *
 * @param tally   the tally, sorted; can be released afterwards
 * @param hasher  the tally of the second moment, which makes the hashes
 * @return        the counts, to be released with strings_growth_free()
 */
struct strings_counts *strings_growth_keep(const struct pm_tally *tally,
                                           const struct pm_tally *hasher);

/**
 * Prints the strings of which there are more bytes than before, the largest growth first.
 *
 * @param strings  the search of the second moment, complete
 * @param before   the counts of the first moment
 * @param seconds  time between the two moments
 * @return         number of strings that grew
 */
size_t strings_growth_print(struct strings *strings, const struct strings_counts *before,
                            double seconds);

/**
 * Releases counts.
 * @param counts  the counts, or NULL
 */
void strings_growth_free(struct strings_counts *counts);

#endif
