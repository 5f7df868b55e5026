/* SPDX-License-Identifier: MIT */
/**
 * @file Disjoint sets of regions of two samples; a set contains regions that belong together.
 * Private.
 */
#ifndef PM_GROWTH_SETS_H
#define PM_GROWTH_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/region.h>

/** Evidence by which two regions were united. */
enum pm_link {
	PM_LINK_OVERLAP = 1, /**< their addresses overlap */
	PM_LINK_ARENA = 2,   /**< they are heaps of the same malloc arena */
	PM_LINK_MOVE = 4,    /**< they are the same memory at different addresses */
};

/**
 * The disjoint sets. A node is the index of a region in the concatenation of both lists: first the
 * regions of the first sample, then those of the second.
 */
struct pm_sets {
	const struct pm_regions *before; /**< first sample; owned by the caller */
	const struct pm_regions *after;  /**< second sample; owned by the caller */
	size_t *parent; /**< parent of each node in the tree of its set; a root is its own parent */
	uint8_t *links; /**< for each root, the evidence by which its set was united: enum pm_link
	                   bits */
	bool *matched;  /**< for each node, whether it was united with a region of the other sample
	                 */
};

/**
 * Creates the sets: each region is in a set of its own.
 *
 * @param sets    filled; release with pm_sets_deinit()
 * @param before  the first sample; must outlive the sets
 * @param after   the second sample; must outlive the sets
 * @return        0, or -1 when out of memory
 */
int pm_sets_init(struct pm_sets *sets, const struct pm_regions *before,
                 const struct pm_regions *after);

/**
 * Releases the sets.
 * @param sets the sets
 */
void pm_sets_deinit(struct pm_sets *sets);

/**
 * Finds the root of a set.
 *
 * @param sets  the sets
 * @param node  a node of the set
 * @return      the root
 */
size_t pm_sets_root(struct pm_sets *sets, size_t node);

/**
 * Unites the sets of two nodes.
 *
 * @param sets   the sets
 * @param one    a node
 * @param other  another node
 * @param link   the evidence that the regions of both nodes belong together
 */
void pm_sets_unite(struct pm_sets *sets, size_t one, size_t other, enum pm_link link);

/** Returns the region of a node. */
static inline const struct pm_region *pm_sets_region(const struct pm_sets *sets, size_t node)
{
	if (node < sets->before->count)
		return &sets->before->items[node];
	return &sets->after->items[node - sets->before->count];
}

/** Checks whether a node is a region of the second sample. */
static inline bool pm_sets_is_after(const struct pm_sets *sets, size_t node)
{
	return node >= sets->before->count;
}

/**
 * Checks whether two regions can have the same kind: the kinds are equal, or at least one is
 * unknown.
 */
static inline bool pm_sets_same_kind(const struct pm_region *one, const struct pm_region *other)
{
	return one->kind == other->kind || one->kind == PM_KIND_UNKNOWN ||
	       other->kind == PM_KIND_UNKNOWN;
}

#endif
