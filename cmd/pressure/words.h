/* SPDX-License-Identifier: MIT */
/** @file Signs in words, and the texts of the cells of the table of levels. */
#ifndef CMD_PRESSURE_WORDS_H
#define CMD_PRESSURE_WORDS_H

#include "base/text.h"
#include "pressure/pressure.h"

/**
 * Adds what a sign means, without the name of its level: "its limit was reached 389 times/s".
 *
 * @param report  the results
 * @param sign    the sign
 * @param text    receives the words
 */
void pressure_words_put_sign(const struct pressure_report *report, const struct pm_sign *sign,
                             struct text *text);

/**
 * Returns what the threshold of a rule is and where it comes from, such as "more than 10 %: own
 * choice".
 *
 * @param rule  the rule
 * @param text  receives the words
 */
void pressure_words_put_basis(enum pm_pressure_rule rule, struct text *text);

/**
 * Adds the path of a cgroup, or the name of another level. The end of a long path is more telling
 * than its start.
 *
 * @param path   the path or name
 * @param width  maximum number of columns; SIZE_MAX to keep it whole
 * @param text   receives the path, escaped
 */
void pressure_words_put_path(const char *path, size_t width, struct text *text);

/**
 * Adds the text of a cell of the table.
 *
 * @param report  the results
 * @param level   index of the level
 * @param part    the column
 * @param text    receives the text
 */
void pressure_words_put_cell(const struct pressure_report *report, size_t level,
                             enum pm_pressure_part part, struct text *text);

/**
 * Returns whether a kill concerns a level.
 * @see pm_signs_kill_is_of
 */
bool pressure_words_kill_is_of(const struct pressure_report *report, size_t level,
                               const struct pm_oom_kill *kill);

#endif
