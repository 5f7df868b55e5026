/* SPDX-License-Identifier: MIT */
/** @file Parsing a stream of maps or smaps text into a list. Private. */
#ifndef PM_REGION_MAPS_STREAM_H
#define PM_REGION_MAPS_STREAM_H

#include <stdbool.h>

#include <procmem/maps.h>

/** Where a text comes from. */
enum pm_maps_origin {
	PM_MAPS_SAVED, /**< a file: regions that overlap are an error */
	PM_MAPS_LIVE,  /**< the kernel: regions may overlap where the target changes its mappings
	                  meanwhile; the later line is right */
};

/**
 * Reads a stream to its end.
 *
 * @param fd           descriptor
 * @param origin       where the text comes from
 * @param regions      the regions are appended; on an error the list keeps those that came before
 * it
 * @param with_fields  where to store whether the regions had smaps fields
 * @param error        PM_ERROR_FORMAT with the line number; PM_ERROR_GONE, PM_ERROR_IO,
 * PM_ERROR_RESOURCES
 * @return             0 or -1
 */
int pm_maps_stream_read(int fd, enum pm_maps_origin origin, struct pm_regions *regions,
                        bool *with_fields, struct pm_error *error);

#endif
