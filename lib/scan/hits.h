/* SPDX-License-Identifier: MIT */
/** @file Collects the hits of a window. Private. */
#ifndef PM_SCAN_HITS_H
#define PM_SCAN_HITS_H

#include "scan/scanner.h"

/**
 * Adds a hit.
 *
 * @param hits   the collection
 * @param found  the hit; copied
 * @param error  PM_ERROR_RESOURCES
 * @return       0 or -1
 */
int pm_hits_add(struct pm_hits *hits, const struct pm_found *found, struct pm_error *error);

/**
 * Releases the hits.
 * @param hits  the collection
 */
void pm_hits_deinit(struct pm_hits *hits);

/**
 * Sorts the hits by their start, calls pm_hits.consume, and removes all hits.
 *
 * @param hits    the collection; empty afterwards
 * @param window  the window of the hits
 * @param error   any error
 * @return        the result of pm_hits.consume; 0 if there are no hits
 */
int pm_hits_flush(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error);

#endif
