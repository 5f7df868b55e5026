/* SPDX-License-Identifier: MIT */
/*
 * Heaps of glibc's malloc: a heap with any changes must be read in finite time, and the result must
 * be consistent. The first byte of the input selects the version and whether the target is stopped.
 * Each of the following groups of 12 bytes is a change: part (1), how (1), offset (2), value (8).
 * It changes the word at the offset, makes the page at the offset unreadable or untouched, or adds
 * a heap to the second arena. Some changes are made again, at other offsets: what differs between
 * both heaps must be what differs between their lists of chunks, and a sparse comparison must end.
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/chunk_parts.h>
#include <procmem/survivors.h>

#include "heap/heap.h"
#include "heap/turnover.h"
#include "support/fake_heap.h"

enum { GROUP = 12, AGAIN = 16, PAGE = 4096, PAGES = FAKE_PART_SIZE / PAGE };

/** Kinds of changes. */
enum change {
	SET,
	ADD,
	XOR,
	SET_ADDRESS,
	GAP,       /* the page cannot be read */
	UNTOUCHED, /* the page was never touched */
	ADD_HEAP,  /* `value` selects the part to which `prev` of the new heap leads */
	CHANGES
};

/** What a page is. */
enum page { PAGE_PRESENT, PAGE_GAP, PAGE_UNTOUCHED };

/** The target. */
struct subject {
	struct fake_heap heap;
	enum page pages[FAKE_PARTS_MAX][PAGES];
	bool states; /* page states are known */
	struct pm_fake_range ranges[FAKE_PARTS_MAX * PAGES];
};

/** Returns an address in a part. */
static uint64_t address_of(uint64_t value)
{
	return fake_heap_address((enum fake_part)(value % FAKE_PARTS_MAX)) +
	       (value >> 8) % FAKE_PART_SIZE;
}

/** Changes what exists. Returns false if the change is one of a word. */
static bool change_memory(struct subject *subject, unsigned how, unsigned part, size_t page,
                          uint64_t value)
{
	switch (how) {
	case GAP:
		subject->pages[part][page] = PAGE_GAP;
		return true;
	case UNTOUCHED:
		subject->pages[part][page] = PAGE_UNTOUCHED;
		subject->states = true;
		return true;
	case ADD_HEAP:
		fake_heap_add(&subject->heap, address_of(value));
		return true;
	default:
		return false;
	}
}

/** Applies one change. */
static void change(struct subject *subject, const uint8_t *group)
{
	const unsigned part = group[0] % FAKE_PARTS_MAX, how = group[1] % CHANGES;
	uint16_t offset;
	uint64_t value, word;

	memcpy(&offset, group + 2, sizeof offset);
	memcpy(&value, group + 4, sizeof value);
	if (change_memory(subject, how, part, offset % FAKE_PART_SIZE / PAGE, value))
		return;

	unsigned char *at = subject->heap.bytes[part] + offset % (FAKE_PART_SIZE - sizeof word);

	memcpy(&word, at, sizeof word);
	switch (how) {
	case SET:
		word = value;
		break;
	case ADD:
		word += value;
		break;
	case XOR:
		word ^= value;
		break;
	default: /* an address in one of the parts */
		word = address_of(value);
		break;
	}
	memcpy(at, &word, sizeof word);
}

/** The content of a chunk must not be taken for something else. */
static void check_parts(const struct pm_heap *heap, const struct pm_chunk *chunk)
{
	const unsigned content = 1U << chunk->state, links = PM_CHUNK_PART_LINKS;
	const struct pm_range range = { chunk->start, chunk->address + chunk->size };
	struct pm_chunk_parts parts;
	if (range.start >= range.end)
		return;

	pm_chunk_parts_find(heap, range, &parts);
	fuzz_check(parts.found && parts.chunk.number == chunk->number && parts.outside == 0);
	fuzz_check((parts.inside & ~(content | links)) == 0 && parts.inside != 0);
	if (chunk->state == PM_CHUNK_IN_USE)
		fuzz_check(parts.inside == content);
}

/** Makes only the present pages readable. */
static void set_ranges(struct subject *subject)
{
	struct pm_fake_target *target = &subject->heap.target;
	const size_t parts = target->count;

	target->ranges = subject->ranges;
	target->count = 0;
	for (size_t part = 0; part < parts; part++)
		for (size_t page = 0; page < PAGES; page++)
			if (subject->pages[part][page] == PAGE_PRESENT)
				subject->ranges[target->count++] = (struct pm_fake_range){
					fake_heap_address((enum fake_part)part) + page * PAGE,
					subject->heap.bytes[part] + page * PAGE, PAGE
				};
}

/** Returns whether a page was touched. */
static bool is_touched(const struct subject *subject, uint64_t address)
{
	for (enum fake_part part = 0; part < FAKE_PARTS_MAX; part++) {
		uint64_t offset = address - fake_heap_address(part);
		if (offset < FAKE_PART_SIZE)
			return subject->pages[part][offset / PAGE] != PAGE_UNTOUCHED;
	}
	return false;
}

/** Reports all pages except for those that were never touched. */
static int walk_pages(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                      void *visitor, struct pm_error *error)
{
	const struct subject *subject = context;
	(void)error;

	fuzz_check(start % PAGE == 0 && end % PAGE == 0 && start <= end);
	for (size_t i = 0; i < subject->heap.regions.count; i++) {
		struct pm_range part = pm_region_bounds(&subject->heap.regions.items[i]);

		for (uint64_t at = part.start; at < part.end; at += PAGE) {
			struct pm_page_run run = { at, at + PAGE, PM_PAGE_PRESENT };
			if (at < start || at >= end || !is_touched(subject, at))
				continue;

			int result = visit(visitor, &run);
			if (result != 0)
				return result;
		}
	}
	return 0;
}

/** All chunks must be in order, without overlaps, and must be found by their addresses. */
static void check_chunks(const struct pm_heap *heap)
{
	uint64_t end = 0, in_use = 0, mapped = 0;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk, found;
		pm_heap_chunk(heap, i, &chunk);
		fuzz_check(chunk.number == i && chunk.address >= end && chunk.size > 0);
		fuzz_check(chunk.start >= chunk.address && chunk.end >= chunk.start);
		fuzz_check(pm_heap_find(heap, chunk.address + 8, &found) && found.number == i);
		end = chunk.address + chunk.size;
		check_parts(heap, &chunk);

		fuzz_check(chunk.arena < heap->arena_count || chunk.arena == PM_CHUNK_MAPPED);
		if (chunk.arena == PM_CHUNK_MAPPED)
			mapped++;
		else if (chunk.state == PM_CHUNK_IN_USE)
			in_use += chunk.size;
	}

	/* Segments that overlap are removed from the index. */
	fuzz_check(in_use <= heap->total.in_use && mapped <= heap->mapped_count);
	if (heap->complete)
		fuzz_check(in_use == heap->total.in_use && mapped == heap->mapped_count);
}

static void check_heap(const struct pm_heap *heap)
{
	const struct pm_heap_arena *total = &heap->total;

	fuzz_check(heap->break_count <= PM_HEAP_BREAKS_MAX &&
	           heap->break_count <= heap->breaks_total);
	for (size_t i = 0; i < heap->break_count; i++)
		fuzz_check(heap->breaks[i].why && heap->breaks[i].arena < heap->arena_count);

	if (heap->allocator == PM_HEAP_ALLOCATOR_UNKNOWN)
		fuzz_check(heap->arena_count == 0 && heap->chunk_count == 0);
	if (heap->complete && heap->arena_count > 0)
		fuzz_check(total->in_use + total->cached + total->free + total->top +
		                   total->overhead ==
		           total->system);
	fuzz_check(total->fast <= total->cached && total->fast_count <= total->cached_count);
	check_chunks(heap);

	struct pm_chunk_parts parts;
	pm_chunk_parts_find(heap, (struct pm_range){ 0, UINT64_MAX }, &parts);
	fuzz_check(parts.found == (heap->chunk_count > 0));
}

/** Chunks that a search for differences has reported. */
struct reported {
	const struct pm_heap *other;
	uint64_t count;
	uint64_t last; /* address of the last one */
};

/** Tests whether a chunk in use is in use in another heap, too. */
static bool is_in_both(const struct pm_heap *other, const struct pm_chunk *chunk)
{
	struct pm_chunk found;

	return pm_heap_find(other, chunk->start, &found) && found.state == PM_CHUNK_IN_USE &&
	       found.address == chunk->address && found.size == chunk->size;
}

static int check_reported(void *context, const struct pm_chunk *chunk)
{
	struct reported *reported = context;

	fuzz_check(chunk->state == PM_CHUNK_IN_USE && !is_in_both(reported->other, chunk));
	fuzz_check(reported->count == 0 || chunk->address > reported->last);
	reported->last = chunk->address;
	reported->count++;
	return 0;
}

/** The chunks in use of a heap that another one does not have: each is reported once. */
static void check_turnover(const struct pm_heap *heap, const struct pm_heap *other)
{
	struct reported reported = { .other = other };
	uint64_t count = 0;

	for (uint32_t i = 0; i < heap->chunk_count; i++) {
		struct pm_chunk chunk;
		pm_heap_chunk(heap, i, &chunk);
		count += chunk.state == PM_CHUNK_IN_USE && !is_in_both(other, &chunk);
	}
	fuzz_check(pm_heap_turnover(pm_heap_index_of(heap), pm_heap_index_of(other), check_reported,
	                            &reported) == 0);
	fuzz_check(reported.count == count);
}

/** Finds the chunks that are new in a heap, and those of them that stay. */
static void check_survivors(const struct pm_heap_source *source, struct pm_heap *before,
                            struct pm_heap *after)
{
	const struct pm_chunk_type_source types_source = { .memory = source };
	struct pm_chunk_types *types;
	struct pm_survivors *survivors;

	fuzz_check(pm_chunk_types_open(&types_source, &types, NULL) == 0);
	fuzz_check(pm_survivors_open(types, NULL, &survivors, NULL) == 0);
	pm_survivors_set_sparse(survivors);
	fuzz_check(pm_survivors_walk(survivors, before, NULL) == 0);
	fuzz_check(pm_survivors_walk(survivors, after, NULL) == 0);
	fuzz_check(pm_survivors_walk(survivors, after, NULL) == 0);

	for (size_t i = 0; i < pm_survivors_count(survivors); i++) {
		struct pm_survivor_class class;
		pm_survivors_get(survivors, i, &class);
		fuzz_check(class.chunks->count > 0 && class.rate >= 0);
	}

	pm_survivors_close(survivors);
	pm_chunk_types_close(types);
}

/** Changes the memory a little more, and compares the heap with the one before. */
static void check_changed(struct subject *subject, const struct pm_heap_source *source,
                          struct pm_heap *before, const uint8_t *data, size_t size)
{
	struct pm_heap *after;

	for (unsigned i = 0; i < AGAIN && size > GROUP; i++, data += GROUP, size -= GROUP) {
		uint8_t group[GROUP];

		/* At another offset; only words are changed, so the same bytes can be read. */
		memcpy(group, data + 1, GROUP);
		if (group[1] % CHANGES <= SET_ADDRESS)
			change(subject, group);
	}

	fuzz_check(pm_heap_open(source, &after, NULL) == 0);
	check_turnover(after, before);
	check_turnover(before, after);
	check_survivors(source, before, after);
	pm_heap_close(after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct subject subject;
	struct pm_error error = { 0 };
	struct pm_heap *heap;

	if (size == 0)
		return 0;

	subject = (struct subject){ 0 };
	fake_heap_init(&subject.heap, (enum fake_glibc)(data[0] % FAKE_GLIBC_COUNT));
	for (size_t at = 1; size - at >= GROUP; at += GROUP)
		change(&subject, data + at);
	set_ranges(&subject);

	const struct pm_page_source pages = { walk_pages, &subject, PM_SEGMENT_HOLE };
	const struct pm_heap_source source = { .regions = &subject.heap.regions,
		                               .reader = &subject.heap.reader,
		                               .pages = subject.states ? &pages : NULL,
		                               .stopped = data[0] >= 128 };
	fuzz_check(pm_heap_open(&source, &heap, &error) == 0);
	check_heap(heap);
	check_changed(&subject, &source, heap, data, size);
	pm_heap_close(heap);
	fake_heap_deinit(&subject.heap);

	return 0;
}
