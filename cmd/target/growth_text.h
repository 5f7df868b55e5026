/* SPDX-License-Identifier: MIT */
/** @file Formats trends and their verdicts, as text and as JSON. */
#ifndef CMD_TARGET_GROWTH_TEXT_H
#define CMD_TARGET_GROWTH_TEXT_H

#include <stdbool.h>

#include <procmem/tracker.h>
#include <procmem/trend.h>

#include "base/text.h"
#include "view/json.h"

/**
 * Adds what grows although the memory of the whole process does not: "beneath it arena 3 grows
 * steadily, +25.0K/s".
 *
 * @param track  the track that grows
 * @param trend  trend of the track
 * @param text   receives the text, escaped
 */
void growth_text_put_beneath(const struct pm_track *track, const struct pm_trend *trend,
                             struct text *text);

/**
 * Adds a verdict and its reason: "plateau (no growth for 40s; floor 200.0M)". The reasons for the
 * verdicts "steps" and "no growth" contain the verdict, so it is not repeated.
 *
 * @param trend  the trend
 * @param bytes  true: print sizes in bytes; false: with units
 * @param text   receives the text
 */
void growth_text_put_reason(const struct pm_trend *trend, bool bytes, struct text *text);

/**
 * Adds the verdict on a process in which a single track grows: "plateau overall (sawtooth of 90.0M,
 * floor 200.0M); beneath it arena 3 grows steadily, +25.0K/s".
 *
 * @param trend          trend of the process
 * @param beneath        the track that grows
 * @param beneath_trend  trend of the track
 * @param bytes          true: print sizes in bytes; false: with units
 * @param text           receives the text, escaped
 */
void growth_text_put_overall(const struct pm_trend *trend, const struct pm_track *beneath,
                             const struct pm_trend *beneath_trend, bool bytes, struct text *text);

/**
 * Adds a trend to a JSON object: `rate` if it is known; `estimate`, `estimated_rate` and `step` if
 * there is an estimate; `sawtooth`, `floor` and `floor_rise` if the values rise and fall; `verdict`
 * and `reason`.
 *
 * @param object  receives the members
 * @param trend   the trend
 */
void growth_text_json(json_t *object, const struct pm_trend *trend);

/**
 * Adds to a JSON object what grows beneath the process: `beneath`, an object that describes the
 * track.
 *
 * @param object  receives the member
 * @param track   the track
 * @param trend   trend of the track
 */
void growth_text_json_beneath(json_t *object, const struct pm_track *track,
                              const struct pm_trend *trend);

#endif
