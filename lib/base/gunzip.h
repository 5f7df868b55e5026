/* SPDX-License-Identifier: MIT */
/** @file Decompresses files in the gzip format (RFC 1952). Private. */
#ifndef PM_BASE_GUNZIP_H
#define PM_BASE_GUNZIP_H

#include <stdbool.h>
#include <stdint.h>

#include <procmem/error.h>

/** Formats of compressed files. */
enum pm_compression {
	PM_COMPRESSION_NONE, /**< none of the others */
	PM_COMPRESSION_GZIP, /**< gzip */
	PM_COMPRESSION_ZSTD, /**< Zstandard (RFC 8878) */
	PM_COMPRESSION_XZ,   /**< xz */
	PM_COMPRESSION_LZ4,  /**< lz4 */
};

/**
 * Recognises a compressed file by its first bytes. A pipe is never compressed, because reading
 * these bytes would remove them.
 * @param fd  descriptor of the file
 * @return    the format
 */
enum pm_compression pm_gunzip_format(int fd);

/**
 * Decompresses a file, which can have several members. The input is untrusted: a small file can
 * become very large.
 *
 * @param fd     descriptor of the file, a regular file, read from its start; borrowed
 * @param max    maximum size of the result in bytes
 * @param plain  receives a descriptor of the result, at its start. It is in memory, and has no
 * name. The caller closes it
 * @param error  PM_ERROR_FORMAT (damaged, truncated, or larger than `max`), PM_ERROR_IO,
 *               PM_ERROR_RESOURCES. The text continues the name of the file: "is truncated"
 * @return       0 or -1
 */
int pm_gunzip(int fd, uint64_t max, int *plain, struct pm_error *error);

#endif
