/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Trends of sizes over time: how fast a size grows, and whether the growth looks like a leak, was a
 * burst, or has ended.
 *
 * A rate of growth is reported as known (pm_trend.rate) only if it follows from at least five
 * growth events or, if the size rises and falls, from at least five cycles of rise and fall. A
 * growth event is a rise of the size above all its earlier values, by at least 2 % of the
 * difference between the highest and the lowest value.
 */
#ifndef PROCMEM_TREND_H
#define PROCMEM_TREND_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the values of a series develop. */
enum pm_verdict {
	PM_VERDICT_TOO_EARLY, /**< observed for too short a time */
	PM_VERDICT_STEADY,    /**< keeps growing at a known rate: a leak looks like this */
	PM_VERDICT_STEPS,     /**< grew in steps: too few or too irregular for a sure rate. No
	                         single step makes up most of the growth. The rate is only
	                         estimated: pm_trend.estimated_rate */
	/**
	 * Grew in a short time or mostly in one step, and has not grown since. If the series is
	 * shorter than a minute, the time after a single step must be at least three times as long
	 * as the time before the step.
	 */
	PM_VERDICT_BURST,
	PM_VERDICT_PLATEAU,   /**< grew, and has stopped growing; or rises and falls around one
	                         level */
	PM_VERDICT_NO_GROWTH, /**< did not grow while it was observed. It may still grow later: some
	                         processes grow in rare steps */
	PM_VERDICT_SHRINKING, /**< becomes smaller */
	/** Has grown, but too unevenly for another verdict */
	PM_VERDICT_UNEVEN,
	PM_VERDICT_COUNT, /**< number of verdicts, for tables */
};

/** Size of pm_trend.reason, in bytes, including the NUL. */
#define PM_TREND_REASON_SIZE 160

/**
 * The result of judging a series. Sizes are in the unit of the series (enum pm_trend_unit), and
 * rates are in this unit per second. `sawtooth`, `swing`, `floor_known`, `floor`, `floor_rise` and
 * `below_peak` are 0 if the series is too short to be judged, or did not change noticeably.
 */
struct pm_trend {
	enum pm_verdict verdict; /**< how the values develop */
	/**
	 * Rate at which the values change; 0 if it is not known.
	 * - PM_VERDICT_STEADY: positive. If `sawtooth` is false, the slope from the first growth
	 *   event to the last. If `sawtooth` is true, the slope of the line through the lowest
	 *   points of the cycles of rise and fall.
	 * - PM_VERDICT_SHRINKING: negative, or 0 if it is not known.
	 * - All other verdicts: 0.
	 */
	double rate;
	/** True if `verdict` is PM_VERDICT_STEPS. Then `rate` is 0; use `estimated_rate`. */
	bool estimate;
	/**
	 * If `estimate` is true: slope from the first large growth event to the last, positive. If
	 * `estimate` is false: 0. A growth event is large if it has at least a quarter of the
	 * height of the largest event.
	 */
	double estimated_rate;
	/** If `estimate` is true: median height of the large growth events. If false: 0 */
	double step;
	/**
	 * True if the values fall: `swing` is more than 5 % of the difference between the highest
	 * and the lowest value. They may also rise between the falls.
	 */
	bool sawtooth;
	double swing; /**< largest decrease from one value to a later value */
	/**
	 * True if `floor` and `floor_rise` are known. This is the case if `sawtooth` is true, and
	 * the values fell at least twice, and rose between the falls. A fall or rise counts if it
	 * is at least half as large as the largest fall.
	 */
	bool floor_known;
	/**
	 * Lowest value of the second half of the time since `began`; 0 if `floor_known` is false
	 */
	double floor;
	/**
	 * `floor` minus the lowest value of the first half of the time since `began`; may be
	 * negative; 0 if `floor_known` is false
	 */
	double floor_rise;
	/**
	 * Highest value minus the last value. If the values rise and fall, their next peak will be
	 * about this much higher than the last value
	 */
	double below_peak;
	double least_squares; /**< slope of the least-squares line since `began` */
	/**
	 * Kendall's tau, from -1 to 1: the share of the pairs of points in which the later value is
	 * higher, minus the share of the pairs in which it is lower
	 */
	double agreement;
	/**
	 * Start of the time that was judged, in seconds. Normally, this is the time of the first
	 * noticeable change. If only the growth after a large step is steady, it is the time of the
	 * first noticeable change after that step. If the value never changed noticeably, it is the
	 * time of the first value.
	 */
	double began;
	char reason[PM_TREND_REASON_SIZE]; /**< human-readable reason, without a full stop */
};

/**
 * Unit of the values of a series. It determines which changes are too small to count, and how
 * pm_trend.reason writes values.
 */
enum pm_trend_unit {
	PM_TREND_BYTES, /**< sizes in bytes: changes below 32 KiB are ignored */
	PM_TREND_COUNT, /**< numbers, such as a number of threads: no change is ignored */
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
 * As pm_trend_judge(), but also judges a series that is too short for a usual verdict. Such a
 * verdict is less sure: most programs grow for some seconds, such as at their start.
 *
 * @param series   the series
 * @param unit     unit of its values
 * @param seconds  minimum time for a verdict; pm_trend_judge() needs 10 seconds
 * @param trend    filled
 */
PM_PUBLIC void pm_trend_judge_early(const struct pm_series *series, enum pm_trend_unit unit,
                                    double seconds, struct pm_trend *trend);

/**
 * Returns the rate of growth: pm_trend.rate or, if pm_trend.estimate is set,
 * pm_trend.estimated_rate.
 *
 * @param trend  the trend
 * @return       the rate; 0 if the values do not grow, or if their rate is not known
 */
PM_PUBLIC double pm_trend_growth_rate(const struct pm_trend *trend);

/**
 * Computes when growth will have used up an amount, such as free memory. If the values rise and
 * fall, a peak can use up the amount earlier. Therefore pm_trend.below_peak is first subtracted
 * from the amount. The result is an estimate if pm_trend.estimate is set.
 *
 * @param trend    the trend
 * @param amount   the amount that is left, in the unit of the series
 * @param seconds  receives the time from now; unchanged if the function returns false
 * @return         false if the values do not grow, or if their rate is not known
 */
PM_PUBLIC bool pm_trend_lasts(const struct pm_trend *trend, uint64_t amount, double *seconds);

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
