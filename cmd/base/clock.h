/* SPDX-License-Identifier: MIT */
/** @file Clocks: elapsed time, and the processor time that the program has used. */
#ifndef CMD_BASE_CLOCK_H
#define CMD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/**
 * Reads CLOCK_MONOTONIC.
 * @return microseconds since an unspecified start
 */
static inline uint64_t clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/**
 * Reads CLOCK_MONOTONIC.
 * @return seconds since the same start as clock_us()
 */
static inline double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/**
 * Reads CLOCK_BOOTTIME, the clock of samples.
 * @return seconds since the machine booted, including the time in suspend
 */
static inline double clock_boot_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/**
 * Reads the processor time of this program, of all threads.
 * @return seconds
 */
static inline double clock_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/**
 * Reads the processor time of the calling thread.
 * @return seconds
 */
static inline double clock_thread_cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
