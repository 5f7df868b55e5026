/* SPDX-License-Identifier: MIT */
/** @file Classifies the first bytes of a chunk that has no named type. Private. */
#ifndef PM_HEAP_CONTENT_H
#define PM_HEAP_CONTENT_H

#include <string.h>

#include <procmem/chunk_type.h>
#include <procmem/range.h>

#include "base/hash.h"
#include "heap/address_map.h"

enum { PM_HEAD_WORDS = PM_CHUNK_HEAD_SIZE / sizeof(uint64_t) };

/** The first bytes of a chunk as words. Bytes beyond the end of the chunk are 0. */
struct pm_head {
	uint64_t words[PM_HEAD_WORDS]; /**< the words */
	size_t size;                   /**< number of bytes, at most PM_CHUNK_HEAD_SIZE */
};

/** Copies the first bytes of a chunk. */
static inline struct pm_head pm_head_copy(const void *head, size_t size)
{
	struct pm_head copy;

	/* The size of most copies is known to the compiler, which then needs no call. */
	if (size >= PM_CHUNK_HEAD_SIZE) {
		copy.size = PM_CHUNK_HEAD_SIZE;
		memcpy(copy.words, head, sizeof copy.words);
		return copy;
	}

	memset(copy.words, 0, sizeof copy.words);
	memcpy(copy.words, head, size);
	copy.size = size;
	return copy;
}

/**
 * Hashes the first bytes of a chunk. The seed is constant, so a hostile target can choose equal
 * hashes. This does no harm: the chunks are only counted as equal.
 */
static inline uint64_t pm_head_hash(const struct pm_head *head)
{
	const uint64_t *words = head->words;
	uint64_t hash = head->size;

	/* The products do not depend on each other, so the processor computes them in parallel. */
	for (size_t i = 0; i < PM_HEAD_WORDS; i += 2)
		hash += pm_hash_mix(words[i] ^ PM_HASH_ONE, words[i + 1] ^ (PM_HASH_TWO + 2 * i));
	return pm_hash_mix(hash, PM_HASH_ONE);
}

/**
 * Hashes the first bytes of a chunk without pointers into the heap, which change when other chunks
 * are added to a list. The same words must count as pointers in all walks, whatever chunks exist.
 * So all addresses in the main arena count, and all in the upper part of the address space, where
 * other arenas and mapped chunks are.
 *
 * @param head  the bytes
 * @param size  number of bytes
 * @param main  addresses of the main arena, now and when it has grown
 */
static inline uint64_t pm_head_hash_lasting(const void *head, size_t size, struct pm_range main)
{
	const struct pm_range upper = { (uint64_t)0x7000 << 32, (uint64_t)1 << 47 };
	struct pm_head copy = pm_head_copy(head, size);

	for (size_t i = 0; i < PM_HEAD_WORDS; i++)
		if (pm_range_contains(upper, copy.words[i]) ||
		    pm_range_contains(main, copy.words[i]))
			copy.words[i] = 1;
	return pm_head_hash(&copy);
}

/**
 * Classifies the first bytes of a chunk without a named type. Never returns PM_CONTENT_UNREAD,
 * PM_CONTENT_OBJECT, PM_CONTENT_STATIC or PM_CONTENT_FUNCTION.
 *
 * @param map   what addresses point to
 * @param head  the bytes
 */
enum pm_content pm_content_of_head(struct pm_address_map *map, const struct pm_head *head);

#endif
