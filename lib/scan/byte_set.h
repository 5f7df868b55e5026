/* SPDX-License-Identifier: MIT */
/** @file Sets of byte values. Private. */
#ifndef PM_SCAN_BYTE_SET_H
#define PM_SCAN_BYTE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A set of byte values. If the structure is all zeros, the set is empty. */
struct pm_byte_set {
	uint64_t bits[4]; /**< bit i % 64 of element i / 64 is set if value i is in the set */
};

/** Tests whether a value is in a set. */
static inline bool pm_byte_set_has(const struct pm_byte_set *set, uint8_t value)
{
	return set->bits[value / 64] >> (value % 64) & 1;
}

/** Adds a value to a set. */
static inline void pm_byte_set_add(struct pm_byte_set *set, uint8_t value)
{
	set->bits[value / 64] |= UINT64_C(1) << (value % 64);
}

/** Adds all values of the set `other` to a set. */
static inline void pm_byte_set_unite(struct pm_byte_set *set, const struct pm_byte_set *other)
{
	for (int i = 0; i < 4; i++)
		set->bits[i] |= other->bits[i];
}

/** Returns the number of values in a set. */
static inline unsigned pm_byte_set_count(const struct pm_byte_set *set)
{
	unsigned count = 0;
	for (int i = 0; i < 4; i++)
		count += (unsigned)__builtin_popcountll(set->bits[i]);
	return count;
}

/**
 * Estimates which share of the bytes of typical memory is in a set. The estimate is the same for
 * all targets; only the pattern filter counts bytes of the target.
 *
 * @param set  the set
 * @return     the share, 0 to 1
 */
double pm_byte_set_share(const struct pm_byte_set *set);

#endif
