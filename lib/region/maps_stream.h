/* SPDX-License-Identifier: MIT */
/** @file Reading a stream of maps or smaps. Private. */
#ifndef PM_REGION_MAPS_STREAM_H
#define PM_REGION_MAPS_STREAM_H

#include <stdbool.h>

#include <procmem/maps.h>

/** Where a text of maps or smaps comes from. */
enum pm_maps_origin {
	PM_MAPS_SAVED, /**< a saved file, in which overlapping regions are an error */
	/**
	 * The kernel. Regions may overlap if the target changes its mappings during the read; in
	 * this case, the later line is used.
	 */
	PM_MAPS_LIVE,
};

/**
 * Reads a stream to its end.
 *
 * @param fd           the stream
 * @param origin       where the text comes from
 * @param regions      the list to which the regions are appended; on failure, it contains the
 *                     regions that were read before the error
 * @param with_fields  receives true if the regions have fields such as Rss (the text is smaps);
 *                     false if they have none (the text is maps)
 * @param error        PM_ERROR_FORMAT with the line number; PM_ERROR_GONE, PM_ERROR_IO,
 *                     PM_ERROR_RESOURCES
 * @return             0 or -1
 */
int pm_maps_stream_read(int fd, enum pm_maps_origin origin, struct pm_regions *regions,
                        bool *with_fields, struct pm_error *error);

#endif
