/* SPDX-License-Identifier: MIT */
/** @file The lives of a followed process: how long they lasted, and how much memory they had. */
#ifndef CMD_WATCH_FAMILY_LIVES_H
#define CMD_WATCH_FAMILY_LIVES_H

#include "watch/family/members.h"

/** The lives that have ended, and the age of the one that lasts. */
struct family_lives {
	size_t ended;    /**< number of all lives that have ended; others with this name
	                    do not count */
	size_t known;    /**< number of those whose duration and memory are known: the last ones */
	double shortest; /**< duration of the shortest of the `known` ones, in seconds */
	double longest;  /**< duration of the longest */
	uint64_t peak;   /**< highest memory in a sample of the `known` ones, in bytes */
	const struct family_member *last; /**< the one that ended last; NULL if none is known */
	double age;                       /**< age in seconds of the life that lasts; 0: none */
};

/**
 * Finds the lives.
 * @param members  the processes; each `followed` one is a life. Must outlive `lives`
 * @param lives    receives the lives
 */
void family_lives_read(const struct family_members *members, struct family_lives *lives);

/**
 * Adds a sentence about the lives that have ended: "4 lives ended, each about 20s long, peak seen
 * 41.0M, the last grew +2.0M/s". There must be one whose duration is known.
 *
 * @param lives  the lives, after family_members_judge()
 * @param bytes  true: print sizes in bytes; false: with units
 * @param text   receives the sentence
 */
void family_lives_describe(const struct family_lives *lives, bool bytes, struct text *text);

/**
 * Checks whether a process must live longer than all before it until a time.
 * @param lives    the lives
 * @param seconds  the time, from now on
 * @return         true or false; false if no life has ended
 */
bool family_lives_end_before(const struct family_lives *lives, double seconds);

#endif
