/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Fake processes of node and Chromium: the structures of V8, PartitionAlloc and Oilpan in fake
 * memory. They are defined here independently of the library: by memory-chunk.h,
 * partition_page.h and heap-page.h, and by what processes of node 18, 20, 22 and 24 and of
 * Chromium 156 contained.
 */
#ifndef TESTS_SUPPORT_FAKE_V8_H
#define TESTS_SUPPORT_FAKE_V8_H

#include <procmem/runtimes.h>

#include "support/fake_memory.h"

/** Versions of V8 with different headers of chunks. */
enum fake_v8_version { FAKE_V8_11, FAKE_V8_12, FAKE_V8_13, FAKE_V8_VERSIONS };

/** Spaces of an isolate. */
enum fake_v8_space { FAKE_V8_NEW = 1, FAKE_V8_OLD, FAKE_V8_CODE, FAKE_V8_LARGE };

/* Flags of chunks */
enum { FAKE_V8_TO_PAGE = 0x10, FAKE_V8_OTHER = 0x4 };

/** A process. */
struct fake_v8 {
	enum fake_v8_version version;
	struct pm_regions regions;
	struct fake_memory memory;
	uint64_t next_metadata; /* where the next metadata is put, for FAKE_V8_13 */
	bool without_data;      /* the data of the program cannot be read, as in a core file */
};

/** Where things are. Chunks must be at higher addresses than FAKE_V8_HEAPS_END. */
#define FAKE_V8_CODE_START UINT64_C(0x400000)
#define FAKE_V8_DATA       UINT64_C(0x2000000)
#define FAKE_V8_HEAPS      UINT64_C(0x5000000)
#define FAKE_V8_HEAPS_END  UINT64_C(0x5100000)
#define FAKE_V8_CHUNK      UINT64_C(0x40000)

/**
 * Starts a process: the code and data of a program, and a [heap].
 * @param fake     filled; release with fake_v8_deinit()
 * @param program  path of the program
 */
void fake_v8_init(struct fake_v8 *fake, enum fake_v8_version version, const char *program);

/** Releases the process. */
void fake_v8_deinit(struct fake_v8 *fake);

/** Returns the address of the Heap of an isolate. */
uint64_t fake_v8_heap(unsigned isolate);

/** Returns the address of a space of an isolate. */
uint64_t fake_v8_space(unsigned isolate, enum fake_v8_space space);

/**
 * Adds an isolate: its Heap, with the maximum size of the old generation, and its spaces.
 * @param limit  bytes
 */
void fake_v8_add_isolate(struct fake_v8 *fake, unsigned isolate, uint64_t limit);

/**
 * Adds the region of a chunk, and its header.
 *
 * @param start  first address; addresses ascend
 * @param size   bytes
 * @param flags  flags of the chunk
 */
void fake_v8_add_chunk(struct fake_v8 *fake, unsigned isolate, enum fake_v8_space space,
                       uint64_t start, uint64_t size, uint64_t flags);

/**
 * Puts the header of a chunk, without a region.
 * @param at  where the header is; other than `start` for a copy of a chunk
 */
void fake_v8_put_header(struct fake_v8 *fake, unsigned isolate, enum fake_v8_space space,
                        uint64_t at, uint64_t start, uint64_t size, uint64_t flags);

/**
 * Adds a cage of V8 with compressed pointers, of 4 GiB.
 * @param chunks  number of chunks of 256 KiB with a number in the header
 */
void fake_v8_add_cage(struct fake_v8 *fake, uint64_t start, unsigned chunks);

/**
 * Adds super pages of PartitionAlloc, of 2 MiB each, and their metadata.
 *
 * @param metadata  address of the page of metadata of the first one; that of the next ones is 2 MiB
 *                  higher
 * @param start     first address
 * @param count     number of super pages
 */
void fake_v8_add_super_pages(struct fake_v8 *fake, uint64_t metadata, uint64_t start,
                             unsigned count);

/**
 * Adds a cage of Oilpan, of 4 GiB, and its heap.
 * @param pages  number of pages of 128 KiB
 */
void fake_v8_add_oilpan(struct fake_v8 *fake, uint64_t start, unsigned pages);

/**
 * Reads the runtimes of the process.
 * @return the runtimes; release with pm_runtimes_close()
 */
struct pm_runtimes *fake_v8_open(struct fake_v8 *fake);

/** Returns the bytes of an owner between two addresses. */
uint64_t fake_v8_bytes(const struct pm_runtimes *runtimes, enum pm_owner owner, enum pm_proof proof,
                       uint64_t start, uint64_t end);

#endif
