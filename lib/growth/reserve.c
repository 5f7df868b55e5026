/* SPDX-License-Identifier: MIT */
/*
 * Finds reserves. A pool shows itself when the border between accessible memory and the
 * inaccessible region after it moves up while the end of that region stays: its end identifies the
 * pool. A file that is mapped beyond its end is a candidate from the first sample on.
 */
#include <procmem/reserve.h>

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "reader/mapped_file.h"

/* Maximum number of reserves, and of files whose length is read for a sample. */
enum { RESERVES_MAX = 256, FILES_MAX = 16 };

/* Minimum length of a mapping of a file whose length is read, in bytes. */
static const uint64_t min_file = 1 << 20;

/** The border between accessible memory and the inaccessible region after it. */
struct border {
	uint64_t
		owner; /* start of the accessible region that ends at `at`; `at` if there is none */
	uint64_t at;   /* start of the inaccessible region */
	uint64_t end;  /* end of the inaccessible region */
};

/** The borders of a sample, by ascending address. */
struct borders {
	struct border *items;
	size_t count;
	size_t capacity;
};

/** A reserve, or a mapped file that may become one. */
struct entry {
	struct pm_reserve reserve;
	bool seen; /* it is in the current sample */
};

struct pm_reserves {
	struct borders borders; /* of the last sample */
	struct borders spare;   /* the memory is reused for the next sample */
	struct entry *entries[RESERVES_MAX];
	size_t entry_count;
	const struct pm_reserve *grown[RESERVES_MAX]; /* entries into which something grew */
	size_t grown_count;
	double first; /* time of the first sample, in seconds */
	double last;  /* time of the last sample, in seconds */
	bool started; /* there was a sample */
};

int pm_reserves_create(struct pm_reserves **reserves, struct pm_error *error)
{
	struct pm_reserves *created = calloc(1, sizeof *created);

	if (!created)
		return pm_error_out_of_memory(error);

	*reserves = created;
	return 0;
}

static void destroy_entry(struct entry *entry)
{
	pm_series_deinit(&entry->reserve.series);
	free(entry);
}

void pm_reserves_destroy(struct pm_reserves *reserves)
{
	if (!reserves)
		return;

	for (size_t i = 0; i < reserves->entry_count; i++)
		destroy_entry(reserves->entries[i]);

	free(reserves->borders.items);
	free(reserves->spare.items);
	free(reserves);
}

static bool is_accessible(const struct pm_region *region)
{
	return (region->perms & (PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC)) != 0;
}

/** Checks whether a region is private memory without a file. */
static bool is_private(const struct pm_region *region)
{
	return region->inode == 0 && (region->perms & PM_PERM_SHARED) == 0;
}

/**
 * Checks whether a region belongs to an allocator or to a language runtime. When a reserve is full,
 * such an owner reserves more memory: malloc another heap, Go another arena of its heap, a JVM
 * another node of its metaspace. If it cannot, a limit of the runtime applies, and not
 * the end of the reserve (headroom.h).
 */
static bool continues_elsewhere(const struct pm_region *region)
{
	switch ((enum pm_owner)region->owner) {
	case PM_OWNER_UNKNOWN:
	case PM_OWNER_STACK:
	case PM_OWNER_FILE:
	case PM_OWNER_SHARED:
	case PM_OWNER_KERNEL:
	case PM_OWNER_CODE:
		return region->kind == PM_KIND_ARENA;
	default:
		return true;
	}
}

/** Checks whether a region is a reserve, if something grows into it. */
static bool can_be_reserve(const struct pm_region *region)
{
	return is_private(region) && !is_accessible(region) && region->kind != PM_KIND_GUARD &&
	       region->detail.type != PM_DETAIL_ARENA_REST &&
	       region->detail.type != PM_DETAIL_ARENA_UNREAD_REST && !continues_elsewhere(region);
}

/** Checks whether a region can grow into the reserve after it. */
static bool can_grow_into(const struct pm_region *region, const struct pm_region *reserve)
{
	return region->end == reserve->start && is_private(region) && is_accessible(region) &&
	       !continues_elsewhere(region);
}

static int find_borders(const struct pm_regions *regions, struct borders *borders,
                        struct pm_error *error)
{
	borders->count = 0;
	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		uint64_t owner = region->start;

		if (!can_be_reserve(region))
			continue;
		if (i > 0 && can_grow_into(&regions->items[i - 1], region))
			owner = regions->items[i - 1].start;

		if (pm_array_reserve(&borders->items, &borders->capacity, borders->count, 1,
		                     sizeof *borders->items, error) < 0)
			return -1;
		borders->items[borders->count++] =
			(struct border){ .owner = owner, .at = region->start, .end = region->end };
	}

	return 0;
}

/** Finds the border with an end. Returns NULL if there is none. */
static const struct border *find_border(const struct borders *borders, uint64_t end)
{
	size_t low = 0, high = borders->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (borders->items[middle].end < end)
			low = middle + 1;
		else
			high = middle;
	}

	if (low == borders->count || borders->items[low].end != end)
		return NULL;
	return &borders->items[low];
}

static struct entry *find_entry(const struct pm_reserves *reserves, enum pm_reserve_type type,
                                uint64_t end)
{
	for (size_t i = 0; i < reserves->entry_count; i++) {
		const struct pm_reserve *reserve = &reserves->entries[i]->reserve;
		if (reserve->type == type && reserve->end == end)
			return reserves->entries[i];
	}

	return NULL;
}

/**
 * Adds an entry. `reserve->used` is the length of the used part until the last sample.
 * @return 0, also if there are too many entries; -1 if out of memory
 */
static int add_entry(struct pm_reserves *reserves, const struct pm_reserve *reserve,
                     struct pm_error *error)
{
	if (reserves->entry_count == RESERVES_MAX)
		return 0;

	struct entry *entry = calloc(1, sizeof *entry);
	if (!entry)
		return pm_error_out_of_memory(error);

	entry->reserve = *reserve;
	reserves->entries[reserves->entry_count++] = entry;

	struct pm_series *series = &entry->reserve.series;
	if (!reserves->started || reserve->type == PM_RESERVE_FILE)
		return 0;
	if (pm_series_add(series, reserves->first, reserve->used, error) < 0)
		return -1;
	if (reserves->last <= reserves->first)
		return 0;

	return pm_series_add(series, reserves->last, reserve->used, error);
}

/** Adds an entry if the border of an inaccessible region moved up since the last sample. */
static int compare_border(struct pm_reserves *reserves, const struct border *was,
                          const struct border *is, struct pm_error *error)
{
	/* The memory before the border must be one region with that before the old border. */
	if (is->at <= was->at || is->owner > was->at ||
	    find_entry(reserves, PM_RESERVE_INACCESSIBLE, is->end))
		return 0;

	const struct pm_reserve reserve = { .type = PM_RESERVE_INACCESSIBLE,
		                            .start = pm_max(was->owner, is->owner),
		                            .end = is->end,
		                            .used = was->at - pm_max(was->owner, is->owner) };
	return add_entry(reserves, &reserve, error);
}

static int find_pools(struct pm_reserves *reserves, const struct borders *now,
                      struct pm_error *error)
{
	for (size_t i = 0; i < now->count; i++) {
		const struct border *is = &now->items[i];
		const struct border *was = find_border(&reserves->borders, is->end);

		if (was && compare_border(reserves, was, is, error) < 0)
			return -1;
	}

	return 0;
}

/**
 * Determines the used part of a pool.
 * @return false if the pool does not exist any more
 */
static bool measure_pool(const struct pm_reserve *pool, const struct borders *borders,
                         const struct pm_regions *regions, uint64_t *used)
{
	const struct border *border = find_border(borders, pool->end);

	if (border) {
		*used = border->at - pool->start;
		return border->at > pool->start && border->owner < border->at;
	}

	/*
	 * Nothing is left: the last bytes are accessible. If their region begins after the part
	 * that was used, the pool was unmapped, and its addresses were used again.
	 */
	const struct pm_region *last = pm_regions_find(regions, pool->end - 1);
	*used = pm_reserve_size(pool);
	return last && last->start <= pool->start + pool->used && is_private(last) &&
	       is_accessible(last) && !continues_elsewhere(last);
}

static int follow_pools(struct pm_reserves *reserves, double time, const struct borders *borders,
                        const struct pm_regions *regions, struct pm_error *error)
{
	for (size_t i = 0; i < reserves->entry_count; i++) {
		struct entry *entry = reserves->entries[i];
		struct pm_reserve *pool = &entry->reserve;
		uint64_t used;

		if (pool->type != PM_RESERVE_INACCESSIBLE ||
		    !measure_pool(pool, borders, regions, &used))
			continue;

		entry->seen = true;
		pool->used = used;
		if (pm_series_add(&pool->series, time, used, error) < 0)
			return -1;
	}

	return 0;
}

/** Finds the largest shared mappings of files. @return their number */
static size_t find_files(const struct pm_regions *regions, const struct pm_region **files)
{
	size_t count = 0;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		uint64_t size = pm_region_size(region);
		size_t at = count;

		if (region->inode == 0 || (region->perms & PM_PERM_SHARED) == 0 ||
		    region->kind == PM_KIND_DEVICE || size < min_file)
			continue;

		if (count < FILES_MAX)
			count++;
		else if (size <= pm_region_size(files[--at]))
			continue;
		for (; at > 0 && pm_region_size(files[at - 1]) < size; at--)
			files[at] = files[at - 1];
		files[at] = region;
	}

	return count;
}

/** Adds the length of a mapped file to its entry. Adds an entry if the file has none. */
static int follow_file(struct pm_reserves *reserves, double time, const struct pm_region *region,
                       struct pm_process *process, struct pm_error *error)
{
	struct pm_reserve found = { .type = PM_RESERVE_FILE,
		                    .start = region->start,
		                    .end = region->end };
	struct entry *entry = find_entry(reserves, PM_RESERVE_FILE, region->end);
	uint64_t length;

	if (!pm_mapped_file_length(process, region, &length))
		return 0;
	if (length > region->offset)
		found.used = pm_min(length - region->offset, pm_region_size(region));
	if (!entry && found.used == pm_region_size(region))
		return 0;

	if (!entry && add_entry(reserves, &found, error) < 0)
		return -1;
	entry = find_entry(reserves, PM_RESERVE_FILE, region->end);
	if (!entry || entry->reserve.start != region->start)
		return 0;

	entry->seen = true;
	entry->reserve.used = found.used;
	return pm_series_add(&entry->reserve.series, time, found.used, error);
}

/** Removes the entries that were not seen, and lists those that grew. */
static void update_list(struct pm_reserves *reserves)
{
	size_t kept = 0;

	reserves->grown_count = 0;
	for (size_t i = 0; i < reserves->entry_count; i++) {
		struct entry *entry = reserves->entries[i];
		const struct pm_reserve *reserve = &entry->reserve;

		if (!entry->seen) {
			destroy_entry(entry);
			continue;
		}

		entry->seen = false;
		reserves->entries[kept++] = entry;
		if (reserve->used > reserve->series.points[0].value)
			reserves->grown[reserves->grown_count++] = reserve;
	}

	reserves->entry_count = kept;
}

int pm_reserves_add(struct pm_reserves *reserves, double time, const struct pm_regions *regions,
                    struct pm_process *process, struct pm_error *error)
{
	const struct pm_region *files[FILES_MAX];
	struct borders *now = &reserves->spare;
	size_t file_count = process ? find_files(regions, files) : 0;

	if (find_borders(regions, now, error) < 0 || find_pools(reserves, now, error) < 0 ||
	    follow_pools(reserves, time, now, regions, error) < 0)
		return -1;
	for (size_t i = 0; i < file_count; i++)
		if (follow_file(reserves, time, files[i], process, error) < 0)
			return -1;

	update_list(reserves);
	if (!reserves->started)
		reserves->first = time;
	reserves->started = true;
	reserves->last = time;

	struct borders former = reserves->borders;
	reserves->borders = reserves->spare;
	reserves->spare = former;
	return 0;
}

const struct pm_reserve *const *pm_reserves_list(const struct pm_reserves *reserves, size_t *count)
{
	*count = reserves->grown_count;
	return reserves->grown;
}

const struct pm_reserve *pm_reserves_soonest(const struct pm_reserves *reserves,
                                             struct pm_trend *trend, double *seconds)
{
	const struct pm_reserve *soonest = NULL;

	for (size_t i = 0; i < reserves->grown_count; i++) {
		const struct pm_reserve *reserve = reserves->grown[i];
		uint64_t left = pm_reserve_size(reserve) - reserve->used;
		struct pm_trend judged;
		double lasts;

		pm_trend_judge(&reserve->series, PM_TREND_BYTES, &judged);
		if (left == 0 || !pm_trend_lasts(&judged, left, &lasts) ||
		    (soonest && lasts >= *seconds))
			continue;

		soonest = reserve;
		*trend = judged;
		*seconds = lasts;
	}

	return soonest;
}
