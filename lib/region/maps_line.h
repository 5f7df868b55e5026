/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parsing of a line of maps (proc_pid_maps(5)). In smaps, the text of each region starts with such
 * a line. Private.
 */
#ifndef PM_REGION_MAPS_LINE_H
#define PM_REGION_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/region.h>

/**
 * Parses a line of maps, `start-end perms offset major:minor inode name`.
 *
 * @param line    the line without its newline, NUL-terminated; `\012` in the name is replaced by a
 *                newline in place
 * @param length  length of the line in bytes
 * @param region  receives the fields of the line; all other fields are set to zero or "". The
 *                mapping points into `line`
 * @return        false if the line does not have this form; the region is unchanged in this case
 */
bool pm_maps_line_parse(char *line, size_t length, struct pm_region *region);

#endif
