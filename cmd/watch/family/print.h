/* SPDX-License-Identifier: MIT */
/** @file Prints a family as text. */
#ifndef CMD_WATCH_FAMILY_PRINT_H
#define CMD_WATCH_FAMILY_PRINT_H

#include "base/out.h"
#include "watch/family/run.h"

/**
 * Adds which processes grow: "4720 worker grows: +1.1M/s (steady); 4711 itself and 5 others do
 * not".
 * @param run   the run, after family_run_judge()
 * @param text  receives the sentence, escaped
 */
void family_print_headline(const struct family_run *run, struct text *text);

/**
 * Adds which processes are watched: "7 processes: 4711 master and its descendants".
 * @param run   the run
 * @param text  receives the description, escaped
 */
void family_print_title(const struct family_run *run, struct text *text);

/**
 * Adds the sum of the processes: "RSS 1.2G +33.0M  steady +1.1M/s  limit 2.0G: full in 7m 40s".
 * @param run   the run, after family_run_judge()
 * @param text  receives the sum
 */
void family_print_sum(const struct family_run *run, struct text *text);

/**
 * Prints the last sample: the time, the headline, the rows and the notes.
 * @param run  the run, after family_run_judge()
 * @param out  the output
 */
void family_print_sample(const struct family_run *run, struct out *out);

/**
 * Prints the summary.
 *
 * @param run    the run, after family_run_judge()
 * @param ended  why watching ended
 * @param out    the output
 */
void family_print_summary(const struct family_run *run, const char *ended, struct out *out);

#endif
