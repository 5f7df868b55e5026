/* SPDX-License-Identifier: MIT */
/** @file Matches and regions as JSON. */
#ifndef CMD_GREP_JSON_H
#define CMD_GREP_JSON_H

#include "grep/line.h"

/**
 * The same as a JSON object, without its end and what is known only when the match is delivered.
 *
 * @param view  how
 * @param hit   it
 * @param line  gets it
 */
void grep_json(const struct grep_view *view, const struct pm_hit *hit, struct text *line);

/**
 * The same as a JSON object.
 * @param view how
 * @param region it
 * @param count its matches
 * @param line gets it
 */
void grep_json_region(const struct grep_view *view, const struct pm_region *region, uint64_t count,
                      struct text *line);

#endif
