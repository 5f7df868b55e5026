/* SPDX-License-Identifier: MIT */
/** @file Measuring how long something takes. Private. */
#ifndef PM_BASE_CLOCK_H
#define PM_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/**
 * Time on a clock (clock_gettime(2)).
 * @param clock which one
 * @return nanoseconds
 */
static inline uint64_t pm_clock_ns(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif
