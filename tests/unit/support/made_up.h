/* SPDX-License-Identifier: MIT */
/** @file Regions and memory that a test makes up, to classify them. */
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
struct made_up {
	struct {
		uint64_t address, value;
	} words[MADE_UP_WORDS];
	size_t count;
	size_t reads; /**< bytes that were read */
};

/** Sets a word. */
void made_up_put(struct made_up *memory, uint64_t address, uint64_t value);

/** Puts a heap_info of malloc. */
void made_up_heap(struct made_up *memory, uint64_t start, uint64_t arena, uint64_t previous,
                  uint64_t used, uint64_t open);

/** Puts the header of a chunk that malloc mapped. */
void made_up_chunk(struct made_up *memory, uint64_t at, uint64_t size);

/**
 * Appends an anonymous region that is wholly resident, or without permissions not at all.
 * @return it, valid until the next one
 */
struct pm_region *made_up_region(struct pm_regions *regions, uint64_t start, uint64_t size,
                                 unsigned perms);

/** Reads the memory. */
struct pm_reader made_up_reader(struct made_up *memory);

/** Classifies the regions with this memory. */
void made_up_assign(struct pm_regions *regions, struct made_up *memory);

/**
 * Counts chunks of malloc again, see pm_kinds_recount().
 * @return whether the kinds of all must be asked for
 */
bool made_up_recount(struct pm_regions *regions, const struct pm_regions *before,
                     struct made_up *memory);

#endif
