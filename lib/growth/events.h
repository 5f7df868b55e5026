/* SPDX-License-Identifier: MIT */
/**
 * @file Growth events of a series: the moments at which it reached a new height. Private.
 *
 * A leak that grows in steps looks flat between two steps, so the slope of a part of its curve says
 * little. The number of events says how far a rate can be trusted: a rate over N steps can be wrong
 * by a factor of (N + 1) / N, because the time until the next step is not known.
 */
#ifndef PM_GROWTH_EVENTS_H
#define PM_GROWTH_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/series.h>

/**
 * The growth events of a part of a series. An event is a rise above all earlier values, by at least
 * 2 % of the range of the part. Times are in seconds, heights in the unit of the series.
 */
struct pm_growth_events {
	size_t count;        /**< number of events */
	double step;         /**< median height of the events; 0 without an event */
	double largest;      /**< height of the largest event; 0 without an event */
	double longest_gap;  /**< longest time between two events. The time from the start of the
	                        part to the first event counts as a gap, too */
	double gap;          /**< median time between two events; 0 with fewer than two events */
	double shortest_gap; /**< shortest time between two events; 0 with fewer than two events */
	double first;        /**< time of the first event; without an event, start of the part */
	double last;         /**< time of the last event; without an event, start of the part */
	double rest;         /**< time since `last` */
	double rate; /**< slope from the first event to the last, per second; 0 with fewer than two
	                events */
	double variance; /**< square of the standard error of `rate`, as a share of the square of
	                    `rate`, as if each event were independent of all others; 0 with fewer
	                    than three events */
};

/**
 * Finds the growth events of a series from a time on.
 *
 * @param series  a series that is not empty
 * @param from    start of the part in seconds, within the series
 * @param range   highest value of the part less its lowest value
 * @param share   events that are lower than this share of the largest event are ignored
 * @param events  filled
 */
void pm_growth_events_measure(const struct pm_series *series, double from, double range,
                              double share, struct pm_growth_events *events);

/**
 * Checks whether all events are of similar height, and all gaps of similar length. The time before
 * the first event and the time since the last one are gaps, too.
 *
 * @param events    at least two events
 * @param began     start of the time before the first event, in seconds
 * @param interval  time between two samples, in seconds: the moment of an event is not known better
 */
bool pm_growth_events_alike(const struct pm_growth_events *events, double began, double interval);

#endif
