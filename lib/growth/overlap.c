/* SPDX-License-Identifier: MIT */
/*
 * Matching by addresses. Shared addresses alone prove nothing: what was unmapped is handed out
 * again, often at once. So the backing must be the same. Permissions tell a malloc arena from the
 * reserve that it grows into, and decide first; memory whose permissions changed finds its former
 * self after. Kinds tell more than addresses do: where mremap(2) moved a block of malloc's away,
 * other memory soon lies. Only what found no partner of its kind is compared whatever its kind:
 * more may be known of the same memory now.
 */
#include "growth/overlap.h"

#include <string.h>

/**
 * Memory that the kernel may merge into one region: private, without a file, with any name given by
 * prctl(2) or as the brk heap.
 */
static bool is_plain_memory(const struct pm_region *region)
{
	return region->inode == 0 &&
	       (pm_region_is_anonymous(region) || strcmp(region->mapping, "[heap]") == 0);
}

static bool same_backing(const struct pm_region *one, const struct pm_region *other)
{
	bool plain = is_plain_memory(one);
	if (plain || is_plain_memory(other))
		return plain && is_plain_memory(other);
	return one->inode == other->inode && one->device_major == other->device_major &&
	       one->device_minor == other->device_minor &&
	       one->start - one->offset == other->start - other->offset &&
	       strcmp(one->mapping, other->mapping) == 0;
}

/** Whether anything may be done with the memory; a reserve or guard may not even be read. */
static bool is_accessible(const struct pm_region *region)
{
	return (region->perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC)) != 0;
}

static bool same_kind(const struct pm_sets *sets, size_t before, size_t after)
{
	const struct pm_region *was = pm_sets_region(sets, before),
			       *is = pm_sets_region(sets, after);
	/* Of files the backing says enough. */
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

/** One of them has found no partner yet, and both or neither can be used. */
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

/** Its permissions changed together with its kind, as those of pages that code is written to. */
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

static bool stands(const struct pm_sets *sets, size_t before, size_t after)
{
	const struct pm_region *was = pm_sets_region(sets, before),
			       *is = pm_sets_region(sets, after);
	return both_are_left(sets, before, after) && was->start == is->start &&
	       was->end == is->end && was->perms == is->perms;
}

/** Looks at all pairs that share addresses; both lists are sorted. */
static void link_pairs(struct pm_sets *sets, bool (*wanted)(const struct pm_sets *, size_t, size_t))
{
	const struct pm_regions *before = sets->before, *after = sets->after;
	for (size_t b = 0, a = 0; b < before->count && a < after->count;) {
		const struct pm_region *was = &before->items[b], *is = &after->items[a];
		/* Names are compared last: of many regions they lie anywhere in memory. */
		if (was->start < is->end && is->start < was->end &&
		    wanted(sets, b, before->count + a) && same_backing(was, is))
			pm_sets_unite(sets, b, before->count + a, PM_LINK_OVERLAP);
		if (was->end <= is->end)
			b++;
		else
			a++;
	}
}

void pm_match_overlap(struct pm_sets *sets)
{
	link_pairs(sets, same_perms_and_kind);
	link_pairs(sets, one_is_left_of_kind);
	link_pairs(sets, both_are_left_of_kind);
}

void pm_match_standing(struct pm_sets *sets)
{
	link_pairs(sets, stands);
}

void pm_match_rest(struct pm_sets *sets)
{
	link_pairs(sets, one_is_left_of_perms);
	link_pairs(sets, both_are_left);
}
