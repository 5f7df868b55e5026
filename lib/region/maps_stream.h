/* SPDX-License-Identifier: MIT */
/** @file Parsing a stream of maps or smaps text into a list. Private. */
#ifndef PM_REGION_MAPS_STREAM_H
#define PM_REGION_MAPS_STREAM_H

#include <stdbool.h>

#include <procmem/maps.h>

/**
 * Reads a stream to its end.
 *
 * @param fd           descriptor
 * @param regions      the regions are appended; on an error the list keeps those that came before it
 * @param with_fields  where to store whether the regions had smaps fields
 * @param error        PM_ERROR_FORMAT with the line number; PM_ERROR_GONE, PM_ERROR_IO, PM_ERROR_RESOURCES
 * @return             0 or -1
 */
int pm_maps_stream_read(int fd, struct pm_regions *regions, bool *with_fields, struct pm_error *error);

#endif
