/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Sizes over time: how fast something grows, and whether that is a leak, a burst, or over.
 */
#ifndef PROCMEM_TREND_H
#define PROCMEM_TREND_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A value at a moment. */
struct pm_point {
	double time;    /**< seconds, from any origin */
	uint64_t value; /**< bytes, or a count */
};

/**
 * Values over time. Only the corners of the curve are kept, at most PM_SERIES_POINTS: a value that
 * stays costs nothing, and when the room is used up every other corner goes. Zeroed means empty.
 */
struct pm_series {
	struct pm_point *points; /**< the corners, by ascending time */
	size_t count;            /**< how many */
	size_t capacity;         /**< private */
	double last;      /**< time of the last sample: the last corner's value held until then */
	uint64_t samples; /**< how many values were added */
};

/** Most corners that a series keeps. */
#define PM_SERIES_POINTS 1024

/**
 * Releases a series; it is empty afterwards.
 * @param series the series
 */
PM_PUBLIC void pm_series_deinit(struct pm_series *series);

/**
 * Adds the value at a moment.
 *
 * @param series  the series
 * @param time    seconds; not before the last one
 * @param value   the value
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_series_add(struct pm_series *series, double time, uint64_t value,
                            struct pm_error *error);

/**
 * Adds another series, moment by moment; before its first point it counts as 0.
 *
 * @param series  becomes the sum
 * @param other   what is added
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_series_merge(struct pm_series *series, const struct pm_series *other,
                              struct pm_error *error);

/**
 * The value at a moment, on the line between the corners around it.
 *
 * @param series  the series
 * @param time    seconds
 * @return        the value; 0 before the first point, the last value behind the last
 */
PM_PUBLIC double pm_series_at(const struct pm_series *series, double time);

/** What a curve does. */
enum pm_verdict {
	PM_VERDICT_TOO_EARLY, /**< not seen long enough */
	PM_VERDICT_STEADY,    /**< grows on and on: a leak looks like this */
	PM_VERDICT_BURST,     /**< grew in one go, and no more since */
	PM_VERDICT_PLATEAU, /**< does not grow, or no more, or rises and falls around one height */
	PM_VERDICT_SHRINKING, /**< becomes smaller */
	PM_VERDICT_UNEVEN, /**< seen long enough, and there is more of it, but it rises too unevenly
	                      to tell */
	PM_VERDICT_COUNT,  /**< number of verdicts, for tables */
};

/** Bytes of pm_trend.reason. */
#define PM_TREND_REASON_SIZE 160

/** What a series tells. Rates are units per second. */
struct pm_trend {
	enum pm_verdict verdict; /**< what the curve does */
	double rate; /**< robust slope (Theil-Sen: the median of the slopes of all pairs of moments)
	                since it began to change */
	double least_squares; /**< slope of the least-squares line over the same time */
	double agreement; /**< share of rising pairs less share of falling ones, -1 to 1 (Kendall's
	                     tau) */
	double began; /**< time of the first change; of the first sample where nothing changed */
	char reason[PM_TREND_REASON_SIZE]; /**< why, in words, without a full stop */
};

/** What the values are, for the words of the reason. */
enum pm_trend_unit {
	PM_TREND_BYTES, /**< sizes in bytes: changes below 32 KiB mean nothing */
	PM_TREND_COUNT, /**< numbers of things: every one counts */
};

/**
 * Judges a series.
 *
 * @param series  the series
 * @param unit    what its values are
 * @param trend   filled
 */
PM_PUBLIC void pm_trend_judge(const struct pm_series *series, enum pm_trend_unit unit,
                              struct pm_trend *trend);

/**
 * Word for a verdict: "steady".
 * @param verdict the verdict
 * @return a constant text
 */
PM_PUBLIC const char *pm_verdict_name(enum pm_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
