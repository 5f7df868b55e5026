/* SPDX-License-Identifier: MIT */
/** @file A region as human-readable text. */
#ifndef CMD_TARGET_REGION_TEXT_H
#define CMD_TARGET_REGION_TEXT_H

#include <procmem/detail.h>
#include <procmem/region.h>

#include "base/text.h"

/**
 * Adds the detail of a region.
 *
 * @param detail  the detail
 * @param text    receives the text of the detail, not escaped
 */
void region_text_detail(const struct pm_detail *detail, struct text *text);

/**
 * Adds the address range, permissions, kind, mapping and detail of a region, escaped, without a
 * newline.
 *
 * @param text    receives the text
 * @param region  the region
 */
void region_text_words(struct text *text, const struct pm_region *region);

/**
 * Adds the name of a region's mapping as the kernel shows it, " (deleted)" included.
 *
 * @param region  the region
 * @param brief   whether to omit the directory of a file
 * @param text    receives the name
 */
void region_text_mapping(const struct pm_region *region, bool brief, struct text *text);

#endif
