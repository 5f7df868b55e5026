/* SPDX-License-Identifier: MIT */
/**
 * @file What a new list of regions keeps from the one before, and which of its regions must be
 * looked at. Private.
 */
#ifndef PM_SAMPLE_INHERIT_H
#define PM_SAMPLE_INHERIT_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/pagemap.h>
#include <procmem/region.h>
#include <procmem/sample.h>

#include "region/pagemap.h"

/** Which regions can have changed. */
struct pm_suspects {
	bool all;     /**< every one */
	bool private; /**< those with private pages */
	bool file;    /**< those with a file or shared memory behind */
};

/** Who is suspect after the totals went from one state to another. */
struct pm_suspects pm_suspects_find(const struct pm_totals *was, const struct pm_totals *is);

/**
 * Takes over sizes and kinds. A region that stands where it stood keeps all, sizes where it has
 * none yet; one that overlaps a former one of the same sort keeps its kind.
 *
 * @param before   the list before
 * @param regions  the new list; texts are copied into it
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int pm_inherit(const struct pm_regions *before, struct pm_regions *regions, struct pm_error *error);

/**
 * Measures the suspects, and the regions that have no sizes yet.
 *
 * @param observer  told of each run of pages; NULL for nobody
 * @param exact     where to store false if some may differ from smaps; else left alone
 * @return          0 or -1
 */
int pm_suspects_measure(struct pm_pagemap *pagemap, struct pm_suspects suspects,
                        struct pm_regions *regions, const struct pm_page_observer *observer,
                        bool *exact, struct pm_error *error);

#endif
