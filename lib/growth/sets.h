/* SPDX-License-Identifier: MIT */
/** @file Which regions of two samples belong together: disjoint sets over both lists. Private. */
#ifndef PM_GROWTH_SETS_H
#define PM_GROWTH_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** How a region came into its set. */
enum pm_link {
	PM_LINK_OVERLAP = 1, /**< by addresses that both samples have */
	PM_LINK_ARENA = 2,   /**< as a further heap of a malloc arena */
	PM_LINK_MOVE = 4,    /**< as the same memory at another address */
};

/**
 * The regions of both samples, in sets. Regions of the second sample come behind those of the
 * first.
 */
struct pm_sets {
	const struct pm_regions *before; /**< the caller's */
	const struct pm_regions *after;  /**< the caller's */
	size_t *parent;                  /**< up the tree of its set; a root is its own parent */
	uint8_t *links;                  /**< of roots: enum pm_link bits of the whole set */
	bool *matched;                   /**< linked to a region of the other sample */
};

/**
 * Makes every region a set of its own. Release with pm_sets_deinit().
 * @return 0, or -1 when out of memory
 */
int pm_sets_init(struct pm_sets *sets, const struct pm_regions *before,
                 const struct pm_regions *after);

/** Releases them. */
void pm_sets_deinit(struct pm_sets *sets);

/**
 * The root of a region's set.
 * @param node index in both lists
 */
size_t pm_sets_root(struct pm_sets *sets, size_t node);

/**
 * Unites the sets of two regions.
 * @param one index in both lists
 * @param other the same
 */
void pm_sets_unite(struct pm_sets *sets, size_t one, size_t other, enum pm_link link);

/** The region behind an index in both lists. */
static inline const struct pm_region *pm_sets_region(const struct pm_sets *sets, size_t node)
{
	return node < sets->before->count ? &sets->before->items[node]
	                                  : &sets->after->items[node - sets->before->count];
}

/** Whether the index is one of the second sample. */
static inline bool pm_sets_is_after(const struct pm_sets *sets, size_t node)
{
	return node >= sets->before->count;
}

/**
 * Whether what is known of two regions allows them to be the same memory: they are of one kind, or
 * that of one is not known.
 */
static inline bool pm_sets_same_kind(const struct pm_region *one, const struct pm_region *other)
{
	return one->kind == other->kind || one->kind == PM_KIND_UNKNOWN ||
	       other->kind == PM_KIND_UNKNOWN;
}

#endif
