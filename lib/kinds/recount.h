/* SPDX-License-Identifier: MIT */
/**
 * @file Counts malloc chunks in anonymous regions that have changed, without classifying all
 * regions. Private.
 */
#ifndef PM_KINDS_RECOUNT_H
#define PM_KINDS_RECOUNT_H

#include <procmem/kinds.h>

/**
 * Counts the malloc chunks in the regions of kind malloc and anon whose addresses changed, and
 * updates their details. A region in which no chunk was found is not changed if its first bytes
 * could not be read. Regions with very many chunks are omitted.
 *
 * @param regions   the regions, with their kinds
 * @param before    the regions of the previous sample
 * @param evidence  as for pm_kinds_assign()
 * @param wrong     receives true if the kind of a region is wrong, or if too many regions have new
 *                  addresses. In both cases, no region is changed, and the caller must classify all
 *                  regions
 * @param error     PM_ERROR_GONE, PM_ERROR_RESOURCES
 * @return          0 or -1
 */
int pm_kinds_recount(struct pm_regions *regions, const struct pm_regions *before,
                     const struct pm_kinds_evidence *evidence, bool *wrong, struct pm_error *error);

/**
 * Returns whether there is a region that pm_kinds_recount() would examine.
 *
 * @param regions  the regions, with their kinds
 * @param before   the regions of the previous sample
 * @return         true or false
 */
bool pm_kinds_must_recount(const struct pm_regions *regions, const struct pm_regions *before);

#endif
