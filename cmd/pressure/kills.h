/* SPDX-License-Identifier: MIT */
/** @file The OOM kills in the log of the kernel, as text. Private to `procmem pressure`. */
#ifndef CMD_PRESSURE_KILLS_H
#define CMD_PRESSURE_KILLS_H

#include "base/out.h"
#include "base/text.h"
#include "pressure/pressure.h"

/**
 * Returns what was exhausted, as in JSON.
 * @param constraint  the constraint
 * @return            a constant text; NULL if it is not known
 */
const char *pressure_kills_constraint(enum pm_oom_constraint constraint);

/**
 * Adds the age of a kill: "2.1s ago"; if it is not known, the time after the start of the machine.
 *
 * @param kill  the kill
 * @param text  receives the age
 */
void pressure_kills_put_age(const struct pm_oom_kill *kill, struct text *text);

/**
 * Adds the process that was killed: "hog (4711)".
 *
 * @param kill  the kill
 * @param text  receives the name, escaped, and the PID
 */
void pressure_kills_put_process(const struct pm_oom_kill *kill, struct text *text);

/**
 * Adds what was exhausted: "limit of /shop, in /shop/web".
 *
 * @param kill   the kill
 * @param width  number of columns for which paths of cgroups are shortened, SIZE_MAX to keep them
 *               whole. Other words are never shortened
 * @param text   receives the words
 */
void pressure_kills_put_cause(const struct pm_oom_kill *kill, size_t width, struct text *text);

/**
 * Returns whether the log has all kills of the last hour.
 * @param report  the results
 * @return        false without a log, or if it has been overwritten since
 */
bool pressure_kills_are_complete(const struct pressure_report *report);

/**
 * Adds a number of recent kills in the log: "at least 64 OOM kills in the last hour".
 *
 * @param report  the results
 * @param count   number of kills that the log has
 * @param text    receives the words
 */
void pressure_kills_put_recent(const struct pressure_report *report, uint64_t count,
                               struct text *text);

/**
 * Finds the kill of the target in the log, if it was killed between the readings.
 * @param report  the results
 * @return        the kill, valid as long as the results; NULL if the log does not have it
 */
const struct pm_oom_kill *pressure_kills_of_target(const struct pressure_report *report);

/**
 * Returns the number of recent kills in the log that concern no level.
 * @param report  the results
 * @return        the number; 0 without a log
 */
size_t pressure_kills_elsewhere(const struct pressure_report *report);

/**
 * Prints the newest kills, and counts the others; or why they are not known.
 *
 * @param report  the results
 * @param out     receives the lines
 */
void pressure_kills_print(const struct pressure_report *report, struct out *out);

#endif
