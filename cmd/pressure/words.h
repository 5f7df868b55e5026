/* SPDX-License-Identifier: MIT */
/** @file Signs and OOM kills in words, and the texts of the cells of the table. */
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
 * Adds a kill: "2.1s ago  hog (4711), limit of /shop; anon 32.4M, file 6.4M".
 *
 * @param kill   the kill
 * @param bytes  sizes in bytes
 * @param text   receives the words
 */
void pressure_words_put_kill(const struct pm_oom_kill *kill, bool bytes, struct text *text);

/**
 * Returns what was exhausted, as in JSON.
 * @param constraint  the constraint
 * @return            a constant text; NULL if it is not known
 */
const char *pressure_words_constraint(enum pm_oom_constraint constraint);

/**
 * Adds the name of a level. The end of a long path is more telling than its start.
 *
 * @param level  the level
 * @param width  maximum number of columns
 * @param text   receives the name, escaped
 */
void pressure_words_put_level(const struct pm_pressure_level *level, size_t width,
                              struct text *text);

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
