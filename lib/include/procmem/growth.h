/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The difference of two samples: which regions of the first sample correspond to which regions of
 * the second sample, and by how much these regions grew or shrank.
 *
 * Regions have no lasting identity. The kernel merges adjacent regions, and splits regions that are
 * partly unmapped or protected. It places new mappings of malloc directly below older ones, so a
 * region grows downwards. mremap(2) moves regions. The regions of the two samples are therefore
 * matched by these criteria, the most reliable first:
 * - overlapping addresses, and the same backing, kind and permissions
 * - the same malloc arena
 * - the stack of the same thread
 * - the same file and offset
 * - for anonymous memory that mremap(2) may have moved: the same permissions and kind, and neither
 *   the size nor the RSS decreased. Two regions are matched only if each is the only candidate for
 *   the other
 * - overlapping addresses and the same backing, whatever the kinds and permissions (the kind of a
 *   region may be known in only one of the samples)
 *
 * Regions that match each other form a part. A region that matches no other region is a part alone.
 * Every region is in exactly one part, so the sums over all parts are the totals of the samples.
 */
#ifndef PROCMEM_GROWTH_H
#define PROCMEM_GROWTH_H

#include <procmem/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How the regions of a part (struct pm_growth_part) changed. If several values apply,
 * PM_CHANGE_MERGED and PM_CHANGE_SPLIT take precedence over PM_CHANGE_MOVED, and PM_CHANGE_MOVED
 * takes precedence over PM_CHANGE_GREW, PM_CHANGE_SHRANK and PM_CHANGE_SAME. For a malloc arena,
 * PM_CHANGE_MERGED and PM_CHANGE_SPLIT are not used: its number of regions changes because it gains
 * or loses heaps.
 */
enum pm_change {
	PM_CHANGE_SAME, /**< neither the size nor the weight changed */
	/**
	 * The weight (pm_growth_weight()) increased, or the weight is the same and the size
	 * increased
	 */
	PM_CHANGE_GREW,
	/** The weight decreased, or the weight is the same and the size decreased */
	PM_CHANGE_SHRANK,
	PM_CHANGE_NEW,    /**< the part has regions only in the second sample */
	PM_CHANGE_GONE,   /**< the part has regions only in the first sample */
	PM_CHANGE_MERGED, /**< the number of regions decreased */
	PM_CHANGE_SPLIT,  /**< the number of regions increased */
	PM_CHANGE_MOVED,  /**< the same memory at another address */
	PM_CHANGE_COUNT,  /**< number of values of this enum */
};

/** Sizes that are compared, in bytes. */
struct pm_growth_sizes {
	uint64_t size; /**< length in the address space */
	uint64_t rss;  /**< resident bytes; 0 if unknown */
	uint64_t swap; /**< swapped bytes; 0 if unknown */
};

/**
 * Value of pm_growth_part.before if the part has no region in the first sample, and of
 * pm_growth_part.after if it has none in the second sample.
 */
#define PM_GROWTH_NONE SIZE_MAX

/**
 * Regions of the first sample, and the regions of the second sample that match them. The part of
 * regions that appeared or disappeared has regions of only one sample.
 */
struct pm_growth_part {
	enum pm_change change; /**< how the regions changed */
	/**
	 * Index, in the first sample, of the heaviest region of the part (pm_growth_weight()).
	 * PM_GROWTH_NONE if the part has no region in the first sample.
	 */
	size_t before;
	/**
	 * Index, in the second sample, of the heaviest region of the part (pm_growth_weight()).
	 * PM_GROWTH_NONE if the part has no region in the second sample.
	 */
	size_t after;
	size_t before_count;        /**< number of regions of the part in the first sample */
	size_t after_count;         /**< number of regions of the part in the second sample */
	struct pm_growth_sizes was; /**< total sizes of the part in the first sample */
	struct pm_growth_sizes is;  /**< total sizes of the part in the second sample */
};

/** The difference of two samples. Release with pm_growth_deinit(). */
struct pm_growth {
	/** The parts, sorted by the lowest address of their regions in both samples; owned */
	struct pm_growth_part *parts;
	size_t count; /**< number of parts */
	/** For each region of the first sample: the index of its part in `parts`; owned */
	size_t *before_part;
	/** For each region of the second sample: the index of its part in `parts`; owned */
	size_t *after_part;
	struct pm_growth_sizes was; /**< total sizes of all regions of the first sample */
	struct pm_growth_sizes is;  /**< total sizes of all regions of the second sample */
};

/**
 * Compares two samples of one process. Regions of the first sample are matched with regions of the
 * second sample. The matches are more reliable if the kinds, threads and arenas of the regions are
 * known.
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
 * Returns the name of a change, as in listings and JSON, such as "grew".
 * @param change the change
 * @return a constant string
 */
PM_PUBLIC const char *pm_change_name(enum pm_change change);

#ifdef __cplusplus
}
#endif

#endif
