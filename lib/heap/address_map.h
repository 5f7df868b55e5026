/* SPDX-License-Identifier: MIT */
/** @file What an address points to: a mapped file, code, or writable memory. Private. */
#ifndef PM_HEAP_ADDRESS_MAP_H
#define PM_HEAP_ADDRESS_MAP_H

#include <procmem/region.h>

/** What a range of addresses is. */
enum pm_address_use {
	PM_ADDRESS_FILE = 1,     /**< mapped from a file, or its zero-initialised data */
	PM_ADDRESS_CODE = 2,     /**< executable */
	PM_ADDRESS_WRITABLE = 4, /**< writable, or anonymous memory that may be writable */
	/** Mapped from a file, and may be executable: core files do not contain all permissions */
	PM_ADDRESS_MAYBE_CODE = 8,
};

/** A range of addresses of one use. */
struct pm_address_range {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	/** The region, or the first of several that were merged; valid as long as the regions that
	 * pm_address_map_fill() got. NULL for memory without a file that was mapped later */
	const struct pm_region *region;
	unsigned use; /**< enum pm_address_use bits */
};

enum { PM_ADDRESS_SLOTS = 1024 };

/** A map of all addresses that matter for types. Zero-initialise it. */
struct pm_address_map {
	struct pm_address_range *ranges; /**< ascending */
	size_t count;                    /**< number of ranges */
	size_t capacity;                 /**< number of allocated ranges */
	/**
	 * Cache: index of the range that was found last for each slot (pm_address_map_slot())
	 */
	uint32_t recent[PM_ADDRESS_SLOTS];
};

/** Returns the index in pm_address_map.recent for an address: the same for all addresses in one
 * MiB. */
static inline size_t pm_address_map_slot(uint64_t address)
{
	return (size_t)(address >> 20) % PM_ADDRESS_SLOTS;
}

/**
 * Fills a map. Inaccessible regions, devices and memory of the kernel are left out.
 * @param regions  the regions; must outlive the map
 * @return         0, or -1 with PM_ERROR_RESOURCES
 */
int pm_address_map_fill(struct pm_address_map *map, const struct pm_regions *regions,
                        struct pm_error *error);

/**
 * Updates the map to the present regions. Files that were mapped after pm_address_map_fill() are
 * left out.
 * @param regions  the present regions; not used after the call
 * @return         0, or -1 with PM_ERROR_RESOURCES and the map unchanged
 */
int pm_address_map_update(struct pm_address_map *map, const struct pm_regions *regions,
                          struct pm_error *error);

/** Releases the memory of a map. */
void pm_address_map_deinit(struct pm_address_map *map);

/** Returns the range that contains an address, or NULL. Only one thread at a time may call this. */
const struct pm_address_range *pm_address_map_search(struct pm_address_map *map, uint64_t address);

/** As pm_address_map_search(), without a call for most words that are not addresses. */
static inline const struct pm_address_range *pm_address_map_find(struct pm_address_map *map,
                                                                 uint64_t address)
{
	if (map->count == 0 || address < map->ranges[0].start ||
	    address >= map->ranges[map->count - 1].end)
		return NULL;

	const struct pm_address_range *recent =
		&map->ranges[map->recent[pm_address_map_slot(address)]];
	if (address >= recent->start && address < recent->end)
		return recent;
	return pm_address_map_search(map, address);
}

#endif
