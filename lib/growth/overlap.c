/* SPDX-License-Identifier: MIT */
/*
 * Matches regions whose addresses overlap. An overlap alone proves nothing, because the kernel
 * reuses unmapped addresses, often at once. So the backing must be the same, too. Regions with the
 * same permissions are matched first, because permissions distinguish a malloc arena from the
 * reserve that it grows into. Regions of different kinds are matched last: after mremap(2) moved a
 * block of malloc, other memory soon uses its addresses. They are matched at all because the same
 * memory can have another kind in the second sample, if more is known about it by then.
 */
#include "growth/overlap.h"

#include <string.h>

/**
 * Returns whether a region is private memory without a file, which the kernel may merge with its
 * neighbours. The memory may have a name set by prctl(2), or be the brk heap.
 */
static bool is_plain_memory(const struct pm_region *region)
{
	return region->inode == 0 &&
	       (pm_region_is_anonymous(region) || strcmp(region->mapping, "[heap]") == 0);
}

static bool same_backing(const struct pm_region *one, const struct pm_region *other)
{
	bool one_is_plain = is_plain_memory(one), other_is_plain = is_plain_memory(other);

	if (one_is_plain || other_is_plain)
		return one_is_plain && other_is_plain;

	return one->inode == other->inode && one->device_major == other->device_major &&
	       one->device_minor == other->device_minor &&
	       one->start - one->offset == other->start - other->offset &&
	       strcmp(one->mapping, other->mapping) == 0;
}

/** Returns whether a region has any permission. A reserve or guard has none. */
static bool is_accessible(const struct pm_region *region)
{
	return (region->perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC)) != 0;
}

static bool same_kind(const struct pm_sets *sets, size_t before, size_t after)
{
	const struct pm_region *was = pm_sets_region(sets, before),
			       *is = pm_sets_region(sets, after);
	/* For files, the same backing is sufficient. */
	return pm_sets_same_kind(was, is) || !is_plain_memory(was) || !is_plain_memory(is);
}

static bool same_perms(const struct pm_sets *sets, size_t before, size_t after)
{
	return pm_sets_region(sets, before)->perms == pm_sets_region(sets, after)->perms;
}

static bool same_perms_and_kind(const struct pm_sets *sets, size_t before, size_t after)
{
	return same_perms(sets, before, after) && same_kind(sets, before, after);
}

/**
 * Returns whether at least one of two regions is unmatched, and either both are accessible or
 * neither is.
 */
static bool one_is_left(const struct pm_sets *sets, size_t before, size_t after)
{
	return (!sets->matched[before] || !sets->matched[after]) &&
	       is_accessible(pm_sets_region(sets, before)) ==
	               is_accessible(pm_sets_region(sets, after));
}

static bool one_is_left_of_kind(const struct pm_sets *sets, size_t before, size_t after)
{
	return one_is_left(sets, before, after) && same_kind(sets, before, after);
}

/**
 * Like one_is_left(), but only for regions with different permissions. Their kinds may differ, too:
 * when generated code is written to pages, both change.
 */
static bool one_is_left_of_perms(const struct pm_sets *sets, size_t before, size_t after)
{
	return one_is_left(sets, before, after) && !same_perms(sets, before, after);
}

static bool both_are_left(const struct pm_sets *sets, size_t before, size_t after)
{
	return !sets->matched[before] && !sets->matched[after];
}

static bool both_are_left_of_kind(const struct pm_sets *sets, size_t before, size_t after)
{
	return both_are_left(sets, before, after) && same_kind(sets, before, after);
}

static bool both_are_left_in_place(const struct pm_sets *sets, size_t before, size_t after)
{
	const struct pm_region *was = pm_sets_region(sets, before),
			       *is = pm_sets_region(sets, after);
	return both_are_left(sets, before, after) && was->start == is->start &&
	       was->end == is->end && was->perms == is->perms;
}

/**
 * Unites each pair of regions, one of each sample, that overlap, have the same backing and satisfy
 * a condition. Both lists are sorted by address.
 */
static void unite_pairs(struct pm_sets *sets,
                        bool (*wanted)(const struct pm_sets *, size_t, size_t))
{
	const struct pm_regions *before = sets->before, *after = sets->after;

	for (size_t b = 0, a = 0; b < before->count && a < after->count;) {
		const struct pm_region *was = &before->items[b], *is = &after->items[a];

		/* Compare the backing last: comparing names causes cache misses. */
		if (was->start < is->end && is->start < was->end &&
		    wanted(sets, b, before->count + a) && same_backing(was, is))
			pm_sets_unite(sets, b, before->count + a, PM_LINK_OVERLAP);

		if (was->end <= is->end)
			b++;
		else
			a++;
	}
}

void pm_overlap_match(struct pm_sets *sets)
{
	unite_pairs(sets, same_perms_and_kind);
	unite_pairs(sets, one_is_left_of_kind);
	unite_pairs(sets, both_are_left_of_kind);
}

void pm_overlap_match_in_place(struct pm_sets *sets)
{
	unite_pairs(sets, both_are_left_in_place);
}

void pm_overlap_match_rest(struct pm_sets *sets)
{
	unite_pairs(sets, one_is_left_of_perms);
	unite_pairs(sets, both_are_left);
}
