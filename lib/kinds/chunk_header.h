/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The header of a block that glibc's malloc mapped by itself (malloc/malloc.c of glibc). Private.
 *
 * A large block has a mapping of its own, which begins with a chunk: `prev_size` holds how far the
 * chunk begins behind the start of the mapping (0; 8 in 32-bit programs since glibc 2.26), `size`
 * the rest of the mapping, with IS_MMAPPED (2) in its three lowest bits. glibc 2.43 leaves the
 * header's own bytes out of `size`, and marks huge pages in bit 0 of `prev_size`. memalign(3)
 * writes a second header further inside and leaves the first as it was.
 */
#ifndef PM_KINDS_CHUNK_HEADER_H
#define PM_KINDS_CHUNK_HEADER_H

#include <stdint.h>

/** Bytes at the start of a mapping that are looked at. */
enum { PM_CHUNK_HEADER_SIZE = 16 };

/**
 * Size of the mapping that begins with a chunk.
 *
 * @param header  its first PM_CHUNK_HEADER_SIZE bytes
 * @param word    bytes of a pointer in the target
 * @param page    bytes of a page
 * @param most    bytes there are
 * @return        its size in bytes; 0 where this is no chunk that was mapped by itself and fits
 */
uint64_t pm_chunk_mapped_size(const void *header, unsigned word, uint64_t page, uint64_t most);

#endif
