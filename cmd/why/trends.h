/* SPDX-License-Identifier: MIT */
/** @file Judges how what was observed developed. */
#ifndef CMD_WHY_TRENDS_H
#define CMD_WHY_TRENDS_H

#include <procmem/evidence.h>

#include "why/observe.h"

/** Judges a series of the observation. An empty series is not known. */
struct pm_evidence_trend why_trends_of(const struct why_observation *observation,
                                       const struct pm_series *series, enum pm_trend_unit unit);

/** Judges a track. An empty series of a track means a constant value. */
void why_trends_judge_track(const struct why_observation *observation, const struct pm_track *track,
                            struct pm_evidence_region *region);

/** Judges a size that is known at a few moments only, such as walks over a heap. */
struct pm_evidence_trend why_trends_of_few(const uint64_t *values, const double *times,
                                           size_t count);

/** Returns a trend that has only a mean rate. */
struct pm_evidence_trend why_trends_mean(uint64_t first, uint64_t last, double rate);

#endif
