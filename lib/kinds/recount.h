/* SPDX-License-Identifier: MIT */
/**
 * @file Counting chunks of malloc in anonymous regions that have changed, without asking for the
 * kinds of all. Private.
 */
#ifndef PM_KINDS_RECOUNT_H
#define PM_KINDS_RECOUNT_H

#include <procmem/kinds.h>

/**
 * Counts the chunks of malloc anew in anonymous regions that no longer stand where they stood:
 * those that are taken to have some, and those that are taken to have none. What is no longer clear
 * stays as it is, and so do regions of very many chunks.
 *
 * @param regions   the regions, with their kinds
 * @param before    what they were before
 * @param evidence  as for pm_kinds_assign()
 * @param wrong     where to store whether one has chunks that was taken to have none, or the other
 * way round, or whether they are too many: then nothing is changed, and the kinds of all must be
 * asked for
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_recount(struct pm_regions *regions, const struct pm_regions *before,
                     const struct pm_kinds_evidence *evidence, bool *wrong, struct pm_error *error);

/**
 * Whether there is any such region.
 * @param regions, before as above
 * @return true or false
 */
bool pm_kinds_must_recount(const struct pm_regions *regions, const struct pm_regions *before);

#endif
