/* SPDX-License-Identifier: MIT */
/** @file What the memory of an owner consists of, in a few words, for the column `what`. */
#ifndef CMD_TARGET_OWNER_PARTS_H
#define CMD_TARGET_OWNER_PARTS_H

#include <procmem/owner.h>
#include <procmem/region.h>

#include "base/text.h"

/** The largest parts of the memory of an owner. Zeroed before the first one. */
struct owner_parts {
	void *tree;             /**< tree of tsearch(3): parts by name */
	char *note;             /**< what is known besides the parts; owned; NULL: nothing */
	size_t count;           /**< number of different names */
	uint64_t largest;       /**< bytes of the largest region */
	uint64_t largest_start; /**< its first address */
};

/**
 * Adds a region, or the part of it that belongs to the owner.
 *
 * @param parts   the parts
 * @param owner   the owner
 * @param region  the region
 * @param bytes   resident and swapped bytes of the owner in the region
 */
void owner_parts_add(struct owner_parts *parts, enum pm_owner owner, const struct pm_region *region,
                     uint64_t bytes);

/**
 * Adds what the memory of an owner consists of, such as "arena 1.6G, heap 12.0M" for malloc, or the
 * title of the owner if nothing more is known.
 *
 * @param parts  the parts
 * @param owner  the owner
 * @param text   receives the words, not escaped
 */
void owner_parts_describe(const struct owner_parts *parts, enum pm_owner owner, struct text *text);

/**
 * Releases parts.
 * @param parts  the parts; zeroed afterwards
 */
void owner_parts_deinit(struct owner_parts *parts);

#endif
