/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A process that uses jemalloc, in fake memory, with the structures of several versions. They are
 * defined here independently of the library (extent_structs.h, edata.h, sc.h of jemalloc).
 */
#ifndef TESTS_SUPPORT_FAKE_JEMALLOC_H
#define TESTS_SUPPORT_FAKE_JEMALLOC_H

#include <procmem/heap.h>

#include "reader/fake_reader.h"

enum {
	FAKE_PAGE = 4096,
	FAKE_LEAF_BYTES = 2 << 20,
	FAKE_BSS_BYTES = FAKE_LEAF_BYTES + 4 * FAKE_PAGE,
	FAKE_BASE_BYTES = 2 * FAKE_LEAF_BYTES,
	/** Position of the root in the anonymous memory after the data of the library */
	FAKE_ROOT = 0x1b18,
	/** Position of the leaf and of the extents in the memory of jemalloc itself */
	FAKE_LEAF = 0xc0,
	FAKE_EXTENTS = FAKE_LEAF_BYTES + FAKE_PAGE,
	/** With three levels, the leaf is shorter, and a node follows */
	FAKE_NODE = (1 << 20) + 0x40,
	FAKE_CLASSES = 14,
	/** Number of bins of the cache of a thread, and their size */
	FAKE_BINS = 41,
	FAKE_BIN_SIZE = 24,
	/** Position of the bins, after the root, and of their stacks, after the extents */
	FAKE_BINS_AT = FAKE_BSS_BYTES - 2048,
	FAKE_STACKS_AT = FAKE_BASE_BYTES - 4 * FAKE_PAGE,
	/** Size of a stack in pointers */
	FAKE_SLOTS = 20,
};

/** Addresses of the anonymous memory after the data of the library, and of the memory of jemalloc.
 */
extern const uint64_t fake_jemalloc_bss, fake_jemalloc_base;

/** The address to which the first entry of the leaf belongs. */
extern const uint64_t fake_jemalloc_first;

/** Positions in the first word of an extent, and the size classes, from the sources of jemalloc. */
struct fake_jemalloc_version {
	const char *name;
	unsigned state, class, free;
	bool three_bits;
	const uint64_t *classes;
};

/** Number of versions. */
enum { FAKE_JEMALLOC_VERSIONS = 6 };

/** The versions. */
extern const struct fake_jemalloc_version fake_jemalloc_versions[FAKE_JEMALLOC_VERSIONS];

/** A process that uses jemalloc, and the figures that must be found. */
struct fake_jemalloc {
	unsigned char data[FAKE_PAGE], bss[FAKE_BSS_BYTES], base[FAKE_BASE_BYTES];
	struct pm_fake_range ranges[3];
	struct pm_fake_target target;
	struct pm_reader reader;
	struct pm_regions regions;
	struct pm_heap_source source;
	const struct fake_jemalloc_version *version;
	bool three_levels; /* as built for addresses of 57 bits */
	bool alternate;    /* extents that follow each other are in different pages */

	uint64_t random;
	uint64_t next_page; /* number of the page at which the next extent starts */
	uint32_t extents;
	uint64_t in_use, free, chunks, free_count, system, unused_pages, retained;
};

/** Returns a random number that is less than a limit. */
uint64_t fake_jemalloc_roll(struct fake_jemalloc *f, uint64_t limit);

/** Stores a word. */
void fake_jemalloc_put(unsigned char *to, uint64_t word);

/** Adds a region that can be read and written. */
void fake_jemalloc_add_region(struct fake_jemalloc *f, uint64_t start, size_t size,
                              const char *mapping, uint64_t inode);

/** Links the leaf to the root, after `three_levels` was changed. */
void fake_jemalloc_link(struct fake_jemalloc *f);

/** Creates a process without extents. Release with fake_jemalloc_destroy(). */
struct fake_jemalloc *fake_jemalloc_create(const struct fake_jemalloc_version *version);

/** Releases the memory. */
void fake_jemalloc_destroy(struct fake_jemalloc *f);

/** Sets the entry of a page. */
void fake_jemalloc_put_entry(struct fake_jemalloc *f, uint64_t page, uint64_t extent,
                             unsigned class, bool slab);

/** Adds an extent, and entries for its first and last page, or for all pages of a slab. */
unsigned char *fake_jemalloc_add_extent(struct fake_jemalloc *f, uint64_t pages, unsigned arena,
                                        unsigned state, unsigned class, bool slab);

/** Adds a slab with random free regions. */
void fake_jemalloc_add_slab(struct fake_jemalloc *f, unsigned class, unsigned arena);

/** Adds a large allocation of 16 KiB; `offset` is its distance from the page boundary. */
void fake_jemalloc_add_large(struct fake_jemalloc *f, unsigned offset);

/** Adds an extent that is not in use. */
void fake_jemalloc_add_unused(struct fake_jemalloc *f, uint64_t pages, unsigned state);

/** Adds extents of all sorts. */
void fake_jemalloc_fill(struct fake_jemalloc *f);

/** Sets the stack of a bin of the cache of a thread, of which the last `count` slots are used. */
void fake_jemalloc_put_bin(struct fake_jemalloc *f, unsigned number, const uint64_t *pointers,
                           unsigned count);

/** Opens the heap. */
struct pm_heap *fake_jemalloc_open(struct fake_jemalloc *f);

/** Fails unless the heap has the figures of the fixture. */
void fake_jemalloc_expect(const struct fake_jemalloc *f, const struct pm_heap *heap);

#endif
