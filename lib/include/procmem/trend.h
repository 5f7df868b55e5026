/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Trends of sizes over time: how fast a size grows, and whether the growth looks like a leak, was a
 * burst, or has ended.
 */
#ifndef PROCMEM_TREND_H
#define PROCMEM_TREND_H

#include <procmem/error.h>
#include <procmem/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the values of a series develop. */
enum pm_verdict {
	PM_VERDICT_TOO_EARLY, /**< observed for too short a time */
	PM_VERDICT_STEADY,    /**< keeps growing: a leak looks like this */
	PM_VERDICT_BURST,     /**< grew mostly at once, and has not grown since */
	/** Does not grow, has stopped growing, or rises and falls around one level */
	PM_VERDICT_PLATEAU,
	PM_VERDICT_SHRINKING, /**< becomes smaller */
	/** Has grown, but too unevenly for another verdict */
	PM_VERDICT_UNEVEN,
	PM_VERDICT_COUNT, /**< number of verdicts, for tables */
};

/** Size of pm_trend.reason, in bytes, including the NUL. */
#define PM_TREND_REASON_SIZE 160

/** The result of judging a series. Rates are units per second. */
struct pm_trend {
	enum pm_verdict verdict; /**< how the values develop */
	/**
	 * Slope since the first change, computed robustly: the median of the slopes of all pairs of
	 * points (Theil-Sen)
	 */
	double rate;
	double least_squares; /**< slope of the least-squares line over the same time */
	/**
	 * Share of the pairs of points that rise minus the share of the pairs that fall, from -1 to
	 * 1 (Kendall's tau)
	 */
	double agreement;
	/**
	 * Time of the first change, in seconds. If the value never changed noticeably, the time of
	 * the first value.
	 */
	double began;
	char reason[PM_TREND_REASON_SIZE]; /**< human-readable reason, without a full stop */
};

/**
 * Unit of the values of a series. The thresholds, and the format of the reason, depend on the unit.
 */
enum pm_trend_unit {
	PM_TREND_BYTES, /**< sizes in bytes: changes below 32 KiB are ignored */
	PM_TREND_COUNT, /**< numbers, such as a number of threads: every change counts */
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
 * Returns the name of a verdict, such as "steady".
 * @param verdict the verdict
 * @return a constant string
 */
PM_PUBLIC const char *pm_verdict_name(enum pm_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
