/* SPDX-License-Identifier: MIT */
/*
 * A page starts with the addresses of its heap and of its space (BasePageHandle and BasePage,
 * heap-page.h of cppgc). The space has a vtable and the address of a RawHeap. The RawHeap is a part
 * of the heap, and has the address of the heap (HeapBase).
 */
#include "runtimes/oilpan.h"

#include "base/minmax.h"
#include "runtimes/v8_memory.h"

enum {
	PAGE = 4096,
	/* HeapBase, HeapHandle and RawHeap are parts of one object. */
	HEAP_SIZE_MAX = 4096,
	SPACES_MAX = 256,
	CAGES_MAX = 16,
};

/* kPageSize of cppgc */
#define OILPAN_PAGE (UINT64_C(1) << 17)

/* The cage has a multiple of this size, and is aligned to its size. */
#define CAGE_STEP (UINT64_C(1) << 32)

/** A space that was read. */
struct space {
	uint64_t address;
	uint64_t heap;
	bool valid;
};

/** What was found. */
struct oilpan {
	struct space spaces[SPACES_MAX];
	size_t space_count;
	uint64_t steps[CAGES_MAX]; /* starts of CAGE_STEP bytes that have pages */
	size_t step_count;
	size_t pages;
};

static bool is_near(uint64_t one, uint64_t other)
{
	return one - other < HEAP_SIZE_MAX || other - one < HEAP_SIZE_MAX;
}

/** Returns whether a space is one of a heap. */
static bool check_space(struct pm_runtimes_context *context, uint64_t address, uint64_t heap)
{
	const struct pm_regions *regions = context->source->regions;
	uint64_t words[2], base, function;

	if (!pm_v8_memory_is_pointer(heap) || !pm_v8_memory_is_pointer(address) ||
	    !pm_runtime_read(context, address, words, sizeof words) ||
	    !pm_v8_memory_is_pointer(words[1]) || !is_near(words[1], heap))
		return false;
	if (!pm_runtime_read_word(context, words[1], &base) || !pm_v8_memory_is_pointer(base) ||
	    !is_near(base, heap))
		return false;

	return pm_v8_memory_is_constant(regions, words[0]) &&
	       pm_runtime_read_word(context, words[0], &function) &&
	       pm_v8_memory_is_code(regions, function);
}

/** Returns whether a space is one of a heap, and keeps the answer. */
static bool is_space(struct pm_runtimes_context *context, struct oilpan *found, uint64_t address,
                     uint64_t heap)
{
	for (size_t i = 0; i < found->space_count; i++)
		if (found->spaces[i].address == address && found->spaces[i].heap == heap)
			return found->spaces[i].valid;

	/* The first words of other memory are often pointers, but seldom many different ones. */
	bool valid = check_space(context, address, heap);
	if (valid && found->space_count < SPACES_MAX)
		found->spaces[found->space_count++] = (struct space){ address, heap, valid };
	return valid;
}

/** Notes that memory is in a cage. */
static void add_step(struct oilpan *found, uint64_t address)
{
	uint64_t start = address & ~(CAGE_STEP - 1);

	if (found->step_count > 0 && found->steps[found->step_count - 1] == start)
		return;
	if (found->step_count < CAGES_MAX)
		found->steps[found->step_count++] = start;
}

static void read_region(struct pm_runtimes_context *context, const struct pm_region *region,
                        struct oilpan *found)
{
	uint64_t at = (region->start + OILPAN_PAGE - 1) & ~(OILPAN_PAGE - 1);

	while (at >= region->start && at < region->end && !pm_runtime_ends(context)) {
		uint64_t present = pm_runtime_next_present(context, at, region->end);
		uint64_t words[2];

		if (present - at >= PAGE) {
			at = (present + OILPAN_PAGE - 1) & ~(OILPAN_PAGE - 1);
			continue;
		}
		if (pm_runtime_read(context, at, words, sizeof words) &&
		    is_space(context, found, words[1], words[0])) {
			pm_runtime_add_range(context, at, pm_min(at + OILPAN_PAGE, region->end),
			                     PM_OWNER_CHROMIUM_OILPAN, PM_PROOF_PROVEN);
			add_step(found, at);
			found->pages++;
		}
		at += OILPAN_PAGE;
	}
}

/**
 * Adds the rest of a part of a cage: large pages, and pages that are free. If it is not reserved as
 * a whole, there is no cage, and other memory can be beside the pages.
 */
static void add_rest(struct pm_runtimes_context *context, uint64_t start)
{
	if (pm_v8_memory_is_reserved(context->source->regions, start, CAGE_STEP))
		pm_runtime_add_range(context, start, start + CAGE_STEP, PM_OWNER_CHROMIUM_OILPAN,
		                     PM_PROOF_INFERRED);
}

size_t pm_oilpan_read(struct pm_runtimes_context *context)
{
	const unsigned access = PM_PERM_READ | PM_PERM_WRITE | PM_PERM_EXEC;
	const struct pm_regions *regions = context->source->regions;
	struct oilpan found = { .pages = 0 };

	for (size_t i = 0; i < regions->count && !pm_runtime_ends(context); i++) {
		const struct pm_region *region = &regions->items[i];

		if (pm_v8_memory_is_private(region) &&
		    (region->perms & access) == (PM_PERM_READ | PM_PERM_WRITE))
			read_region(context, region, &found);
	}
	for (size_t i = 0; i < found.step_count; i++)
		add_rest(context, found.steps[i]);

	return found.pages;
}
