/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Buffers for a copy of memory: linear images of parts of the address space of a target. Each image
 * is larger than the regions for which it is made, so that regions may grow before they are copied.
 * Only addresses are reserved for that; memory is used for the pages that are populated or written.
 * Private.
 */
#ifndef PM_READER_COPY_BUFFER_H
#define PM_READER_COPY_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/error.h>
#include <procmem/range.h>

/** An image: the byte of address A is bytes[A - start]. */
struct pm_copy_image {
	uint64_t start; /**< first address */
	uint64_t end;   /**< address after the last byte */
	char *bytes;    /**< the bytes; zeros where nothing was written */
};

/** Images by ascending address, without overlaps. Zero-initialise it. */
struct pm_copy_buffer {
	struct pm_copy_image *images; /**< the images */
	size_t count;                 /**< number of images */
	size_t capacity;              /**< number of allocated elements */
};

/** A list of ranges by ascending address. Zero-initialise it. */
struct pm_range_list {
	struct pm_range *items; /**< the ranges; free with free(3) */
	size_t count;           /**< number of ranges */
	size_t capacity;        /**< number of allocated elements */
};

/**
 * Adds a range after the last one. If they are adjacent, the last one is extended.
 * @return 0, or -1 with PM_ERROR_RESOURCES
 */
int pm_range_list_add(struct pm_range_list *list, struct pm_range range, struct pm_error *error);

/**
 * Reserves images for ranges, with room around each of them.
 *
 * @param buffer  empty; receives the images
 * @param ranges  ascending, in whole pages
 * @param count   number of ranges
 * @return        0, or -1 with PM_ERROR_RESOURCES
 */
int pm_copy_buffer_reserve(struct pm_copy_buffer *buffer, const struct pm_range *ranges,
                           size_t count, struct pm_error *error);

/**
 * Reserves an image for one more range, unless an image contains the range. Images that contain a
 * part of the range, or adjoin it, are replaced by one that contains them and the range. So all
 * ranges must be added before the first byte is written.
 *
 * @param range  in whole pages
 * @return       0, or -1 with PM_ERROR_RESOURCES
 */
int pm_copy_buffer_extend(struct pm_copy_buffer *buffer, struct pm_range range,
                          struct pm_error *error);

/**
 * Populates pages of an image, so that writing to them causes no page faults (MADV_POPULATE_WRITE
 * of Linux 5.14, otherwise by writing to each page).
 *
 * @param range  in whole pages, within one image
 * @return       0, or -1 with PM_ERROR_RESOURCES
 */
int pm_copy_buffer_populate(struct pm_copy_buffer *buffer, struct pm_range range,
                            struct pm_error *error);

/**
 * Returns the bytes of addresses.
 * @return the bytes, or NULL if no image contains all of the addresses
 */
char *pm_copy_buffer_at(const struct pm_copy_buffer *buffer, uint64_t address, uint64_t size);

/**
 * Overwrites ranges with zeros, and releases all images.
 *
 * @param ranges  the ranges that were written
 * @param count   number of ranges
 */
void pm_copy_buffer_deinit(struct pm_copy_buffer *buffer, const struct pm_range *ranges,
                           size_t count);

#endif
