/* SPDX-License-Identifier: MIT */
/** @file Whether what `procmem watch` sees meets the user's conditions. */
#ifndef CMD_WATCH_EVENTS_EVALUATE_H
#define CMD_WATCH_EVENTS_EVALUATE_H

#include "watch/events/condition.h"
#include "watch/watch.h"

/** What has to do with a condition: a region, or several that are one row. */
struct culprit {
	bool known;        /**< there is one */
	uint64_t start;    /**< first address of the region; of several of the one that grew last */
	uint64_t end;      /**< address behind its last byte */
	uint64_t own;      /**< resident and swapped bytes of that region */
	uint64_t weight;   /**< of all its regions */
	size_t count;      /**< how many they are */
	enum pm_kind kind; /**< what it is for */
	const char *mapping;          /**< its name, valid until the next look */
	struct pm_detail detail;      /**< what else is known of it; the same */
	const struct pm_track *track; /**< which regions, for watch_members(); NULL: that one */
};

/** A condition that was met. */
struct firing {
	const struct condition *condition; /**< which */
	const struct threshold *threshold; /**< the last one of its values that was passed */
	double value;                      /**< what was compared, in the unit of the threshold */
	struct culprit culprit;            /**< the region that is to blame, or most of all */
};

/**
 * What a condition compares, now.
 *
 * @param condition  the condition
 * @param watch      the process
 * @param value      where to store it, in the unit of the thresholds
 * @return           false where it is not known: there is no limit, or nothing grows steadily
 */
bool evaluate_measure(const struct condition *condition, const struct watch *watch, double *value);

/**
 * Whether evaluate_conditions() would find a condition met. Nothing that is followed needs to know
 * of the sample yet.
 *
 * @param condition  the condition
 * @param watch      the process
 * @param again      thresholds are met more than once
 * @param cool_down  seconds between two times
 * @return           true or false
 */
bool evaluate_is_met(const struct condition *condition, const struct watch *watch, bool again,
                     double cool_down);

/**
 * Looks at one condition. Each threshold is met once; with `again` once more after each cool-down,
 * as long as it holds. Several that are passed at the same time are met as one.
 *
 * @param condition  the condition; remembers what was met
 * @param watch      the process
 * @param again      thresholds are met more than once
 * @param cool_down  seconds between two times
 * @param firing     filled where it is met
 * @return           whether it is met now
 */
bool evaluate_conditions(struct condition *condition, const struct watch *watch, bool again,
                         double cool_down, struct firing *firing);

#endif
