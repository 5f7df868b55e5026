/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Values over time, in bounded memory.
 */
#ifndef PROCMEM_SERIES_H
#define PROCMEM_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A value at a point in time. */
struct pm_point {
	double time;    /**< seconds, from any origin */
	uint64_t value; /**< bytes, or a count */
};

/** Maximum number of corners that a series keeps. */
#define PM_SERIES_POINTS 1024

/**
 * Values over time. Only the corners of the curve are kept: points at which the value changed, and
 * the last point before each change. A constant value therefore needs no further memory. When there
 * are PM_SERIES_POINTS corners, every second corner is dropped, except the first and the last
 * corner. A zeroed series is empty.
 */
struct pm_series {
	struct pm_point *points; /**< the corners of the curve, by ascending time; owned */
	size_t count;            /**< number of corners */
	size_t capacity;         /**< private */
	/**
	 * Time of the last value that was added, in seconds. The value was constant from the last
	 * element of `points` until this time.
	 */
	double last;
	uint64_t samples; /**< number of values that were added */
};

/**
 * Releases a series; it is empty afterwards.
 * @param series the series
 */
PM_PUBLIC void pm_series_deinit(struct pm_series *series);

/**
 * Adds a value.
 *
 * @param series  the series
 * @param time    time of the value, in seconds; at least that of the last value that was added
 * @param value   the value
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_series_add(struct pm_series *series, double time, uint64_t value,
                            struct pm_error *error);

/**
 * Adds another series to a series: at each time, the new value is the sum of the values of both.
 * The value of a series before its first corner counts as 0.
 *
 * @param series  the series; becomes the sum of both series
 * @param other   the other series
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_series_merge(struct pm_series *series, const struct pm_series *other,
                              struct pm_error *error);

/**
 * Returns the value at a point in time. Between two corners of the curve (struct pm_series), the
 * value is interpolated.
 *
 * @param series  the series
 * @param time    seconds
 * @return        the value; before the first corner: 0; after the last corner: the value of the
 *                last corner
 */
PM_PUBLIC double pm_series_at(const struct pm_series *series, double time);

#ifdef __cplusplus
}
#endif

#endif
