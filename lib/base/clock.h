/* SPDX-License-Identifier: MIT */
/** @file Reading clocks, to measure durations. Private. */
#ifndef PM_BASE_CLOCK_H
#define PM_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Nanoseconds in a second. */
enum { PM_NS_PER_SECOND = 1000000000 };

/**
 * Reads a clock (clock_gettime(2)).
 * @param clock  the clock, such as CLOCK_MONOTONIC
 * @return       the time of the clock in nanoseconds
 */
static inline uint64_t pm_clock_ns(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * PM_NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

#endif
