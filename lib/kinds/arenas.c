/* SPDX-License-Identifier: MIT */
/*
 * Heaps of malloc arenas. A heap is proven by its heap_info. If the heap_info cannot be read, the
 * heap is inferred from its alignment together with VmFlags and the inaccessible rest of the heap.
 * The alignment alone proves nothing: the heap and class space of the JVM, and memory of many
 * allocators, begin at multiples of 64 MiB, too.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/number.h>

#include "kinds/arena_heaps.h"
#include "kinds/context.h"
#include "kinds/malloc_headers.h"
#include "kinds/objects.h"
#include "kinds/rules.h"
#include "region/texts.h"

/**
 * Claims the inaccessible rest of a heap: the contiguous inaccessible regions from `region`, which
 * may be NULL, up to the end of the heap.
 */
static void claim_rest(struct pm_kinds_context *context, struct pm_region *region,
                       uint64_t heap_end, uint64_t arena, enum pm_proof proof,
                       const struct pm_detail *detail)
{
	for (; region && region->start < heap_end &&
	       pm_kinds_region_class(context, region) == PM_REGION_CLASS_CLOSED &&
	       region->kind == PM_KIND_UNKNOWN;
	     region = pm_kinds_above(context, region)) {
		pm_kinds_claim(
			region, PM_KIND_RESERVE, proof,
			region->end > heap_end
				? "no access: the rest of a malloc heap, merged with the reserve "
				  "above it"
				: "no access: address space into which a malloc heap grows");
		region->arena = arena;
		region->detail = *detail;
	}
}

/** Returns the detail of the regions of a heap. */
static struct pm_detail detail_of(struct pm_kinds_context *context,
                                  const struct pm_arena_heap *heap)
{
	struct pm_detail detail = { .type = PM_DETAIL_ARENA };
	struct pm_detail_heap *stored = pm_texts_reserve(&context->regions->texts, sizeof *stored);
	if (!stored) {
		context->out_of_memory = true;
		return detail;
	}

	*stored = (struct pm_detail_heap){
		.start = heap->start,
		.arena = heap->arena,
		.number = heap->arena_number,
		.index = heap->index,
		.of = heap->of,
	};
	detail.heaps = stored;
	detail.listed = 1;

	return detail;
}

/**
 * Adds the heap of `added` to the list of heaps in the detail of a region into which the kernel
 * merged several heaps. If the number of heaps is a power of two, the list is full and is copied to
 * a list of twice the size. A list of one heap is never changed, because regions may share it.
 */
static void add_heap(struct pm_kinds_context *context, struct pm_region *region,
                     const struct pm_detail *added)
{
	struct pm_detail *detail = &region->detail;
	struct pm_detail_heap *heaps = (struct pm_detail_heap *)detail->heaps;
	uint32_t count = detail->listed;
	if (added->listed == 0 || count == 0)
		return;

	if ((count & (count - 1)) == 0) {
		heaps = pm_texts_reserve(&context->regions->texts, sizeof *heaps * 2 * count);
		if (!heaps) {
			context->out_of_memory = true;
			return;
		}
		memcpy(heaps, detail->heaps, count * sizeof *heaps);
		detail->heaps = heaps;
	}

	heaps[count] = added->heaps[0];
	detail->listed++;
}

static const char *reason(struct pm_kinds_context *context, const struct pm_arena_heap *heap)
{
	char size[PM_SIZE_TEXT_SIZE], accessible[PM_SIZE_TEXT_SIZE];
	pm_format_size(heap->size, size);
	pm_format_size(heap->mprotect_size, accessible);
	return pm_kinds_text(
		context,
		"begins with malloc's heap_info: arena %" PRIx64 ", size %s, mprotect_size %s%s",
		heap->arena, size, accessible,
		heap->index == 0
			? "; the heap_info of the first heap of the arena could not be read"
			: "");
}

static void claim_heap(struct pm_kinds_context *context, const struct pm_arena_heaps *heaps,
                       const struct pm_arena_heap *heap)
{
	const struct pm_detail detail = detail_of(context, heap);
	const char *why = reason(context, heap);
	enum pm_proof proof = heap->index > 0 ? PM_PROOF_PROVEN : PM_PROOF_INFERRED;
	struct pm_region *region = heap->region;
	if (region->kind == PM_KIND_ARENA && heap->start > region->start)
		add_heap(context, region, &detail);

	while (region && region->start < heap->start + heaps->heap_max &&
	       pm_kinds_region_class(context, region) == PM_REGION_CLASS_WRITABLE) {
		if (region->kind == PM_KIND_UNKNOWN) {
			pm_kinds_claim(region, PM_KIND_ARENA, proof, why);
			region->arena = heap->arena;
			region->detail = detail;
		}
		region = pm_kinds_above(context, region);
	}

	struct pm_detail rest = detail;
	rest.type = PM_DETAIL_ARENA_REST;
	claim_rest(context, region, heap->start + heaps->heap_max, heap->arena, proof, &rest);
}

/**
 * Returns whether the heap_info of the first heap of the arena could not be read, although a
 * writable region begins at the address of this heap. The chain from `heap` to the first heap then
 * cannot be verified.
 */
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
		               "begins at a multiple of malloc's heap size, has VmFlags nr but not "
		               "ac, and is followed by inaccessible memory up to the end of the "
		               "heap; its heap_info could not be read");
		region->detail.type = PM_DETAIL_ARENA_UNREAD;
		claim_rest(context, rest, region->start + heap_max, 0, PM_PROOF_INFERRED,
		           &(struct pm_detail){ .type = PM_DETAIL_ARENA_UNREAD_REST });
	}

	return 0;
}
