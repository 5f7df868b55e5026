/* SPDX-License-Identifier: MIT */
/** @file The second headers of mapped chunks of posix_memalign(3). Private. */
#ifndef PM_HEAP_GLIBC_SECOND_H
#define PM_HEAP_GLIBC_SECOND_H

#include "heap/glibc_context.h"

/** A mapping, and the second header in it. */
struct pm_glibc_second {
	uint64_t start; /**< start of the mapping, where its first header is */
	uint64_t max;   /**< number of bytes up to the address where the mapping must end */
	/** Size in bytes of the mapping according to its first header, which can exceed `max`;
	 * receives the size according to the second header, which realloc(3) keeps up to date */
	uint64_t size;
	uint64_t lead; /**< receives the distance of the second header from `start`; 0: none */
};

/**
 * Returns the number of bytes of a mapping with a header.
 *
 * @param header  the 16 bytes of the header
 * @param lead    distance of the header from the start of the mapping
 * @param max     maximum size of the mapping in bytes
 * @return        the number of bytes; 0 if this is not the header of a mapped chunk
 */
uint64_t pm_glibc_mapping_size(const struct pm_glibc *glibc, const unsigned char *header,
                               uint64_t lead, uint64_t max);

/**
 * Searches for the second header before each address that posix_memalign(3) can have returned: one
 * for each alignment.
 *
 * @return 0, or -1 with PM_ERROR_GONE, PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_glibc_second_find(struct pm_glibc *glibc, struct pm_glibc_second *second,
                         struct pm_error *error);

/**
 * Searches for the second header of a chunk that realloc(3) has moved. It is 16 bytes before the
 * start of some page of the mapping.
 *
 * @param pages  number of pages that may still be searched in all mappings; decreases
 * @return       0, or -1 with PM_ERROR_GONE, PM_ERROR_RESOURCES or PM_ERROR_CANCELLED
 */
int pm_glibc_second_find_moved(struct pm_glibc *glibc, struct pm_glibc_second *second,
                               unsigned *pages, struct pm_error *error);

#endif
