/* SPDX-License-Identifier: MIT */
/** @file Hashing bytes and numbers. With a random seed, a target cannot choose equal hashes.
 * Private. */
#ifndef PM_BASE_HASH_H
#define PM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

/* Odd numbers whose bits have no pattern: the fractions of the golden ratio and of the square root
 * of 2. */
#define PM_HASH_ONE ((uint64_t)0x9e3779b97f4a7c15)
#define PM_HASH_TWO ((uint64_t)0x6a09e667f3bcc909)

/**
 * Multiplies two numbers, and combines both halves of the product, so that each bit depends on many
 * bits of both numbers.
 */
static inline uint64_t pm_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/** Hashes bytes. */
static inline uint64_t pm_hash_bytes(uint64_t seed, const void *bytes, size_t length)
{
	const char *at = bytes;
	uint64_t hash = pm_hash_mix(seed ^ length, PM_HASH_ONE);
	uint64_t word;

	for (; length > sizeof word; at += sizeof word, length -= sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = pm_hash_mix(hash ^ word, PM_HASH_ONE) + PM_HASH_TWO;
	}

	word = 0;
	memcpy(&word, at, length);

	return pm_hash_mix(hash ^ word, PM_HASH_TWO);
}

/**
 * Returns a random seed. Early during boot, the kernel has no random numbers. The address of an
 * object is then used, which is less random.
 */
static inline uint64_t pm_hash_seed(const void *object)
{
	uint64_t seed;
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
		seed = (uintptr_t)object;
	return seed;
}

#endif
