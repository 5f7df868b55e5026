/* SPDX-License-Identifier: MIT */
/**
 * @file One line of maps, which is also the first line of each region in smaps (proc_pid_maps(5)).
 * Private.
 */
#ifndef PM_REGION_MAPS_LINE_H
#define PM_REGION_MAPS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <procmem/region.h>

/**
 * Parses `start-end perms offset major:minor inode   name`.
 *
 * @param line    the line without its newline, NUL-terminated; `\012` in the name is turned into a
 * newline in place
 * @param length  its length
 * @param region  filled, all other fields zero; its mapping points into the line
 * @return        false where the line is not in this form; region is then untouched
 */
bool pm_maps_line_parse(char *line, size_t length, struct pm_region *region);

#endif
