/* SPDX-License-Identifier: MIT */
/** @file Formats trends and their verdicts as text. */
#ifndef CMD_TARGET_GROWTH_TEXT_H
#define CMD_TARGET_GROWTH_TEXT_H

#include <stdbool.h>

#include <procmem/tracker.h>
#include <procmem/trend.h>

#include "base/text.h"

/**
 * Adds a short name of a track, escaped: "arena 3", "malloc 7f3a08000000", "file /srv/a".
 *
 * @param track  the track
 * @param text   receives the name
 */
void growth_text_put_name(const struct pm_track *track, struct text *text);

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

#endif
