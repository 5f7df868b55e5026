/* SPDX-License-Identifier: MIT */
/** @file The region of a hit, as part of a JSON line and as human-readable text. */
#ifndef CMD_TARGET_REGION_TEXT_H
#define CMD_TARGET_REGION_TEXT_H

#include <procmem/detail.h>
#include <procmem/region.h>

#include "base/text.h"
#include "view/json.h"

/**
 * Makes the JSON object `{"start":…,"end":…,"kind":…,"mapping":…,"detail":…}`. Members whose values
 * are not known are left out.
 *
 * @param region  the region
 * @return        an object
 */
json_t *region_text_object(const struct pm_region *region);

/**
 * Adds the text of the object that region_text_object() makes. Fast enough for millions of lines.
 *
 * @param text    receives the object
 * @param region  the region
 */
void region_text_json(struct text *text, const struct pm_region *region);

/**
 * Adds the detail of a region.
 *
 * @param detail  the detail
 * @param text    receives the text of the detail, not escaped
 */
void region_text_detail(const struct pm_detail *detail, struct text *text);

/**
 * Makes JSON of the detail of a region.
 *
 * @param detail  the detail, not PM_DETAIL_NONE
 * @return        a string
 */
json_t *region_text_detail_json(const struct pm_detail *detail);

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
