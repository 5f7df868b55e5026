/* SPDX-License-Identifier: MIT */
/*
 * Compares the sizes of regions at several readings. Regions grow, shrink, merge and split between
 * two readings: the sizes of a former region belong to the region of the last reading that it
 * overlaps. If it overlaps several, the sizes of these at that reading are not known.
 *
 * While the kernel only sets marks, the cold bytes of a region (resident, but not marked) cannot
 * rise: a page that appears is marked, and a page that disappears is no longer counted. So cold
 * bytes that rise are marks that were removed. Pages of files are not compared: the kernel also
 * removes their marks in read(2), folio_mark_accessed() in mm/swap.c.
 */
#include "stale/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/minmax.h"

/* The older part of memory that grows is untouched if at least this share of it is cold. Own
 * choice. */
static const double untouched_share = 0.5;

int pm_stale_pieces_copy(struct pm_stale_pieces *pieces, const struct pm_regions *regions,
                         struct pm_error *error)
{
	struct pm_stale_piece *items = calloc(regions->count + 1, sizeof *items);
	size_t count = 0;

	if (!items)
		return pm_error_out_of_memory(error);

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		const uint64_t *bytes = region->bytes;
		if (bytes[PM_SIZE_RSS] + bytes[PM_SIZE_SWAP] == 0)
			continue;

		items[count++] = (struct pm_stale_piece){
			.start = region->start,
			.end = region->end,
			.rss = bytes[PM_SIZE_RSS],
			.swap = bytes[PM_SIZE_SWAP],
			.referenced = pm_min(bytes[PM_SIZE_REFERENCED], bytes[PM_SIZE_RSS]),
			.anonymous = pm_min(bytes[PM_SIZE_ANONYMOUS], bytes[PM_SIZE_RSS]),
			.kind = region->kind,
		};
	}

	pieces->items = items;
	pieces->count = count;
	return 0;
}

void pm_stale_pieces_deinit(struct pm_stale_pieces *pieces)
{
	free(pieces->items);
	*pieces = (struct pm_stale_pieces){ 0 };
}

/** The sizes of one region, or of one kind, at each reading. */
struct history {
	uint64_t rss[PM_STALE_READINGS_MAX];
	uint64_t swap[PM_STALE_READINGS_MAX];
	uint64_t referenced[PM_STALE_READINGS_MAX];
	uint64_t anonymous[PM_STALE_READINGS_MAX];
	bool unknown[PM_STALE_READINGS_MAX]; /* some sizes cannot be attributed */
};

static void add_piece(struct history *history, size_t reading, const struct pm_stale_piece *piece)
{
	history->rss[reading] += piece->rss;
	history->swap[reading] += piece->swap;
	history->referenced[reading] += piece->referenced;
	history->anonymous[reading] += piece->anonymous;
}

static bool grows(const struct history *history, size_t count)
{
	uint64_t last = history->rss[0] + history->swap[0];
	const uint64_t first = last;
	size_t rises = 0;

	for (size_t i = 1; i < count; i++) {
		uint64_t size = history->rss[i] + history->swap[i];
		if (size < last)
			return false;
		rises += size > last;
		last = size;
	}

	/* One rise can be a single step. */
	return rises >= 2 && last - first >= PM_STALE_GROWTH_MIN;
}

static bool is_known(const struct history *history, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (history->unknown[i])
			return false;
	return true;
}

static bool is_anonymous(const struct history *history, size_t reading)
{
	return !history->unknown[reading] && history->anonymous[reading] == history->rss[reading];
}

/** Returns the number of bytes whose marks were removed, of those whose marks were seen. */
static uint64_t lost_marks(const struct history *history, size_t count)
{
	uint64_t lost = 0;

	for (size_t i = 1; i < count; i++) {
		uint64_t was = history->rss[i - 1] - history->referenced[i - 1];
		uint64_t is = history->rss[i] - history->referenced[i];
		if (is > was && is_anonymous(history, i - 1) && is_anonymous(history, i))
			lost += is - was;
	}

	return lost;
}

/** Judges the growth, and fills the sizes that depend on earlier readings. */
static void judge(struct pm_stale_sizes *sizes, const struct history *history, size_t count)
{
	size_t last = count - 1;

	sizes->before_known = !history->unknown[0];
	if (sizes->before_known) {
		sizes->before = history->rss[0];
		sizes->grown = (int64_t)(history->rss[last] + history->swap[last] -
		                         history->rss[0] - history->swap[0]);
	}

	sizes->growth = PM_STALE_GROWTH_UNKNOWN;
	if (count < 3 || !is_known(history, count) || lost_marks(history, count) > 0)
		return;

	sizes->growth = PM_STALE_GROWTH_NONE;
	if (!grows(history, count))
		return;

	/* Pages that appear are marked. So marks were removed, as read(2) of a file does. */
	if (sizes->cold > sizes->before) {
		sizes->growth = PM_STALE_GROWTH_UNKNOWN;
		return;
	}

	/* Memory that did not exist at the start has no older part that could be untouched. */
	sizes->growth = PM_STALE_GROWTH_TOUCHED;
	if (sizes->before > 0 && (double)sizes->cold >= (double)sizes->before * untouched_share)
		sizes->growth = PM_STALE_GROWTH_UNTOUCHED;
}

static struct pm_stale_sizes sizes_of(const struct pm_region *region)
{
	const uint64_t *bytes = region->bytes;
	struct pm_stale_sizes sizes = {
		.rss = bytes[PM_SIZE_RSS],
		.referenced = pm_min(bytes[PM_SIZE_REFERENCED], bytes[PM_SIZE_RSS]),
		.swap = bytes[PM_SIZE_SWAP],
		.huge = bytes[PM_SIZE_ANON_HUGE] + bytes[PM_SIZE_SHMEM_PMD] +
		        bytes[PM_SIZE_FILE_PMD],
		.shared = bytes[PM_SIZE_RSS] - pm_min(bytes[PM_SIZE_ANONYMOUS], bytes[PM_SIZE_RSS]),
	};

	sizes.cold = sizes.rss - sizes.referenced;
	return sizes;
}

static void add_sizes(struct pm_stale_sizes *sum, const struct pm_stale_sizes *sizes)
{
	sum->rss += sizes->rss;
	sum->referenced += sizes->referenced;
	sum->cold += sizes->cold;
	sum->swap += sizes->swap;
	sum->huge += sizes->huge;
	sum->shared += sizes->shared;
}

/**
 * Adds the sizes at one reading that belong to a region, and marks them as unknown if they also
 * belong to the next region.
 * @param at    index of the first piece that can overlap the region; advanced to that of the next
 *              region
 * @param next  start of the next region, UINT64_MAX if there is none
 */
static void add_reading(struct history *history, size_t reading,
                        const struct pm_stale_pieces *pieces, const struct pm_region *region,
                        uint64_t next, size_t *at)
{
	while (*at < pieces->count && pieces->items[*at].end <= region->start)
		(*at)++;

	for (size_t i = *at; i < pieces->count && pieces->items[i].start < region->end; i++) {
		add_piece(history, reading, &pieces->items[i]);
		if (pieces->items[i].end > next)
			history->unknown[reading] = true;
	}
}

/** Fills the history of a region; `at` has the position in the pieces of each reading. */
static void trace_region(struct history *history, const struct pm_regions *regions, size_t index,
                         const struct pm_stale_pieces *pieces, size_t count, size_t *at)
{
	const struct pm_region *region = &regions->items[index];
	bool has_next = index + 1 < regions->count;
	uint64_t next = has_next ? regions->items[index + 1].start : UINT64_MAX;
	uint64_t former_end = index > 0 ? regions->items[index - 1].end : 0;

	for (size_t i = 0; i < count; i++) {
		add_reading(history, i, &pieces[i], region, next, &at[i]);

		size_t first = at[i];
		if (first < pieces[i].count && pieces[i].items[first].start < former_end)
			history->unknown[i] = true;
	}
}

/**
 * Adds the sizes of all regions at one reading to the histories of the kinds, and to that of all.
 * The kind of a former region is that of the region at its place, or its own if there is none.
 */
static void add_kinds(struct history *kinds, struct history *total, size_t reading,
                      const struct pm_stale_pieces *pieces, const struct pm_regions *regions)
{
	size_t at = 0;

	for (size_t i = 0; i < pieces->count; i++) {
		const struct pm_stale_piece *piece = &pieces->items[i];
		uint8_t kind = piece->kind;

		while (at < regions->count && regions->items[at].end <= piece->start)
			at++;
		if (at < regions->count && regions->items[at].start < piece->end)
			kind = regions->items[at].kind;

		add_piece(&kinds[kind], reading, piece);
		add_piece(total, reading, piece);
	}
}

static void compute_sums(struct pm_stale_result *result, const struct pm_regions *regions,
                         const struct pm_stale_pieces *pieces)
{
	struct history kinds[PM_KIND_COUNT] = { 0 }, total = { 0 };

	for (size_t i = 0; i < result->reading_count; i++)
		add_kinds(kinds, &total, i, &pieces[i], regions);

	for (size_t i = 0; i < PM_KIND_COUNT; i++)
		judge(&result->kinds[i], &kinds[i], result->reading_count);
	judge(&result->total, &total, result->reading_count);
}

/** Adds the sizes of a region to the sums that need no earlier readings. */
static void add_region(struct pm_stale_result *result, const struct pm_stale_region *region)
{
	const uint64_t *bytes = region->region.bytes;

	result->hugetlb += bytes[PM_SIZE_SHARED_HUGETLB] + bytes[PM_SIZE_PRIVATE_HUGETLB];
	add_sizes(&result->total, &region->sizes);
	add_sizes(&result->kinds[region->region.kind], &region->sizes);
}

void pm_stale_sizes_compute(struct pm_stale_result *result, const struct pm_regions *regions,
                            const struct pm_stale_pieces *pieces)
{
	size_t at[PM_STALE_READINGS_MAX] = { 0 };

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		struct pm_stale_region *into = &result->regions[result->count++];
		struct history history = { 0 };

		trace_region(&history, regions, i, pieces, result->reading_count, at);
		*into = (struct pm_stale_region){ .region = *region,
			                          .sizes = sizes_of(region),
			                          .reading_count = result->reading_count };
		judge(&into->sizes, &history, result->reading_count);
		into->referenced_known = is_known(&history, result->reading_count);
		if (into->referenced_known)
			memcpy(into->referenced, history.referenced, sizeof into->referenced);

		result->lost += lost_marks(&history, result->reading_count);
		add_region(result, into);
	}

	compute_sums(result, regions, pieces);
}
