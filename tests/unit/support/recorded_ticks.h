/* SPDX-License-Identifier: MIT */
/** @file A recording of a simulated process, whose regions at each tick are known. */
#ifndef TESTS_SUPPORT_RECORDED_TICKS_H
#define TESTS_SUPPORT_RECORDED_TICKS_H

#include <procmem/recorder.h>
#include <procmem/recording.h>

/**
 * Simulates the regions of a process: some grow, some come and go, one is above 2^63.
 *
 * @param tick     number of the moment, from 0
 * @param count    number of regions, at least 8
 * @param regions  receives the regions
 */
void recorded_ticks_simulate(unsigned tick, size_t count, struct pm_regions *regions);

/**
 * Adds a tick to a recording. Every fifth sample is not fresh.
 *
 * @param recorder  the recorder
 * @param tick      number of the moment
 * @param count     number of regions
 */
void recorded_ticks_record(struct pm_recorder *recorder, unsigned tick, size_t count);

/**
 * Checks that every sample is as simulated, if it is read alone and in a walk. A sample that is not
 * fresh has the regions of the one before it.
 *
 * @param recording  the recording of ticks from 0
 * @param samples    number of ticks
 * @param count      number of regions
 */
void recorded_ticks_check(struct pm_recording *recording, unsigned samples, size_t count);

/**
 * Checks that two regions are equal, with all texts.
 *
 * @param one    a region
 * @param other  another region
 */
void recorded_ticks_assert_same(const struct pm_region *one, const struct pm_region *other);

#endif
