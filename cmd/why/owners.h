/* SPDX-License-Identifier: MIT */
/** @file Memory by owner over time, the owners of regions, and the types of Python objects. */
#ifndef CMD_WHY_OWNERS_H
#define CMD_WHY_OWNERS_H

#include <procmem/owner_sums.h>
#include <procmem/python_heap.h>
#include <procmem/sample.h>
#include <procmem/series.h>

/** The owner of a region. */
struct why_region_owner {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	uint8_t owner;  /**< enum pm_owner */
	bool proven;    /**< the owner is proven */
};

/** Memory by owner. Zeroed before the first use. */
struct why_owners {
	struct pm_series series[PM_OWNER_COUNT]; /**< resident and swapped bytes of each owner */
	struct pm_owner_sums last;               /**< the last sums */
	bool known;                              /**< there are sums */
	struct why_region_owner *regions;        /**< of the last sample, ascending; owned */
	size_t region_count;                     /**< number of elements of `regions` */
	size_t region_capacity;                  /**< allocated elements */
	struct pm_python_heap *first_types;    /**< types at the start; NULL if not known; owned */
	struct pm_python_heap *last_types;     /**< types at the end; NULL if not known; owned */
	struct pm_series java_collections;     /**< collections of a JVM since its start */
	struct pm_series java_old_collections; /**< of these, collections of old objects */
	struct pm_series java_used;            /**< bytes of old objects of Java */
	uint64_t java_used_max;                /**< maximum of `java_used`; 0 if not known */
	struct pm_series go_collections;       /**< collections of Go since its start */
	struct pm_series go_used;              /**< bytes of objects of Go */
	struct pm_series go_live;              /**< of these, what the last collection has left */
	double first_time;                     /**< time of `first_types`, in seconds */
	double last_time;                      /**< time of `last_types`, in seconds */
};

/**
 * Adds a sample.
 *
 * @param owners   the owners; release with why_owners_deinit()
 * @param process  the target
 * @param sample   the sample
 * @param error    PM_ERROR_RESOURCES
 * @return         0 or -1
 */
int why_owners_add(struct why_owners *owners, struct pm_process *process,
                   const struct pm_sample *sample, struct pm_error *error);

/**
 * Notes the owners of the regions of the last sample.
 *
 * @param owners   the owners
 * @param regions  the regions with their owners, ascending
 */
void why_owners_note_regions(struct why_owners *owners, const struct pm_regions *regions);

/**
 * Adds the sums that are in why_owners.last.
 *
 * @param owners  the owners
 * @param time    time of the sums, in seconds
 * @param error   PM_ERROR_RESOURCES
 * @return        0 or -1
 */
int why_owners_add_sums(struct why_owners *owners, double time, struct pm_error *error);

/**
 * Counts the objects of Python by type, if there is a Python in the process. The first and the last
 * counts are kept.
 *
 * @param owners   the owners
 * @param process  the target
 * @param sample   the sample
 * @param error    PM_ERROR_RESOURCES, PM_ERROR_CANCELLED
 * @return         0 or -1
 */
int why_owners_count_types(struct why_owners *owners, struct pm_process *process,
                           const struct pm_sample *sample, struct pm_error *error);

/**
 * Finds the owner of the region that contains an address.
 * @return NULL if it is not known
 */
const struct why_region_owner *why_owners_find(const struct why_owners *owners, uint64_t address);

/** Releases the owners. */
void why_owners_deinit(struct why_owners *owners);

#endif
