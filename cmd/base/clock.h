/* SPDX-License-Identifier: MIT */
/** @file Times, to tell what something cost, and when the next is due. */
#ifndef CMD_BASE_CLOCK_H
#define CMD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/**
 * A time that only counts up.
 * @return microseconds since some moment
 */
static inline uint64_t clock_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/**
 * The same in the unit of intervals.
 * @return seconds since that moment
 */
static inline double clock_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/**
 * What this program has used of processors so far, in all threads.
 * @return seconds
 */
static inline double clock_cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
