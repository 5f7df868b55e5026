/* SPDX-License-Identifier: MIT */
/**
 * @file The regions of the processes of a family that grow.
 *
 * For most processes of a family, only totals are read. The regions of the few that grow most are
 * measured, too, as far as the budget allows.
 */
#ifndef CMD_WATCH_FAMILY_REGIONS_H
#define CMD_WATCH_FAMILY_REGIONS_H

#include "watch/family/members.h"

/** Maximum number of processes whose regions are measured. */
enum { FAMILY_REGIONS_MAX = 4 };

/** The CPU time that may be spent on regions. */
struct family_budget {
	double share; /**< maximum CPU time of watch as a share of one core; 0: no limit */
	double began; /**< CLOCK_BOOTTIME in seconds when the time started to count */
	double cpu;   /**< CPU time of this program until `began`, in seconds */
};

/**
 * Starts to count CPU time.
 * @param budget  filled
 * @param share   maximum CPU time as a share of one core; 0: no limit
 */
void family_regions_start(struct family_budget *budget, double share);

/**
 * Measures the regions of the processes that have grown most. If the regions of a process cannot be
 * measured, the reason is kept, and the process is not tried again. Adds the growth of mapped files
 * to `sum.file_change`.
 *
 * @param family   the family
 * @param members  its processes, after a sample
 * @param budget   the budget
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int family_regions_measure(const struct pm_family *family, struct family_members *members,
                           const struct family_budget *budget, struct pm_error *error);

/**
 * Finds the row of regions of a process that grows fastest.
 *
 * @param member  the process
 * @param trend   receives the trend; unchanged if there is no row
 * @return        the row; NULL if the regions are not measured, or none of them grows. Valid until
 *                the next sample
 */
const struct pm_track *family_regions_growing(const struct family_member *member,
                                              struct pm_trend *trend);

/**
 * Returns why the regions of a process cannot be measured.
 * @param member  the process
 * @return        a sentence; NULL if they can be measured, or this was not tried
 */
const char *family_regions_refused(const struct family_member *member);

/**
 * Stops measuring the regions of a process.
 * @param member  the process
 */
void family_regions_close(struct family_member *member);

#endif
