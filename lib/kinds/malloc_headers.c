/* SPDX-License-Identifier: MIT */
#include "kinds/malloc_headers.h"

#include <stdlib.h>

#include "base/array.h"
#include "kinds/arena_heaps.h"
#include "kinds/context.h"
#include "kinds/evidence_read.h"
#include "kinds/objects.h"

/*
 * HEADERS_MAX: maximum number of headers to read. Checking whether the page of a header is present
 * takes about half a microsecond, and so does reading the header. For 60,000 regions, this would
 * take longer than reading the list of regions. Real processes have fewer writable anonymous
 * regions, because the kernel merges blocks of malloc. If there are more than HEADERS_MAX, only the
 * headers of the regions with the most memory are read. CLASSES: number of size classes, see
 * class_of().
 */
enum { HEADERS_MAX = 4096, CLASSES = 65 };

/** Regions whose headers can be read, and buffers for the headers. */
struct candidates {
	struct pm_region **regions;
	uint64_t *addresses;
	unsigned char *bytes;
	bool *got;
	size_t count;
};

static void release(struct candidates *candidates)
{
	free(candidates->regions);
	free(candidates->addresses);
	free(candidates->bytes);
	free(candidates->got);
}

static int allocate(struct candidates *candidates, size_t max, struct pm_error *error)
{
	candidates->regions = calloc(max, sizeof(struct pm_region *));
	candidates->addresses = calloc(max, sizeof *candidates->addresses);
	candidates->bytes = calloc(max, PM_MALLOC_HEADER_SIZE);
	candidates->got = calloc(max, sizeof *candidates->got);
	if (candidates->regions && candidates->addresses && candidates->bytes && candidates->got)
		return 0;
	return pm_error_out_of_memory(error);
}

/**
 * Returns the size class of a region: the bit length of its resident size, or of its length if the
 * resident size is not known.
 */
static unsigned class_of(const struct pm_region *region)
{
	uint64_t weight = pm_region_size(region);

	if (pm_region_knows(region, PM_SIZE_RSS))
		weight = region->bytes[PM_SIZE_RSS];
	if (weight == 0)
		return 0;

	return 64 - (unsigned)__builtin_clzll(weight);
}

/**
 * The regions whose headers are read: all regions of size classes above `min`, and the first `some`
 * regions of size class `min`.
 */
struct choice {
	unsigned min;
	size_t some;
};

static struct choice choose(const struct pm_kinds_context *context)
{
	size_t counts[CLASSES] = { 0 }, sum = 0, at = 0;
	struct pm_region *region;
	while ((region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at)))
		counts[class_of(region)]++;

	for (unsigned class = CLASSES; class --> 1;) {
		if (sum + counts[class] > HEADERS_MAX)
			return (struct choice){ class, HEADERS_MAX - sum };
		sum += counts[class];
	}

	return (struct choice){ 0, SIZE_MAX };
}

static bool is_chosen(struct choice *choice, const struct pm_region *region, uint64_t heap_max)
{
	unsigned class = class_of(region);
	/*
	 * The headers of regions that may begin with a heap of an arena are always read. There are
	 * only a few such regions.
	 */
	if (class > choice->min || region->start % heap_max == 0)
		return true;
	if (class < choice->min || choice->some == 0)
		return false;

	choice->some--;
	return true;
}

/** Collects the chosen regions whose first page is present, and sets the state of all headers. */
static int collect(struct pm_kinds_context *context, struct candidates *candidates,
                   struct pm_error *error)
{
	/*
	 * The state of a header by the presence of its page. If the page is present, the header
	 * counts as unreadable until it was read.
	 */
	static const uint8_t states[] = {
		[PM_PRESENT] = PM_HEADER_UNREADABLE,
		[PM_ABSENT] = PM_HEADER_ABSENT,
		[PM_PRESENCE_UNKNOWN] = PM_HEADER_UNKNOWN,
	};

	struct choice choice = choose(context);
	uint64_t heap_max = pm_arena_heap_max(context);
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		uint8_t *header = &context->headers[pm_kinds_index(context, region)];
		enum pm_presence presence;

		if (!is_chosen(&choice, region, heap_max)) {
			*header = PM_HEADER_LEFT_OUT;
			continue;
		}
		if (pm_kinds_presence(context, region, region->start, &presence, error) < 0)
			return -1;

		*header = states[presence];
		if (presence != PM_PRESENT)
			continue;

		/*
		 * There is room for all regions that pm_kinds_next() returns.
		 * NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
		 */
		candidates->regions[candidates->count] = region;
		candidates->addresses[candidates->count++] = region->start;
	}

	return 0;
}

static int read_candidates(struct pm_kinds_context *context, struct candidates *candidates,
                           struct pm_error *error)
{
	if (collect(context, candidates, error) < 0 ||
	    pm_kinds_read(context, candidates->addresses, candidates->count, PM_MALLOC_HEADER_SIZE,
	                  candidates->bytes, candidates->got, error) < 0)
		return -1;

	for (size_t i = 0; i < candidates->count; i++) {
		size_t index = pm_kinds_index(context, candidates->regions[i]);
		if (!candidates->got[i])
			continue;
		context->headers[index] = PM_HEADER_READ;
		context->header_at[index] = (uint32_t)i;
	}

	context->header_bytes = candidates->bytes;
	candidates->bytes = NULL;

	return 0;
}

int pm_malloc_headers_read(struct pm_kinds_context *context, struct pm_error *error)
{
	size_t max = context->lists[PM_REGION_CLASS_WRITABLE].count;
	if (max == 0 || context->refusal[0] != '\0')
		return 0;

	struct candidates candidates = { 0 };
	context->header_at = calloc(context->regions->count, sizeof *context->header_at);

	if (!context->header_at)
		return pm_error_out_of_memory(error);

	int result = allocate(&candidates, max, error);
	if (result == 0)
		result = read_candidates(context, &candidates, error);
	release(&candidates);

	return result;
}

const unsigned char *pm_malloc_header(const struct pm_kinds_context *context,
                                      const struct pm_region *region)
{
	uint32_t at = context->header_at[pm_kinds_index(context, region)];
	return context->header_bytes + (size_t)at * PM_MALLOC_HEADER_SIZE;
}

uint64_t pm_arena_heap_max(const struct pm_kinds_context *context)
{
	uint64_t mebibytes = pm_kinds_word_size(context) == 8 ? 64 : 1;
	return mebibytes << 20;
}
