/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A small heap of glibc's malloc in fake memory, with the structures of several versions. They are
 * defined here independently of the library (malloc/malloc.c and malloc/arena.c of glibc).
 *
 * The heap has two arenas with the same chunks, and a mapped chunk. The second arena can get a
 * second heap.
 */
#ifndef TESTS_SUPPORT_FAKE_HEAP_H
#define TESTS_SUPPORT_FAKE_HEAP_H

#include <procmem/heap.h>

#include "reader/fake_reader.h"

/** Versions of glibc with different structures. */
enum fake_glibc {
	FAKE_GLIBC_226,
	FAKE_GLIBC_229,
	FAKE_GLIBC_231,
	FAKE_GLIBC_233,
	FAKE_GLIBC_236,
	FAKE_GLIBC_242,
	FAKE_GLIBC_243,
	FAKE_GLIBC_COUNT,
};

/** Parts of the memory. */
enum fake_part {
	FAKE_DATA,   /**< data of libc.so.6: the main arena and mp_ */
	FAKE_BRK,    /**< the brk heap */
	FAKE_ARENA,  /**< the heap of the second arena */
	FAKE_MAPPED, /**< a chunk that malloc mapped */
	FAKE_PARTS,  /**< number of parts that always exist */
	/** The second heap of the second arena, which fake_heap_add() adds */
	FAKE_NEWER = FAKE_PARTS,
	FAKE_PARTS_MAX,
};

enum {
	FAKE_PART_SIZE = 0x8000,  /**< bytes of each part */
	FAKE_MAIN = 0xc80,        /**< offset of the main arena in FAKE_DATA */
	FAKE_PARAMETERS = 0x200,  /**< offset of mp_ in FAKE_DATA */
	FAKE_FREE_SIZE = 0x100,   /**< size of the free chunk of each arena */
	FAKE_FAST_SIZE = 0x50,    /**< size of each of the two chunks in a fastbin of an arena */
	FAKE_CACHED_SIZE = 0x30,  /**< size of each of the three chunks in the tcache of an arena */
	FAKE_NEWER_SIZE = 0x1000, /**< size of the chunk in use in FAKE_NEWER */
};

/** The heap. */
struct fake_heap {
	enum fake_glibc version;
	unsigned char bytes[FAKE_PARTS_MAX][FAKE_PART_SIZE];
	struct pm_fake_range ranges[FAKE_PARTS_MAX];
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;

	/** What is in each arena */
	uint64_t system[2], top[2], in_use[2], fast[2];
	uint64_t chunks[2];     /**< number of chunks in use */
	uint64_t free_chunk[2]; /**< address of the free chunk */
	uint64_t fast_chunk[2]; /**< address of the first chunk in the fastbin; in 2.43 in use */
	uint64_t user_chunk[2]; /**< address of a chunk in use */
	uint64_t cached[2];     /**< bytes in the tcache */
	uint64_t cached_count[2];
};

/** Returns the first address of a part. */
uint64_t fake_heap_address(enum fake_part part);

/** Returns the bytes at an address of a part. */
unsigned char *fake_heap_bytes(struct fake_heap *heap, uint64_t address);

/** Sets a word. */
void fake_heap_put(struct fake_heap *heap, uint64_t address, uint64_t word);

/** Creates the heap. Release with fake_heap_deinit(). */
void fake_heap_init(struct fake_heap *heap, enum fake_glibc version);

/**
 * Adds a heap to the second arena, with a chunk in use and the top chunk. The old top chunk becomes
 * a chunk in use, and fenceposts. The figures of `heap` remain those of the first heap.
 * @param previous  heap_info.prev: the address of FAKE_ARENA if the heap is valid
 */
void fake_heap_add(struct fake_heap *heap, uint64_t previous);

/** Releases the regions. */
void fake_heap_deinit(struct fake_heap *heap);

/** Opens the heap as that of a process. */
struct pm_heap *fake_heap_open(struct fake_heap *heap, bool stopped);

#endif
