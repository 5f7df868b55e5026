/* SPDX-License-Identifier: MIT */
/*
 * Heaps of malloc's arenas. Proven by their heap_info; where that cannot be read, inferred from the
 * alignment together with VmFlags and the inaccessible rest of the heap. Alignment alone proves
 * nothing: the JVM's heap and class space, and many allocators' pools, lie at multiples of 64 MiB
 * too.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <procmem/number.h>

#include "kinds/arena_heaps.h"
#include "kinds/context.h"
#include "kinds/malloc_headers.h"
#include "kinds/objects.h"
#include "kinds/rules.h"

/** Claims the inaccessible rest of a heap, from `region` on. */
static void claim_rest(struct pm_kinds_context *context, struct pm_region *region,
                       uint64_t heap_end, uint64_t arena, enum pm_proof proof,
                       const char *heap_text)
{
	for (; region && region->start < heap_end &&
	       pm_kinds_region_class(context, region) == PM_REGION_CLASS_CLOSED &&
	       region->kind == PM_KIND_UNKNOWN;
	     region = pm_kinds_above(context, region)) {
		pm_kinds_claim(
			region, PM_KIND_RESERVE, proof,
			region->end > heap_end
				? "no access: the rest of a malloc heap, merged with a reserve "
				  "behind it"
				: "no access: the rest of a malloc heap, into which it grows");
		region->arena = arena;
		region->detail = pm_kinds_text(context, "rest of %s", heap_text);
	}
}

/** What to call a heap: "arena 3 (7f3ae4000030), heap 1 of 2". */
static const char *heap_text(struct pm_kinds_context *context, const struct pm_arena_heap *heap)
{
	if (heap->arena_number == 0)
		return pm_kinds_text(context, "arena at %" PRIx64, heap->arena);
	if (heap->index == 0)
		return pm_kinds_text(context, "arena %u (%" PRIx64 ")", heap->arena_number,
		                     heap->arena);
	return pm_kinds_text(context, "arena %u (%" PRIx64 "), heap %u of %u", heap->arena_number,
	                     heap->arena, heap->index, heap->of);
}

static const char *reason(struct pm_kinds_context *context, const struct pm_arena_heap *heap)
{
	char size[PM_SIZE_TEXT_SIZE], accessible[PM_SIZE_TEXT_SIZE];
	pm_format_size(heap->size, size);
	pm_format_size(heap->mprotect_size, accessible);
	return pm_kinds_text(context,
	                     "heap_info at the start: arena %" PRIx64
	                     ", size %s within mprotect_size %s%s",
	                     heap->arena, size, accessible,
	                     heap->index == 0 ? "; the arena's first heap could not be read" : "");
}

static void claim_heap(struct pm_kinds_context *context, const struct pm_arena_heaps *heaps,
                       const struct pm_arena_heap *heap)
{
	const char *text = heap_text(context, heap), *why = reason(context, heap);
	enum pm_proof proof = heap->index > 0 ? PM_PROOF_PROVEN : PM_PROOF_INFERRED;
	struct pm_region *region = heap->region;
	if (region->kind == PM_KIND_ARENA && heap->start > region->start)
		region->detail = pm_kinds_text(context, "%s; from %" PRIx64 " on %s",
		                               region->detail, heap->start, text);

	while (region && region->start < heap->start + heaps->heap_max &&
	       pm_kinds_region_class(context, region) == PM_REGION_CLASS_WRITABLE) {
		if (region->kind == PM_KIND_UNKNOWN) {
			pm_kinds_claim(region, PM_KIND_ARENA, proof, why);
			region->arena = heap->arena;
			region->detail = text;
		}
		region = pm_kinds_above(context, region);
	}

	claim_rest(context, region, heap->start + heaps->heap_max, heap->arena, proof, text);
}

/** Whether the place where the arena's first heap must begin is one that could not be read. */
static bool first_is_unreadable(const struct pm_kinds_context *context,
                                const struct pm_arena_heaps *heaps,
                                const struct pm_arena_heap *heap)
{
	uint64_t start = heap->arena & ~(heaps->heap_max - 1);
	const struct pm_region *region = pm_regions_find(context->regions, start);
	return region && region->start == start &&
	       pm_kinds_region_class(context, region) == PM_REGION_CLASS_WRITABLE &&
	       !pm_arena_heap_at(heaps, start);
}

int pm_rule_arenas(struct pm_kinds_context *context, struct pm_error *error)
{
	if (pm_malloc_headers_read(context, error) < 0)
		return -1;

	struct pm_arena_heaps heaps;
	int result = pm_arena_heaps_read(context, &heaps, error);
	if (result == 0)
		result = pm_arena_heaps_link(&heaps, pm_kinds_word_size(context), error);

	for (size_t i = 0; result == 0 && i < heaps.count; i++) {
		const struct pm_arena_heap *heap = &heaps.items[i];
		if (heap->index > 0 ||
		    (heap->is_plausible && first_is_unreadable(context, &heaps, heap)))
			claim_heap(context, &heaps, heap);
	}

	free(heaps.items);
	return result;
}

int pm_rule_arena_flags(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	uint64_t heap_max = pm_arena_heap_max(context);
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_REGION_CLASS_WRITABLE, &at));) {
		bool flags = (region->vm_flags & (PM_VM_KNOWN | PM_VM_NORESERVE | PM_VM_ACCOUNT)) ==
		             (PM_VM_KNOWN | PM_VM_NORESERVE);
		if (!flags || region->start % heap_max != 0 ||
		    pm_malloc_header_was_read(context, region))
			continue;

		struct pm_region *rest = pm_kinds_above(context, region);
		if (!rest || pm_kinds_region_class(context, rest) != PM_REGION_CLASS_CLOSED ||
		    rest->kind != PM_KIND_UNKNOWN || rest->end < region->start + heap_max)
			continue;

		pm_kinds_claim(region, PM_KIND_ARENA, PM_PROOF_INFERRED,
		               "begins at a multiple of the heap size of malloc, VmFlags nr "
		               "without ac, and an inaccessible rest fills the heap; "
		               "its heap_info could not be read");
		region->detail = "malloc arena";
		claim_rest(context, rest, region->start + heap_max, 0, PM_PROOF_INFERRED,
		           "a malloc arena");
	}

	return 0;
}
