/* SPDX-License-Identifier: MIT */
/** @file Compares the samples with the conditions of --on. */
#ifndef CMD_WATCH_EVENTS_EVALUATE_H
#define CMD_WATCH_EVENTS_EVALUATE_H

#include "watch/events/condition.h"
#include "watch/history.h"

/** The values that conditions are compared with, and how often a condition can be met. */
struct evaluate {
	const struct watch_history *history;
	const struct pm_select *select; /**< chosen regions; only CONDITION_KIND and
	                                   CONDITION_REGION are restricted to them */
	bool again;       /**< actions can be performed more than once for the same threshold */
	double cool_down; /**< if `again`: minimum time between two events of the same threshold, in
	                     seconds */
};

/** The region to blame for a condition, or the row to blame, with all its regions. */
struct culprit {
	bool known; /**< a culprit was found; if not, all other members are zero */
	/**
	 * First address of the region. If the row has several regions, the one that grew last is
	 * used.
	 */
	uint64_t start;
	uint64_t end;            /**< address after the last byte of that region */
	uint64_t own;            /**< resident and swapped bytes of that region */
	uint64_t weight;         /**< resident and swapped bytes of all regions of the row */
	size_t count;            /**< number of regions */
	enum pm_kind kind;       /**< kind of the region */
	const char *mapping;     /**< name of the mapping, valid until the next sample */
	struct pm_detail detail; /**< detail of the region, valid until the next sample */
	/** The row, with all its regions; NULL if a single region is to blame. */
	const struct pm_track *track;
};

/** A condition that was met. */
struct firing {
	const struct condition *condition; /**< the condition */
	const struct threshold *threshold; /**< the threshold that was passed, the last one if
	                                      several were passed at once */
	double value;           /**< the value that was compared, in the unit of the thresholds */
	struct culprit culprit; /**< the region that is most to blame */
};

/**
 * Computes the current value that a condition compares.
 *
 * @param condition  the condition
 * @param evaluate   the values to compare with
 * @param value      receives the value, in the unit of the thresholds
 * @return           false if the value is not known because there is no memory limit, or because
 *                   growth is not steady
 */
bool evaluate_measure(const struct condition *condition, const struct evaluate *evaluate,
                      double *value);

/**
 * Checks whether evaluate_condition() would find a condition met. Does not change the condition.
 * The last sample need not be in the tracks yet.
 *
 * @param condition  the condition
 * @param evaluate   the values to compare with
 * @return           true or false
 */
bool evaluate_is_met(const struct condition *condition, const struct evaluate *evaluate);

/**
 * Evaluates a condition. Each threshold is met only once or, if `again` is set, once more after
 * each cool-down while its comparison holds. Several thresholds that are passed in the same sample
 * are one event.
 *
 * @param condition  the condition; remembers which thresholds were met
 * @param evaluate   the values to compare with
 * @param firing     filled if the condition is met
 * @return           true if the condition is met
 */
bool evaluate_condition(struct condition *condition, const struct evaluate *evaluate,
                        struct firing *firing);

#endif
