/* SPDX-License-Identifier: MIT */
/** @file Counting chunks of malloc in regions that have grown, without asking for the kinds of all. Private. */
#ifndef PM_KINDS_RECOUNT_H
#define PM_KINDS_RECOUNT_H

#include <procmem/kinds.h>

/**
 * Counts the chunks of malloc anew in regions that are known to hold some, and no longer stand where they stood. What is no longer clear
 * stays as it is, and so do regions of very many chunks.
 *
 * @param regions   the regions, with their kinds
 * @param before    what they were before
 * @param evidence  as for pm_kinds_assign()
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_recount(struct pm_regions *regions, const struct pm_regions *before, const struct pm_kinds_evidence *evidence,
                     struct pm_error *error);

/** Whether there is any such region. @param regions, before as above @return true or false */
bool pm_kinds_must_recount(const struct pm_regions *regions, const struct pm_regions *before);

#endif
