/* SPDX-License-Identifier: MIT */
/** @file Times, to tell what something cost. */
#ifndef CMD_CLOCK_H
#define CMD_CLOCK_H

#include <stdint.h>
#include <time.h>

/** A time that only counts up. @return microseconds since some moment */
static inline uint64_t clock_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

#endif
