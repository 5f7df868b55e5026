/* SPDX-License-Identifier: MIT */
/**
 * @file Counts malloc chunks in anonymous regions that have changed, without classifying all
 * regions. Private.
 */
#ifndef PM_KINDS_RECOUNT_H
#define PM_KINDS_RECOUNT_H

#include <procmem/kinds.h>

/**
 * Counts the malloc chunks in anonymous regions whose range has changed: in those known to have
 * chunks, and in those known to have none. Results that are not certain are ignored, and so are
 * regions of very many chunks.
 *
 * @param regions   the regions, with their kinds
 * @param before    the regions of the previous sample
 * @param evidence  as for pm_kinds_assign()
 * @param wrong     receives true if a region has another kind than assumed, or if there are too
 *                  many regions: then nothing is changed, and all regions must be classified
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_recount(struct pm_regions *regions, const struct pm_regions *before,
                     const struct pm_kinds_evidence *evidence, bool *wrong, struct pm_error *error);

/**
 * Returns whether there is a region for pm_kinds_recount().
 *
 * @param regions  the regions, with their kinds
 * @param before   the regions of the previous sample
 * @return         true or false
 */
bool pm_kinds_must_recount(const struct pm_regions *regions, const struct pm_regions *before);

#endif
