/* SPDX-License-Identifier: MIT */
/** @file The regions that a row is made of. */
#ifndef CMD_WATCH_MEMBERS_H
#define CMD_WATCH_MEMBERS_H

#include <procmem/select.h>

#include "watch/watch.h"

/**
 * Collects the regions of a track at the last look.
 *
 * @param watch  the process
 * @param track  one of its tracks
 * @param count  where to store how many there are
 * @return       they, by ascending address; the caller frees it
 */
struct pm_region_range *watch_members(const struct watch *watch, const struct pm_track *track,
                                      size_t *count);

/**
 * Adds how many more regions there are than the one that is told: " +5"; nothing where there are
 * none.
 *
 * @param count  all
 * @param text   gets it
 */
void watch_members_add_more(size_t count, struct text *text);

#endif
