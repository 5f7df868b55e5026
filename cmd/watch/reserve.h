/* SPDX-License-Identifier: MIT */
/** @file The reserves into which a watched process grows. */
#ifndef CMD_WATCH_RESERVE_H
#define CMD_WATCH_RESERVE_H

#include <procmem/reserve.h>
#include <procmem/sample.h>
#include <procmem/tracker.h>

#include "view/json.h"

/** A reserve. Sizes are in bytes. */
struct watch_reserve {
	enum pm_reserve_type type; /**< type of the reserve */
	uint64_t start;            /**< first address of the used part */
	uint64_t end;              /**< address after the last byte of the reserve */
	uint64_t used;             /**< length of the used part */
	struct pm_trend trend;     /**< trend of the used part */
	bool lasts;                /**< `seconds` is known */
	double seconds;            /**< time until the reserve is used up */
};

/** The reserves of a process. A zeroed struct has none. */
struct watch_reserves {
	struct pm_reserves *found;   /**< finds the reserves; owned; NULL in a copy */
	struct watch_reserve *items; /**< valid after watch_reserve_judge(), until the next sample;
	                                owned */
	size_t count;                /**< number of reserves */
};

/**
 * Adds the regions of a sample, unless --budget did not allow the regions to be measured.
 *
 * @param reserves  the reserves
 * @param sample    the sample
 * @param process   the process; NULL if a recording is read
 * @param error     PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int watch_reserve_add(struct watch_reserves *reserves, const struct pm_sample *sample,
                      struct pm_process *process, struct pm_error *error);

/**
 * Computes the trends of all reserves.
 * @param reserves the reserves, not a copy
 */
void watch_reserve_judge(struct watch_reserves *reserves);

/**
 * Finds the reserve into which the representative region of a track grows.
 * @param reserves the reserves
 * @param track the track
 * @return the reserve; NULL if there is none
 */
const struct watch_reserve *watch_reserve_of(const struct watch_reserves *reserves,
                                             const struct pm_track *track);

/**
 * Finds the reserve that will be used up first.
 * @param reserves the reserves
 * @return the reserve; NULL if no time is known
 */
const struct watch_reserve *watch_reserve_soonest(const struct watch_reserves *reserves);

/**
 * Adds a description: "grows into a reserve of 2.0G (11 % used): full in 52m 0s".
 * @param reserve the reserve
 * @param text receives the description
 */
void watch_reserve_describe(const struct watch_reserve *reserve, struct text *text);

/**
 * Writes a reserve as the member `reserve`.
 * @param json the output, within an object
 * @param reserve the reserve, or NULL: nothing is added
 */
void watch_reserve_json(struct json *json, const struct watch_reserve *reserve);

/**
 * Copies the reserves, without what finds them.
 * @param reserves the reserves
 * @return the copy; release with watch_reserve_deinit()
 */
struct watch_reserves watch_reserve_copy(const struct watch_reserves *reserves);

/**
 * Releases reserves.
 * @param reserves the reserves, a copy, or zeroed; zeroed afterwards
 */
void watch_reserve_deinit(struct watch_reserves *reserves);

#endif
