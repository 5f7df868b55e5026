/* SPDX-License-Identifier: MIT */
/** @file Formats verdicts and rates, as text and as JSON. */
#ifndef CMD_WATCH_VERDICT_H
#define CMD_WATCH_VERDICT_H

#include "view/json.h"
#include "watch/history.h"

/**
 * Adds the rate of a trend: "+2.0M/s", or "~+2.0M/s" if it is an estimate. Adds "-" if no rate is
 * known.
 * @param trend the trend
 * @param text receives the rate
 */
void watch_verdict_rate(const struct pm_trend *trend, struct text *text);

/**
 * Adds the growth that is expected within a time: "+7.0G", or "~+7.0G" if the rate is an estimate.
 * Adds "-" if no rate is known.
 * @param trend the trend
 * @param seconds the time
 * @param bytes true: print the growth in bytes; false: with a unit
 * @param text receives the growth
 */
void watch_verdict_extrapolate(const struct pm_trend *trend, double seconds, bool bytes,
                               struct text *text);

/**
 * Adds the time until something is used up: "52m 0s", or "about 52m 0s".
 * @param estimate whether the time is an estimate
 * @param seconds the time
 * @param text receives the time
 */
void watch_verdict_time(bool estimate, double seconds, struct text *text);

/**
 * Adds the verdict on the memory of the process, and the reason: "steady (grew by 40.0M in 20s,
 * without falling back)". If the memory does not grow, but a track beneath it does: "plateau
 * overall (sawtooth of 90.0M, floor 200.0M); beneath it arena 3 grows steadily, +25.0K/s".
 * @param history the history
 * @param bytes true: print sizes in bytes; false: with units
 * @param text receives the verdict, escaped
 */
void watch_verdict_headline(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Adds the same without the reason, as pieces with two spaces between them: "steady +2.0M/s", or
 * "plateau overall", "sawtooth of 90.0M", "floor 200.0M" and "beneath it arena 3 grows steadily,
 * +25.0K/s".
 * @param history the history
 * @param bytes true: print sizes in bytes; false: with units
 * @param text receives the verdict, escaped
 */
void watch_verdict_short(const struct watch_history *history, bool bytes, struct text *text);

/**
 * Writes what grows beneath the process: `beneath`, an object that describes the track. Writes
 * nothing if nothing grows beneath it.
 * @param json the output, within an object
 * @param beneath the track
 */
void watch_verdict_json_beneath(struct json *json, const struct watch_beneath *beneath);

#endif
