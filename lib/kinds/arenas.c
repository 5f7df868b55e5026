/* SPDX-License-Identifier: MIT */
/*
 * Heaps of glibc's malloc arenas. A heap begins at a multiple of 64 MiB (1 MiB in 32-bit programs) with a struct heap_info, whose first words are since
 * glibc 2.4: the arena, the heap before, the size in use, and the size made accessible (malloc/arena.c). What is not accessible yet follows as `---p`.
 * Nothing else is aligned so *and* says so: that proves it. Full heaps may lie one behind the other in one region.
 */
#include <stdlib.h>

#include "base/array.h"
#include "kinds/malloc_headers.h"
#include "kinds/memory.h"
#include "kinds/rules.h"

/** One heap. */
struct heap {
	struct pm_region *region;
	uint64_t start;
	uint64_t arena;    /* ar_ptr */
	uint64_t previous; /* prev: 0 for the first heap of an arena */
	uint64_t used;     /* size */
	uint64_t open;     /* mprotect_size */
};

struct heaps {
	struct heap *items;
	size_t count;
	size_t capacity;
	uint64_t most; /* HEAP_MAX_SIZE */
	unsigned word;
};

/** Whether the words can be a heap_info of a heap that begins at `start`, of which `rest` bytes lie in this region. */
static bool is_plausible(const struct heaps *heaps, const struct heap *heap, uint64_t rest, uint64_t page)
{
	if (heap->open == 0 || heap->open % page != 0 || heap->open > heaps->most || heap->used > heap->open)
		return false;
	/* A full heap may be followed by the next one; any other ends where the region does. */
	if (heap->open != rest && !(heap->open == heaps->most && rest > heaps->most))
		return false;
	bool inside = heap->arena > heap->start && heap->arena - heap->start <= 16 * heaps->word;
	return heap->previous == 0 ? inside : !inside && heap->previous % heaps->most == 0 && heap->arena != 0;
}

static int add(struct heaps *heaps, const struct heap *heap, struct pm_error *error)
{
	if (pm_array_reserve(&heaps->items, &heaps->capacity, heaps->count, 1, sizeof *heaps->items, error) < 0)
		return -1;
	heaps->items[heaps->count++] = *heap;
	return 0;
}

/** Reads the heap_info at an address behind the start of a region. @param got whether it could be read */
static int read_info(struct pm_kinds_context *context, const struct heaps *heaps, struct heap *heap, bool *got, struct pm_error *error)
{
	unsigned char bytes[PM_MALLOC_HEADER_SIZE];
	enum pm_presence presence;
	*got = false;
	if (pm_kinds_presence(context, heap->region, heap->start, &presence, error) < 0)
		return -1;
	if (presence != PM_PRESENT)
		return 0;
	if (pm_kinds_read(context, &heap->start, 1, sizeof bytes, bytes, got, error) < 0)
		return -1;
	heap->arena = pm_kinds_word(bytes, heaps->word);
	heap->previous = pm_kinds_word(bytes + heaps->word, heaps->word);
	heap->used = pm_kinds_word(bytes + 2 * (size_t)heaps->word, heaps->word);
	heap->open = pm_kinds_word(bytes + 3 * (size_t)heaps->word, heaps->word);
	return 0;
}

/** Adds all heaps of a region, or none if they do not fill it. */
static int add_region(struct pm_kinds_context *context, struct heaps *heaps, struct pm_region *region, struct pm_error *error)
{
	size_t before = heaps->count;
	for (uint64_t start = region->start; start < region->end; start += heaps->most) {
		struct heap heap = { .region = region, .start = start };
		bool got;
		if (read_info(context, heaps, &heap, &got, error) < 0)
			return -1;
		if (!got || !is_plausible(heaps, &heap, region->end - start, context->page)) {
			heaps->count = before;
			return 0;
		}
		if (add(heaps, &heap, error) < 0)
			return -1;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct heap *left = a, *right = b;
	if (left->arena != right->arena)
		return left->arena < right->arena ? -1 : 1;
	/* The first heap of an arena, which holds it, comes first. */
	if ((left->previous == 0) != (right->previous == 0))
		return left->previous == 0 ? -1 : 1;
	return left->start < right->start ? -1 : left->start > right->start;
}

static void claim(struct pm_kinds_context *context, const struct heap *heap, unsigned arena, size_t index, size_t count, uint64_t most)
{
	struct pm_region *region = heap->region;
	if (region->kind == PM_KIND_ARENA) {
		region->detail = pm_kinds_text(context, "%s; arena %u (%llx), heap %zu of %zu", region->detail, arena, (unsigned long long)heap->arena, index, count);
		return;
	}
	pm_kinds_claim(region, PM_KIND_ARENA, PM_PROOF_PROVEN, "heap_info of glibc's malloc at its start names the arena, and the size of this region");
	region->arena = heap->arena;
	region->detail = pm_kinds_text(context, "arena %u (%llx), heap %zu of %zu", arena, (unsigned long long)heap->arena, index, count);

	struct pm_region *rest = pm_kinds_above(context, region);
	if (!rest || rest->kind != PM_KIND_UNKNOWN || pm_kinds_looks(context, rest) != PM_LOOKS_CLOSED || rest->end > (region->start | (most - 1)) + 1)
		return;
	pm_kinds_claim(rest, PM_KIND_RESERVE, PM_PROOF_PROVEN, "no access: the rest of the heap of a malloc arena below it");
	rest->arena = heap->arena;
	rest->detail = pm_kinds_text(context, "rest of arena %u (%llx)", arena, (unsigned long long)heap->arena);
}

/** Claims the heaps of each arena whose first heap was found: the arena itself lies in that. */
static void claim_all(struct pm_kinds_context *context, const struct heaps *heaps)
{
	unsigned arena = 0;
	for (size_t first = 0; first < heaps->count;) {
		size_t next = first + 1;
		while (next < heaps->count && heaps->items[next].arena == heaps->items[first].arena)
			next++;
		if (heaps->items[first].previous == 0) {
			arena++;
			for (size_t i = first; i < next; i++)
				claim(context, &heaps->items[i], arena, i - first + 1, next - first, heaps->most);
		}
		first = next;
	}
}

int pm_rule_arenas(struct pm_kinds_context *context, struct pm_error *error)
{
	if (pm_malloc_headers_read(context, error) < 0)
		return -1;
	struct heaps heaps = { .word = pm_kinds_word_size(context) };
	heaps.most = heaps.word == 8 ? UINT64_C(64) << 20 : UINT64_C(1) << 20;
	struct pm_region *region;
	int result = 0;
	for (size_t at = 0; result == 0 && (region = pm_kinds_next(context, PM_LOOKS_WRITABLE, &at));)
		if (region->start % heaps.most == 0 && pm_malloc_header_was_read(context, region))
			result = add_region(context, &heaps, region, error);
	if (result == 0 && heaps.count > 0) {
		qsort(heaps.items, heaps.count, sizeof *heaps.items, compare);
		claim_all(context, &heaps);
	}
	free(heaps.items);
	return result;
}

/**
 * Without the right to read: glibc maps heaps with MAP_NORESERVE, which stays visible as VmFlags `nr` without `ac`. Together with the alignment and the
 * inaccessible rest up to the next multiple nothing else was seen to look so; it is no proof all the same.
 */
int pm_rule_arena_flags(struct pm_kinds_context *context, struct pm_error *error)
{
	(void)error;
	uint64_t most = pm_kinds_word_size(context) == 8 ? UINT64_C(64) << 20 : UINT64_C(1) << 20;
	struct pm_region *region;
	for (size_t at = 0; (region = pm_kinds_next(context, PM_LOOKS_WRITABLE, &at));) {
		const struct pm_region *rest = pm_kinds_above(context, region);
		bool noreserve = region->vm_flags & PM_VM_NORESERVE && !(region->vm_flags & PM_VM_ACCOUNT);
		bool could_be_read = pm_malloc_header_was_read(context, region);
		if (could_be_read || !noreserve || region->start % most != 0 || pm_region_size(region) > most)
			continue;
		if (!rest || pm_kinds_looks(context, rest) != PM_LOOKS_CLOSED || rest->end < region->start + most)
			continue;
		pm_kinds_claim(region, PM_KIND_ARENA, PM_PROOF_INFERRED,
		               "aligned like a heap of a malloc arena, with VmFlags nr and an inaccessible rest; its header could not be read");
	}
	return 0;
}
