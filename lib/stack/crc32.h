/* SPDX-License-Identifier: MIT */
/** @file The checksum of files with debug information (.gnu_debuglink). Private. */
#ifndef PM_STACK_CRC32_H
#define PM_STACK_CRC32_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Tests whether a file has a checksum: the CRC-32 of zlib.
 * @param fd        the file
 * @param checksum  the expected checksum
 * @return          true if the file was read to its end and has the checksum
 */
bool pm_crc32_fits(int fd, uint32_t checksum);

#endif
