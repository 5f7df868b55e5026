/* SPDX-License-Identifier: MIT */
/** @file Compares what was seen with the conditions of the user. */
#ifndef CMD_WATCH_EVENTS_EVALUATE_H
#define CMD_WATCH_EVENTS_EVALUATE_H

#include "watch/events/condition.h"
#include "watch/history.h"

/** What conditions are compared with, and how often they are met. */
struct evaluate {
	const struct watch_history *history;
	const struct pm_select *select; /**< regions of CONDITION_KIND and CONDITION_REGION */
	bool again;                     /**< thresholds are met more than once */
	double cool_down;               /**< then: minimum seconds between two times */
};

/** The region to blame for a condition, or several regions that are one row. */
struct culprit {
	bool known;          /**< there is one */
	uint64_t start;      /**< first address of the region; of several, the one that grew last */
	uint64_t end;        /**< address after its last byte */
	uint64_t own;        /**< resident and swapped bytes of that region */
	uint64_t weight;     /**< resident and swapped bytes of all regions */
	size_t count;        /**< number of regions */
	enum pm_kind kind;   /**< kind of the region */
	const char *mapping; /**< its name, valid until the next sample */
	struct pm_detail detail;      /**< its detail, valid until the next sample */
	const struct pm_track *track; /**< all regions; NULL: there is only that one */
};

/** A condition that was met. */
struct firing {
	const struct condition *condition; /**< the condition */
	const struct threshold *threshold; /**< the last of its values that was passed */
	double value;                      /**< the value that was seen, in the unit of these */
	struct culprit culprit;            /**< the region that is most to blame */
};

/**
 * Finds the current value that a condition compares.
 *
 * @param condition  the condition
 * @param evaluate   what to compare with
 * @param value      receives the value, in the unit of the thresholds
 * @return           false: it is not known, for lack of a limit or of steady growth
 */
bool evaluate_measure(const struct condition *condition, const struct evaluate *evaluate,
                      double *value);

/**
 * Whether evaluate_condition() would find a condition met. The tracks need not have the sample yet.
 *
 * @param condition  the condition
 * @param evaluate   what to compare with
 * @return           true or false
 */
bool evaluate_is_met(const struct condition *condition, const struct evaluate *evaluate);

/**
 * Evaluates a condition. Each threshold is met once, or again after each cool-down while it holds.
 * Several thresholds that are passed in the same sample are one event.
 *
 * @param condition  the condition; remembers which thresholds were met
 * @param evaluate   what to compare with
 * @param firing     filled if it is met
 * @return           whether it is met
 */
bool evaluate_condition(struct condition *condition, const struct evaluate *evaluate,
                        struct firing *firing);

#endif
