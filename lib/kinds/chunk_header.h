/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parses the header of a block that glibc's malloc mapped separately (malloc/malloc.c of glibc).
 * Private.
 *
 * A large block has its own mapping, which begins with a chunk. `prev_size` is the offset of the
 * chunk from the start of the mapping (0; 8 in 32-bit programs since glibc 2.26). `size` is the
 * number of bytes from the chunk to the end of the mapping; the three lowest bits of `size` contain
 * IS_MMAPPED (2). Since glibc 2.43 `size` does not include the header, and bit 0 of `prev_size`
 * marks huge pages. memalign(3) writes a second header further inside the mapping, and leaves the
 * first header unchanged.
 */
#ifndef PM_KINDS_CHUNK_HEADER_H
#define PM_KINDS_CHUNK_HEADER_H

#include <stdint.h>

/** Number of bytes at the start of a mapping that contain the header. */
enum { PM_CHUNK_HEADER_SIZE = 16 };

/**
 * Returns the size of a mapping that begins with a chunk.
 *
 * @param header  first PM_CHUNK_HEADER_SIZE bytes of the mapping
 * @param word    bytes of a pointer in the target
 * @param page    bytes of a page
 * @param max     bytes up to the end of the region
 * @return        size in bytes; 0 if this is not the header of a separately mapped chunk, or if the
 *                chunk exceeds `max`
 */
uint64_t pm_chunk_mapped_size(const void *header, unsigned word, uint64_t page, uint64_t max);

#endif
