/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The difference of two samples: which regions of one became which of the other, and where each
 * byte went.
 *
 * Regions have no permanent names. The kernel merges neighbours, splits regions that are partly
 * unmapped or protected, lets malloc's mappings grow downwards, and mremap(2) moves them. Regions
 * are therefore matched, the surest evidence first: overlap of addresses with the same backing,
 * kind and permissions; the same malloc arena; the stack of the same thread; the same file and
 * offset; for anonymous memory a move that only one pair explains; finally addresses alone, because
 * more may be known about the same memory. Matched regions form a part. Every region is in exactly
 * one part, so that the sums of the parts are the difference of the totals.
 */
#ifndef PROCMEM_GROWTH_H
#define PROCMEM_GROWTH_H

#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The change of a part. */
enum pm_change {
	PM_CHANGE_SAME,   /**< neither length nor resident bytes changed */
	PM_CHANGE_GREW,   /**< more resident bytes; or as many, and longer */
	PM_CHANGE_SHRANK, /**< fewer resident bytes; or as many, and shorter */
	PM_CHANGE_NEW,    /**< only in the second sample */
	PM_CHANGE_GONE,   /**< only in the first sample */
	PM_CHANGE_MERGED, /**< several regions became fewer */
	PM_CHANGE_SPLIT,  /**< the number of regions increased */
	PM_CHANGE_MOVED,  /**< the same memory at another address */
	PM_CHANGE_COUNT,  /**< number of changes, for tables */
};

/** Sizes that are compared, in bytes. */
struct pm_growth_sizes {
	uint64_t size; /**< length in the address space */
	uint64_t rss;  /**< resident bytes; 0 if unknown */
	uint64_t swap; /**< swapped bytes; 0 if unknown */
};

/** Index of the region of a part that has none in that sample. */
#define PM_GROWTH_NONE SIZE_MAX

/** Regions of both samples that belong together. */
struct pm_growth_part {
	enum pm_change change; /**< the change */
	size_t before; /**< index of the heaviest region in the first sample, or PM_GROWTH_NONE */
	size_t after;  /**< index of the heaviest region in the second sample, or PM_GROWTH_NONE */
	size_t before_count;        /**< number of regions in the first sample */
	size_t after_count;         /**< number of regions in the second sample */
	struct pm_growth_sizes was; /**< sums of the first sample */
	struct pm_growth_sizes is;  /**< sums of the second sample */
};

/** The difference of two samples. Release with pm_growth_deinit(). */
struct pm_growth {
	struct pm_growth_part *parts; /**< by ascending address of their first region */
	size_t count;                 /**< number of parts */
	size_t *before_part; /**< for each region of the first sample the index of its part */
	size_t *after_part;  /**< for each region of the second sample the index of its part */
	struct pm_growth_sizes was; /**< totals of the first sample */
	struct pm_growth_sizes is;  /**< totals of the second sample */
};

/**
 * Compares two samples of one process. Kinds, threads and arenas improve the matching, but none of
 * them is required.
 *
 * @param before  the first sample
 * @param after   the second sample
 * @param growth  filled; release with pm_growth_deinit()
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
PM_PUBLIC int pm_growth_compare(const struct pm_regions *before, const struct pm_regions *after,
                                struct pm_growth *growth, struct pm_error *error);

/**
 * Releases a difference.
 * @param growth as filled by pm_growth_compare(), or zeroed
 */
PM_PUBLIC void pm_growth_deinit(struct pm_growth *growth);

/**
 * Returns the weight of sizes: resident and swapped bytes together.
 * @param sizes the sizes
 * @return bytes
 */
static inline uint64_t pm_growth_weight(const struct pm_growth_sizes *sizes)
{
	return sizes->rss + sizes->swap;
}

/**
 * Returns the name of a change, as in listings and JSON: "grew".
 * @param change the change
 * @return a constant string
 */
PM_PUBLIC const char *pm_change_name(enum pm_change change);

#ifdef __cplusplus
}
#endif

#endif
