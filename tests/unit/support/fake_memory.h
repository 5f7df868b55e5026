/* SPDX-License-Identifier: MIT */
/** @file Simulated regions and memory, to classify them. */
#ifndef TESTS_SUPPORT_MADE_UP_H
#define TESTS_SUPPORT_MADE_UP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <procmem/kinds.h>

enum { MADE_UP_WORDS = 512, RW = PM_PERM_READ | PM_PERM_WRITE };

#define MIB (UINT64_C(1) << 20)

/** HEAP_MAX_SIZE of glibc on 64 bits. */
#define HEAP_MAX (64 * MIB)

/** Words of 8 bytes at addresses; all other memory reads as zeros. */
struct fake_memory {
	struct {
		uint64_t address, value;
	} words[MADE_UP_WORDS];
	size_t count;
	size_t reads; /**< bytes that were read */
};

/** Sets a word. */
void fake_memory_put(struct fake_memory *memory, uint64_t address, uint64_t value);

/** Puts a heap_info of malloc. */
void fake_memory_heap(struct fake_memory *memory, uint64_t start, uint64_t arena, uint64_t previous,
                      uint64_t used, uint64_t open);

/** Puts the header of a chunk that malloc mapped. */
void fake_memory_chunk(struct fake_memory *memory, uint64_t at, uint64_t size);

/**
 * Appends an anonymous region: resident, or not resident if it has no permissions.
 * @return the region, valid until the next one is appended
 */
struct pm_region *fake_memory_region(struct pm_regions *regions, uint64_t start, uint64_t size,
                                     unsigned perms);

/** Reads the memory. */
struct pm_reader fake_memory_reader(struct fake_memory *memory);

/** Classifies the regions with this memory. */
void fake_memory_assign(struct pm_regions *regions, struct fake_memory *memory);

/**
 * Counts chunks of malloc again, see pm_kinds_recount().
 * @return whether the kinds of all must be asked for
 */
bool fake_memory_recount(struct pm_regions *regions, const struct pm_regions *before,
                         struct fake_memory *memory);

#endif
