/* SPDX-License-Identifier: MIT */
/** @file Sets of byte values. Private. */
#ifndef PM_SCAN_BYTE_SET_H
#define PM_SCAN_BYTE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A set; all zero is the empty one. */
struct pm_byte_set {
	uint64_t bits[4]; /**< bit i % 64 of word i / 64 is value i */
};

/** Whether a value is in a set. */
static inline bool pm_byte_set_has(const struct pm_byte_set *set, uint8_t value)
{
	return set->bits[value / 64] >> (value % 64) & 1;
}

/** Adds a value. */
static inline void pm_byte_set_add(struct pm_byte_set *set, uint8_t value)
{
	set->bits[value / 64] |= UINT64_C(1) << (value % 64);
}

/** Adds all values of another set. */
static inline void pm_byte_set_unite(struct pm_byte_set *set, const struct pm_byte_set *other)
{
	for (int i = 0; i < 4; i++)
		set->bits[i] |= other->bits[i];
}

/** How many values are in a set. */
static inline unsigned pm_byte_set_count(const struct pm_byte_set *set)
{
	unsigned count = 0;
	for (int i = 0; i < 4; i++)
		count += (unsigned)__builtin_popcountll(set->bits[i]);
	return count;
}

/**
 * How often a byte of a set stands in memory as it usually is; a first guess, until the target's
 * own bytes are counted.
 *
 * @param set  the set
 * @return     a share of all bytes
 */
double pm_byte_set_share(const struct pm_byte_set *set);

#endif
