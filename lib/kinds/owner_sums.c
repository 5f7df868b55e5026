/* SPDX-License-Identifier: MIT */
/*
 * Sums by owner. The parts of a region with several owners are measured by its page states. Pages
 * can come and go between the measurement of the region and this one: the parts are then scaled to
 * the sizes of the region, so that the sums of all owners stay those of the regions.
 */
#include <procmem/owner_sums.h>

#include <procmem/minmax.h>

#include "kinds/owners.h"

/** A region that is divided. */
struct division {
	const struct pm_region *region;
	const struct pm_runtimes *runtimes;
	size_t at; /* index of the first range that ends after the last visited page */
	struct pm_owner_range rest; /* the owner of what is in no range */
	uint64_t size[PM_OWNER_COUNT];
	uint64_t rss[PM_OWNER_COUNT];
	uint64_t swap[PM_OWNER_COUNT];
	uint64_t inferred[PM_OWNER_COUNT]; /* part of `rss` and `swap` */
};

/** Returns the owner that follows from the kind of a region. */
static struct pm_owner_range owner_of_rest(const struct pm_region *region)
{
	enum pm_owner owner = pm_kinds_owner_by_kind(region);
	enum pm_proof proof = (enum pm_proof)region->proof;

	if (owner == PM_OWNER_UNKNOWN)
		proof = PM_PROOF_NONE;
	return (struct pm_owner_range){ .range = pm_region_bounds(region),
		                        .owner = (uint8_t)owner,
		                        .proof = (uint8_t)proof };
}

/**
 * Returns the first part of a piece of the region that has one owner.
 * @param piece  the piece, not empty; ascending from call to call
 */
static struct pm_owner_range first_part(struct division *division, struct pm_range piece)
{
	const struct pm_runtimes *runtimes = division->runtimes;
	struct pm_owner_range part = division->rest;

	while (division->at < runtimes->range_count &&
	       runtimes->ranges[division->at].range.end <= piece.start)
		division->at++;

	part.range = piece;
	if (division->at == runtimes->range_count)
		return part;

	const struct pm_owner_range *range = &runtimes->ranges[division->at];
	if (range->range.start > piece.start) {
		part.range.end = pm_min(piece.end, range->range.start);
		return part;
	}

	part = *range;
	part.range = pm_range_clip(range->range, piece);
	return part;
}

/** Adds the parts of a piece of the region to the bytes of their owners. */
static void divide(struct division *division, struct pm_range piece, uint64_t *bytes,
                   bool is_weight)
{
	while (piece.start < piece.end) {
		const struct pm_owner_range part = first_part(division, piece);

		bytes[part.owner] += pm_range_size(part.range);
		if (is_weight && part.proof == PM_PROOF_INFERRED)
			division->inferred[part.owner] += pm_range_size(part.range);
		piece.start = part.range.end;
	}
}

/** Counts a run of pages, as smaps does: the zero page and guard pages are not resident. */
static int count_run(void *context, const struct pm_page_run *run)
{
	struct division *division = context;
	struct pm_range range = pm_range_clip((struct pm_range){ run->start, run->end },
	                                      pm_region_bounds(division->region));

	if (run->state & PM_PAGE_GUARD)
		return 0;
	if (run->state & PM_PAGE_PRESENT && !(run->state & PM_PAGE_ZERO))
		divide(division, range, division->rss, true);
	else if (run->state & PM_PAGE_SWAPPED)
		divide(division, range, division->swap, true);
	return 0;
}

/** Measures the parts of a region by its page states. */
static int walk(struct division *division, const struct pm_owner_sums_source *source,
                struct pm_error *error)
{
	struct pm_range rest = pm_region_bounds(division->region), step;

	division->at = pm_runtimes_range_index(division->runtimes, rest.start);
	while (source->pages && pm_page_step(&rest, &step)) {
		if (source->cancel && *source->cancel)
			return pm_error_set(error, PM_ERROR_CANCELLED, 0, "interrupted");
		if (source->pages->walk(source->pages->context, step.start, step.end, count_run,
		                        division, error) < 0)
			return -1;
	}

	return 0;
}

static uint64_t sum_of(const uint64_t *bytes)
{
	uint64_t sum = 0;

	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++)
		sum += bytes[owner];
	return sum;
}

/**
 * Divides a total in the ratio of weights. The parts always sum up to the total: what rounding
 * leaves over goes to the largest weight.
 *
 * @param total    the total
 * @param weights  weights by owner, not all 0
 * @param parts    receives the parts; may be `weights`
 */
static void divide_total(uint64_t total, const uint64_t *weights, uint64_t *parts)
{
	const double sum = (double)sum_of(weights);
	uint64_t left = total;
	size_t largest = 0;

	for (size_t owner = 1; owner < PM_OWNER_COUNT; owner++)
		if (weights[owner] > weights[largest])
			largest = owner;

	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++) {
		uint64_t part = (uint64_t)((double)weights[owner] / sum * (double)total);

		parts[owner] = pm_min(part, left);
		left -= parts[owner];
	}
	parts[largest] += left;
}

/**
 * Makes the parts sum up to the size of the region.
 *
 * @param size    PM_SIZE_RSS or PM_SIZE_SWAP
 * @param parts   the parts
 * @return        bytes that were not measured where they are
 */
static uint64_t fit(const struct division *division, enum pm_size size, uint64_t *parts)
{
	uint64_t total = division->region->bytes[size], measured = sum_of(parts);

	if (measured == total)
		return 0;

	divide_total(total, measured > 0 ? parts : division->size, parts);
	return total > measured ? total - measured : measured - total;
}

/** Returns in which ratio a size of the region is divided. */
static const uint64_t *weights_of(const struct division *division, enum pm_size size)
{
	const uint64_t *weights = division->rss;

	if (size == PM_SIZE_SWAP || size == PM_SIZE_SWAP_PSS)
		weights = division->swap;
	return sum_of(weights) > 0 ? weights : division->size;
}

/** Returns whether a size is an amount of memory. */
static bool is_amount(enum pm_size size)
{
	return size != PM_SIZE_KERNEL_PAGE && size != PM_SIZE_MMU_PAGE;
}

/** Adds a part of a region, without the sizes of smaps. */
static void add_part(struct pm_owner_sum *sum, uint64_t size, uint32_t known)
{
	sum->regions++;
	sum->size += size;
	sum->largest = pm_max(sum->largest, size);
	sum->known |= known;
}

static void add_whole(const struct pm_region *region, struct pm_owner_sums *sums)
{
	struct pm_owner_sum *sum = &sums->items[region->owner];

	add_part(sum, pm_region_size(region), region->known);
	for (enum pm_size size = 0; size < PM_SIZE_COUNT; size++)
		if (is_amount(size))
			sum->bytes[size] += region->bytes[size];
	if (region->owner_proof == PM_PROOF_INFERRED)
		sum->inferred += region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP];
}

/** Adds the parts of a divided region. */
static void add_divided(struct division *division, struct pm_owner_sums *sums)
{
	const struct pm_region *region = division->region;
	uint64_t parts[PM_OWNER_COUNT];

	sums->approximate += fit(division, PM_SIZE_RSS, division->rss) +
	                     fit(division, PM_SIZE_SWAP, division->swap);

	for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++) {
		struct pm_owner_sum *sum = &sums->items[owner];

		if (division->size[owner] == 0)
			continue;
		add_part(sum, division->size[owner], region->known);
		sum->inferred += pm_min(division->inferred[owner],
		                        division->rss[owner] + division->swap[owner]);
	}

	for (enum pm_size size = 0; size < PM_SIZE_COUNT; size++) {
		if (!is_amount(size) || region->bytes[size] == 0)
			continue;
		divide_total(region->bytes[size], weights_of(division, size), parts);
		for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++)
			sums->items[owner].bytes[size] += parts[owner];
	}
}

int pm_owner_sums_add(const struct pm_owner_sums_source *source, const struct pm_region *region,
                      struct pm_owner_sums *sums, struct pm_error *error)
{
	if (!region->owner_mixed || !source->runtimes || pm_region_size(region) == 0) {
		add_whole(region, sums);
		return 0;
	}

	struct division division = { .region = region,
		                     .runtimes = source->runtimes,
		                     .at = pm_runtimes_range_index(source->runtimes, region->start),
		                     .rest = owner_of_rest(region) };

	divide(&division, pm_region_bounds(region), division.size, false);
	if (region->bytes[PM_SIZE_RSS] + region->bytes[PM_SIZE_SWAP] > 0 &&
	    walk(&division, source, error) < 0)
		return -1;

	add_divided(&division, sums);
	return 0;
}

int pm_owner_sums_read(const struct pm_owner_sums_source *source, const struct pm_regions *regions,
                       struct pm_owner_sums *sums, struct pm_error *error)
{
	struct pm_owner_sums read = { 0 };

	for (size_t i = 0; i < regions->count; i++)
		if (pm_owner_sums_add(source, &regions->items[i], &read, error) < 0)
			return -1;

	*sums = read;
	return 0;
}

struct pm_owner_range pm_owner_sums_find(const struct pm_runtimes *runtimes,
                                         const struct pm_region *region, uint64_t address)
{
	struct pm_owner_range whole = { .range = pm_region_bounds(region),
		                        .owner = region->owner,
		                        .proof = region->owner_proof };

	if (!runtimes)
		return whole;

	struct division division = { .region = region,
		                     .runtimes = runtimes,
		                     .at = pm_runtimes_range_index(runtimes, region->start),
		                     .rest = owner_of_rest(region) };
	struct pm_range piece = pm_region_bounds(region);

	while (piece.start < piece.end) {
		const struct pm_owner_range part = first_part(&division, piece);

		if (address < part.range.end)
			return part;
		piece.start = part.range.end;
	}

	return whole;
}
