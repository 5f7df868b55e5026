/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Trends of sizes over time: how fast something grows, and whether that is a leak, a burst, or
 * over.
 */
#ifndef PROCMEM_TREND_H
#define PROCMEM_TREND_H

#include <procmem/error.h>
#include <procmem/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a curve does. */
enum pm_verdict {
	PM_VERDICT_TOO_EARLY, /**< observed for too short a time */
	PM_VERDICT_STEADY,    /**< keeps growing: a leak looks like this */
	PM_VERDICT_BURST,     /**< grew at once, and not since */
	PM_VERDICT_PLATEAU, /**< does not grow, stopped growing, or rises and falls around one level
	                     */
	PM_VERDICT_SHRINKING, /**< becomes smaller */
	PM_VERDICT_UNEVEN,    /**< observed long enough and larger than before, but it rises too
	                           unevenly for another verdict */
	PM_VERDICT_COUNT,     /**< number of verdicts, for tables */
};

/** Bytes of pm_trend.reason. */
#define PM_TREND_REASON_SIZE 160

/** The result of judging a series. Rates are units per second. */
struct pm_trend {
	enum pm_verdict verdict; /**< what the curve does */
	double rate; /**< robust slope (Theil-Sen: the median of the slopes of all pairs of points)
	                since the first change */
	double least_squares; /**< slope of the least-squares line over the same time */
	double agreement;     /**< share of rising pairs less share of falling ones, -1 to 1
	                           (Kendall's tau) */
	double began; /**< time of the first change; of the first sample if nothing changed */
	char reason[PM_TREND_REASON_SIZE]; /**< human-readable reason, without a full stop */
};

/** Unit of the values, which decides on thresholds and on the words of the reason. */
enum pm_trend_unit {
	PM_TREND_BYTES, /**< sizes in bytes: changes below 32 KiB are ignored */
	PM_TREND_COUNT, /**< numbers of things: every change counts */
};

/**
 * Judges a series.
 *
 * @param series  the series
 * @param unit    unit of its values
 * @param trend   filled
 */
PM_PUBLIC void pm_trend_judge(const struct pm_series *series, enum pm_trend_unit unit,
                              struct pm_trend *trend);

/**
 * Returns the name of a verdict: "steady".
 * @param verdict the verdict
 * @return a constant string
 */
PM_PUBLIC const char *pm_verdict_name(enum pm_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
