/* SPDX-License-Identifier: MIT */
/*
 * mheap_.allArenas lists the arenas. mheap_.allspans lists all spans, also those that are unused
 * now: a span is a run of pages of 8 KiB, used for objects (mSpanInUse), or for memory that the
 * runtime manages itself (mSpanManual), of which only stacks have an element size.
 *
 * The structures are accepted if they agree: arenas are in regions, and nearly all of the first
 * spans are within arenas. The list of spans can change while it is read.
 */
#include "runtimes/go_heap.h"

#include <string.h>

#include "base/minmax.h"

enum {
	PAGE = 8192,
	SPAN_BYTES = 256, /* of an mspan that are read; all fields are within them */
	CHECKED = 512,    /* spans that are checked before any label is given */
	BATCH = 512,      /* pointers that are read at once: 4 KiB */
	MANUAL = 2,       /* mSpanManual */
	IN_USE = 1,       /* mSpanInUse */
};

/* 64 million spans have at least 512 GiB of heap. */
static const uint64_t spans_max = UINT64_C(1) << 26;

/** A slice. */
struct slice {
	uint64_t array, length, capacity;
};

/** A span. */
struct span {
	uint64_t start, size, element;
	unsigned state;
};

uint64_t pm_go_arena_address(uint64_t index)
{
	const uint64_t user_end = UINT64_C(1) << 47;
	uint64_t address;

	if (index == 0 || index >= PM_GO_ARENA_TABLE)
		return 0;

	/* On x86-64, index 0 is the lowest address of the kernel (arenaBaseOffset). */
	address = index * PM_GO_ARENA_BYTES;
	return address < user_end ? address : address - user_end;
}

static bool read_slice(struct pm_runtimes_context *context, uint64_t address, struct slice *slice)
{
	uint64_t words[3];

	if (!pm_runtime_read(context, address, words, sizeof words))
		return false;

	*slice = (struct slice){ words[0], words[1], words[2] };
	return slice->array % 8 == 0 && slice->array != 0 && slice->length <= slice->capacity;
}

/** Returns whether an address is in private anonymous memory, or in a reservation of it. */
static bool is_anonymous(const struct pm_runtimes_context *context, uint64_t address)
{
	const struct pm_region *region = pm_regions_find(context->source->regions, address);
	return region && region->inode == 0 && !(region->perms & PM_PERM_SHARED);
}

/** Returns whether the index of an arena is that of an arena that is mapped. */
static bool is_arena(const struct pm_runtimes_context *context, uint64_t index)
{
	uint64_t address = pm_go_arena_address(index);
	return address != 0 && is_anonymous(context, address);
}

/**
 * Reads the list of arenas, and calls pm_runtime_add_range() for each if `add` is set.
 * @return false if the list is not valid
 */
static bool read_arenas(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                        bool add)
{
	uint64_t address = layout->variables[PM_GO_MHEAP] + layout->fields[PM_GO_MHEAP_ALLARENAS];
	struct slice arenas;

	if (!read_slice(context, address, &arenas) || arenas.length == 0 ||
	    arenas.length > PM_GO_ARENAS_MAX)
		return false;

	for (uint64_t i = 0; i < arenas.length; i++) {
		uint64_t index;

		if (!pm_runtime_read_word(context, arenas.array + i * 8, &index) ||
		    !is_arena(context, index))
			return false;

		uint64_t start = pm_go_arena_address(index);
		if (add)
			pm_runtime_add_range(context, start, start + PM_GO_ARENA_BYTES,
			                     PM_OWNER_GO_HEAP, PM_PROOF_PROVEN);
	}

	return true;
}

static uint64_t word_at(const unsigned char *bytes, uint64_t offset)
{
	uint64_t word;
	memcpy(&word, bytes + offset, sizeof word);
	return word;
}

/** What an element of the list of spans is. */
enum span_state {
	SPAN_INVALID, /* something else */
	SPAN_UNUSED, /* a span that was not used so far: all zeros, possibly in an untouched page */
	SPAN_VALID,
};

/** Reads a span. */
static enum span_state read_span(struct pm_runtimes_context *context,
                                 const struct pm_go_layout *layout, uint64_t address,
                                 struct span *span)
{
	const uint64_t pages_max = UINT64_C(1) << 35; /* of 48 bits of addresses */
	unsigned char bytes[SPAN_BYTES];
	uint64_t size = 0;

	for (unsigned i = PM_GO_SPAN_START; i <= PM_GO_SPAN_ELEMENT; i++)
		size = pm_max(size, layout->fields[i] + 8);
	if (size > sizeof bytes || address % 8 != 0 || !is_anonymous(context, address))
		return SPAN_INVALID;
	if (!pm_runtime_read(context, address, bytes, (size_t)size))
		return SPAN_UNUSED;

	uint64_t pages = word_at(bytes, layout->fields[PM_GO_SPAN_PAGES]);
	*span = (struct span){
		.start = word_at(bytes, layout->fields[PM_GO_SPAN_START]),
		.size = pages * PAGE,
		.element = word_at(bytes, layout->fields[PM_GO_SPAN_ELEMENT]),
		.state = bytes[layout->fields[PM_GO_SPAN_STATE]],
	};
	if (span->start == 0 && pages == 0 && span->state == 0)
		return SPAN_UNUSED;

	bool valid = span->start != 0 && span->start % PAGE == 0 && pages > 0 &&
	             pages < pages_max && span->state <= MANUAL && span->element <= span->size &&
	             span->start <= UINT64_MAX - span->size;
	return valid ? SPAN_VALID : SPAN_INVALID;
}

/** Returns whether a span can be a part of the heap: its arena is in the table of arenas. */
static bool is_in_heap(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                       const struct span *span)
{
	const uint64_t user_end = UINT64_C(1) << 47;
	uint64_t variable = layout->variables[PM_GO_MHEAP] + layout->fields[PM_GO_MHEAP_ARENAS];
	uint64_t table, arena, index = span->start / PM_GO_ARENA_BYTES;

	if (span->start >= user_end || !is_anonymous(context, span->start) ||
	    !pm_runtime_read_word(context, variable, &table) || table % 8 != 0)
		return false;
	if (pm_runtime_read_word(context, table + index * 8, &arena) && arena != 0)
		return true;

	index += user_end / PM_GO_ARENA_BYTES;
	return pm_runtime_read_word(context, table + index * 8, &arena) && arena != 0;
}

/** Checks the first spans. Returns whether nearly all are valid. */
static bool check_spans(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                        const struct slice *spans)
{
	uint64_t good = 0, bad = 0;

	for (uint64_t i = 0; i < pm_min(spans->length, CHECKED); i++) {
		enum span_state state = SPAN_INVALID;
		uint64_t address;
		struct span span;

		if (pm_runtime_read_word(context, spans->array + i * 8, &address))
			state = read_span(context, layout, address, &span);
		if (state == SPAN_UNUSED)
			continue;
		if (state == SPAN_VALID && is_in_heap(context, layout, &span))
			good++;
		else
			bad++;
	}

	return good > 0 && bad <= good / 16;
}

/** Adds a span that is a stack, and counts all. */
static void add_span(struct pm_runtimes_context *context, const struct span *span,
                     struct pm_go_heap *heap)
{
	if (span->state == IN_USE)
		heap->heap_bytes += span->size;
	if (span->state != MANUAL || span->element == 0 || !is_anonymous(context, span->start))
		return;

	heap->stack_bytes += span->size;
	pm_runtime_add_range(context, span->start, span->start + span->size, PM_OWNER_GO_STACKS,
	                     PM_PROOF_PROVEN);
}

static void read_spans(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                       const struct slice *spans, struct pm_go_heap *heap)
{
	uint64_t pointers[BATCH];

	for (uint64_t i = 0; i < spans->length; i += BATCH) {
		uint64_t count = pm_min(spans->length - i, BATCH);

		if (pm_runtime_ends(context))
			return;
		if (!pm_runtime_read(context, spans->array + i * 8, pointers, count * 8))
			continue;
		for (uint64_t k = 0; k < count; k++) {
			struct span span;
			if (read_span(context, layout, pointers[k], &span) == SPAN_VALID)
				add_span(context, &span, heap);
		}
	}

	heap->complete = !pm_runtime_ends(context);
}

void pm_go_heap_read(struct pm_runtimes_context *context, const struct pm_go_layout *layout,
                     struct pm_go_heap *heap)
{
	struct slice spans;

	*heap = (struct pm_go_heap){ 0 };
	if (!pm_go_layout_has(layout, PM_GO_MHEAP, PM_GO_MHEAP_ALLSPANS, PM_GO_MHEAP_ARENAS) ||
	    !pm_go_layout_has(layout, PM_GO_MHEAP, PM_GO_SPAN_START, PM_GO_SPAN_ELEMENT))
		return;
	if (!read_slice(context,
	                layout->variables[PM_GO_MHEAP] + layout->fields[PM_GO_MHEAP_ALLSPANS],
	                &spans) ||
	    spans.length > spans_max || !check_spans(context, layout, &spans) ||
	    !read_arenas(context, layout, false))
		return;

	/* Stacks first: memory keeps the owner that it was given first. */
	heap->proven = true;
	read_spans(context, layout, &spans, heap);
	read_arenas(context, layout, true);
}

void pm_go_heap_guess(struct pm_runtimes_context *context)
{
	const struct pm_regions *regions = context->source->regions;

	for (size_t i = 0; i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];

		if (region->start >= PM_GO_HINTS_START && region->start < PM_GO_HINTS_END &&
		    is_anonymous(context, region->start))
			pm_runtime_add_range(context, region->start, region->end, PM_OWNER_GO_HEAP,
			                     PM_PROOF_INFERRED);
	}
}
