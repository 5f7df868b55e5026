/* SPDX-License-Identifier: MIT */
#include "heap/glibc_second.h"

#include <stdlib.h>

#include "base/minmax.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_pages.h"

enum {
	USES_HUGE_PAGES = 1,
	ALIGNMENT_BITS_MIN = 5, /* smaller alignments need no second header */
	ALIGNMENT_BITS_MAX = 46,
	/* Limits of the search in front of any page, for one mapping. malloc does not use the pages
	 * between the two headers, so that few pages with data are in between. */
	PAGES_MAX = 1 << 12,
	BYTES_MAX = 1 << 28,
};

uint64_t pm_glibc_mapping_size(const struct pm_glibc *glibc, const unsigned char *header,
                               uint64_t lead, uint64_t max)
{
	uint64_t prev_size = pm_glibc_word(header), head = pm_glibc_word(header + 8);
	uint64_t size = (head & ~(uint64_t)PM_GLIBC_FLAGS), rest = glibc->layout->mapped_rest;

	if (rest != 0)
		prev_size &= ~(uint64_t)USES_HUGE_PAGES;
	if (prev_size != lead || (head & PM_GLIBC_FLAGS) != PM_GLIBC_IS_MAPPED || size > max)
		return 0;

	uint64_t mapped = size + lead + rest;
	if (mapped % glibc->page != 0 || mapped < glibc->page || mapped > max)
		return 0;
	return mapped;
}

/** Tests whether the second header is at a distance from the start of the mapping. */
static int try_lead(struct pm_glibc *glibc, struct pm_glibc_second *second, uint64_t distance,
                    struct pm_error *error)
{
	unsigned char header[PM_GLIBC_HEADER];
	int got = pm_heap_window_peek(glibc->heap->window, second->start + distance, header,
	                              sizeof header, error);
	if (got <= 0)
		return got;

	uint64_t mapped = pm_glibc_mapping_size(glibc, header, distance, second->max);
	if (mapped != 0) {
		second->size = mapped;
		second->lead = distance;
	}
	return 0;
}

int pm_glibc_second_find(struct pm_glibc *glibc, struct pm_glibc_second *second,
                         struct pm_error *error)
{
	const uint64_t start = second->start, max = second->max;
	const uint64_t alignment_max = pm_max(max, second->size);

	for (unsigned bits = ALIGNMENT_BITS_MIN; bits <= ALIGNMENT_BITS_MAX; bits++) {
		uint64_t alignment = UINT64_C(1) << bits;
		uint64_t user = (start + PM_GLIBC_HEADER + alignment - 1) & ~(alignment - 1);
		uint64_t distance = user - PM_GLIBC_HEADER - start;

		if (distance > 0 && distance < PM_GLIBC_CHUNK_MIN)
			distance += alignment;
		if (distance >= max || max - distance < PM_GLIBC_HEADER ||
		    alignment > alignment_max)
			break;
		if (distance == 0)
			continue;

		if (try_lead(glibc, second, distance, error) < 0)
			return -1;
		if (second->lead != 0)
			return 0;
	}

	return 0;
}

int pm_glibc_second_find_moved(struct pm_glibc *glibc, struct pm_glibc_second *second,
                               unsigned *pages, struct pm_error *error)
{
	const uint64_t start = second->start, page = glibc->page;
	const uint64_t bytes = pm_min(second->size, second->max);
	const struct pm_range range = { start, start + pm_min(bytes, BYTES_MAX) };
	unsigned left = (unsigned)pm_min(*pages, PAGES_MAX);
	struct pm_glibc_pages found = { 0 };
	int result = pm_glibc_pages_find(&glibc->heap->source, range, &found, error);

	*pages -= left;
	for (size_t i = 0; i < found.count && result == 0 && second->lead == 0; i++) {
		uint64_t next = found.items[i].start + page;
		for (; left > 0 && next < found.items[i].end && result == 0 && second->lead == 0;
		     next += page, left--)
			result = try_lead(glibc, second, next - PM_GLIBC_HEADER - start, error);
	}

	*pages += left;
	free(found.items);
	return result;
}
