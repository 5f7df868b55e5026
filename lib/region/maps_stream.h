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
	 * the kernel: regions may overlap if the target changes its mappings during the read; the
	 * later line is correct
	 */
	PM_MAPS_LIVE,
};

/**
 * Reads a stream to its end.
 *
 * @param fd           the stream
 * @param origin       where the text comes from
 * @param regions      the regions are appended; on an error, those before the error
 * @param with_fields  set to whether the regions have fields, that is, whether the text is smaps
 * @param error        PM_ERROR_FORMAT with the line number; PM_ERROR_GONE, PM_ERROR_IO,
 *                     PM_ERROR_RESOURCES
 * @return             0 or -1
 */
int pm_maps_stream_read(int fd, enum pm_maps_origin origin, struct pm_regions *regions,
                        bool *with_fields, struct pm_error *error);

#endif
