/* SPDX-License-Identifier: MIT */
/** @file FILL hits.c */
#ifndef PM_SCAN_HITS_H
#define PM_SCAN_HITS_H

#include "scan/scanner.h"

/**
 * Adds a hit.
 * @param hits the collection
 * @param found the hit, copied
 * @param error PM_ERROR_RESOURCES
 * @return 0 or -1
 */
int pm_hits_add(struct pm_hits *hits, const struct pm_found *found, struct pm_error *error);

/**
 * Releases the array.
 * @param hits the collection
 */
void pm_hits_deinit(struct pm_hits *hits);

/**
 * Hands all on, by ascending start.
 * @param hits empty afterwards
 * @param window where they are
 * @param error any
 * @return as pm_hits.take
 */
int pm_hits_flush(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error);

#endif
