/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Decides whether the observation of a process can end early, because further samples would not
 * change the verdict.
 */
#ifndef CMD_WHY_EARLY_H
#define CMD_WHY_EARLY_H

#include <procmem/process.h>
#include <procmem/series.h>
#include <procmem/tracker.h>

/** What is known when the observation starts. */
struct why_early {
	double seconds; /**< how long the observation is meant to last */
	double age;     /**< time since the process started, in seconds; 0: not known */
	uint64_t peak;  /**< highest resident size before, in bytes (VmHWM); 0: not known */
};

/**
 * Notes what is known at the start.
 *
 * @param early    filled
 * @param seconds  how long the observation is meant to last
 * @param info     the process at the start; NULL: nothing is known, so it will not end early
 */
void why_early_begin(struct why_early *early, double seconds, const struct pm_process_info *info);

/**
 * Tests whether the verdicts are sure. Only growth can be: that nothing grows gets surer with each
 * second. All of this must be true:
 *
 * - Three fifths of the time have passed, and at least 15 seconds.
 * - The process is at least as old as the observation is meant to last, and nearly all of the
 *   growth is above the highest size that it ever had. What rises and falls in a period that
 *   the rest of the time could show has had a peak before: it would be below this peak for a part
 *   of its rise.
 * - The memory grows steadily, and has not fallen by more than 5 % of its change.
 * - Each region that changes by 32 KiB or more grows steadily in this sense, too. A sawtooth, steps
 *   or growth that has stopped need the whole time: something slow can be hidden beneath.
 *
 * @param early    as why_early_begin() has filled it
 * @param memory   resident and swapped bytes of the process so far
 * @param tracker  the regions so far
 * @return         true if the observation can end
 */
bool why_early_is_sure(const struct why_early *early, const struct pm_series *memory,
                       const struct pm_tracker *tracker);

#endif
