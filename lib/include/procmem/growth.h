/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The difference of two samples: which regions of one became which of the other, and where each
 * byte went.
 *
 * Regions have no names that last. The kernel merges neighbours, splits what is partly unmapped or
 * protected, lets malloc's mappings grow downwards and mremap(2) move them. Regions are therefore
 * matched, the surest evidence first: overlap of addresses with the same backing, kind and
 * permissions; the same malloc arena; the same thread's stack; the same file and offset; for
 * anonymous memory a move that only one pair explains; and at last addresses alone, because more
 * may be known of the same memory. What belongs together forms one part; every region is in exactly
 * one part, so that the parts' sums are the totals' difference.
 */
#ifndef PROCMEM_GROWTH_H
#define PROCMEM_GROWTH_H

#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a part. */
enum pm_change {
	PM_CHANGE_SAME,   /**< neither its length nor its resident bytes changed */
	PM_CHANGE_GREW,   /**< more resident bytes; or as many, and longer */
	PM_CHANGE_SHRANK, /**< fewer resident bytes; or as many, and shorter */
	PM_CHANGE_NEW,    /**< was not there before */
	PM_CHANGE_GONE,   /**< is there no more */
	PM_CHANGE_MERGED, /**< several became fewer */
	PM_CHANGE_SPLIT,  /**< one became several */
	PM_CHANGE_MOVED,  /**< the same memory at another address */
	PM_CHANGE_COUNT,  /**< number of changes, for tables */
};

/** Sizes that are compared, in bytes. */
struct pm_growth_sizes {
	uint64_t size; /**< length in the address space */
	uint64_t rss;  /**< resident; 0 where not known */
	uint64_t swap; /**< swapped out; 0 where not known */
};

/** Index of a part's region where it has none on that side. */
#define PM_GROWTH_NONE SIZE_MAX

/** Regions of both samples that belong together. */
struct pm_growth_part {
	enum pm_change change; /**< what became of it */
	size_t before; /**< index of the region with the most resident bytes in the first sample, or
	                  PM_GROWTH_NONE */
	size_t after;  /**< the same in the second sample */
	size_t before_count;        /**< how many regions it has in the first sample */
	size_t after_count;         /**< how many in the second */
	struct pm_growth_sizes was; /**< sums of the first sample */
	struct pm_growth_sizes is;  /**< sums of the second */
};

/** The difference of two samples. Release with pm_growth_deinit(). */
struct pm_growth {
	struct pm_growth_part *parts; /**< by ascending address of their first region */
	size_t count;                 /**< how many */
	size_t *before_part; /**< for each region of the first sample the index of its part */
	size_t *after_part;  /**< for each region of the second sample the index of its part */
	struct pm_growth_sizes was; /**< totals of the first sample */
	struct pm_growth_sizes is;  /**< totals of the second */
};

/**
 * Compares two samples of one process. Kinds, threads and arenas make the matching surer where they
 * are filled in; nothing of them is needed.
 *
 * @param before  the first sample
 * @param after   the second
 * @param growth  filled; not initialised before
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
 * Resident and swapped bytes together: what a part weighs.
 * @param sizes the sizes
 * @return bytes
 */
static inline uint64_t pm_growth_weight(const struct pm_growth_sizes *sizes)
{
	return sizes->rss + sizes->swap;
}

/**
 * Word for a change, as in listings and JSON: "grew".
 * @param change the change
 * @return a constant text
 */
PM_PUBLIC const char *pm_change_name(enum pm_change change);

#ifdef __cplusplus
}
#endif

#endif
