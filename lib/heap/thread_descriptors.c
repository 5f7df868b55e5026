/* SPDX-License-Identifier: MIT */
/*
 * The descriptor of a thread is at the top of its stack, above its static thread-local data. That
 * of the first thread is in memory that the dynamic loader has allocated, or, in a static program,
 * at the start of the brk heap. Its first and third word contain its own address (tcbhead_t.tcb and
 * .self, which the ABI defines). The TID comes after 704 bytes of padding and a list node.
 */
#include "heap/thread_descriptors.h"

#include <stdlib.h>
#include <string.h>

#include <procmem/minmax.h>

#include "reader/cancel.h"

enum { DESCRIPTOR_ALIGN = 64, SELF_OFFSET = 16, TID_OFFSET = 720, NEEDED = TID_OFFSET + 4 };

/*
 * Bytes that are searched: above a stack pointer, at the start of a region, at the end of a larger
 * region, above all stack pointers together, and in all regions together.
 */
enum {
	STACK_SIZE = 8 << 20,
	REGION_SIZE = 256 << 10,
	TOP_SIZE = 16 << 10,
	STACKS_SIZE = 512 << 20,
	REGIONS_SIZE = 64 << 20,
};

/** A search. */
struct search {
	struct pm_heap_handle *heap;
	struct pm_thread_descriptor *threads; /* by own_tid */
	size_t count;
	size_t missing; /* number of threads without a descriptor */
	uint64_t left;  /* number of bytes that may still be searched */
	struct pm_error *error;
};

static int by_tid(const void *one, const void *other)
{
	const struct pm_thread_descriptor *a = one, *b = other;

	return (a->own_tid > b->own_tid) - (a->own_tid < b->own_tid);
}

/** Notes a descriptor if it is that of one of the threads. */
static void test(struct search *search, const unsigned char *bytes, uint64_t address)
{
	struct pm_thread_descriptor wanted = { 0 }, *thread;
	uint64_t self[2];
	uint32_t tid;

	memcpy(&self[0], bytes, sizeof self[0]);
	memcpy(&self[1], bytes + SELF_OFFSET, sizeof self[1]);
	if (self[0] != address || self[1] != address)
		return;

	memcpy(&tid, bytes + TID_OFFSET, sizeof tid);
	wanted.own_tid = (pid_t)tid;
	thread = bsearch(&wanted, search->threads, search->count, sizeof *thread, by_tid);
	if (!thread || thread->address != 0)
		return;

	thread->address = address;
	search->missing--;
}

/**
 * Searches a range.
 *
 * @param thread  search until the descriptor of this thread is found; NULL: until all are found
 * @return        0 or -1
 */
static int scan(struct search *search, struct pm_range range,
                const struct pm_thread_descriptor *thread)
{
	struct pm_heap_window *window = search->heap->window;
	const uint64_t page = 4096, align = DESCRIPTOR_ALIGN;
	uint64_t at = (range.start + align - 1) & ~(align - 1);

	while (at < range.end && range.end - at >= NEEDED && search->missing > 0 &&
	       search->left > 0) {
		const void *bytes;
		size_t size = 0, offset = 0;

		if (thread && thread->address != 0)
			return 0;
		if (pm_check_cancel(search->heap->source.cancel, search->error) < 0)
			return -1;

		int got = pm_heap_window_ahead(window, at, range.end, &bytes, &size, search->error);
		if (got < 0)
			return -1;
		for (; got > 0 && offset + NEEDED <= size; offset += align)
			test(search, (const unsigned char *)bytes + offset, at + offset);

		at += offset;
		search->left -= pm_min(search->left, offset);
		if (offset == 0 && pm_heap_window_next(window, (at & ~(page - 1)) + page, range.end,
		                                       &at, search->error) < 0)
			return -1;
	}

	return 0;
}

static bool is_candidate(const struct pm_region *region)
{
	const uint8_t wanted = PM_PERM_READ | PM_PERM_WRITE;

	return (region->perms & wanted) == wanted && !(region->perms & PM_PERM_SHARED) &&
	       strcmp(region->mapping, "[stack]") != 0;
}

/** Searches the stacks of the threads from their stack pointers on. */
static int scan_stacks(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		const struct pm_thread_descriptor *thread = &search->threads[i];
		uint64_t start = thread->stack_pointer;

		if (start == 0 || thread->address != 0)
			continue;

		const struct pm_region *region = pm_regions_find(search->heap->source.regions,
		                                                 start);
		if (!region || !is_candidate(region))
			continue;

		struct pm_range range = { start, region->end };
		range.end = start + pm_min(range.end - start, STACK_SIZE);
		if (scan(search, range, thread) < 0)
			return -1;
	}

	return 0;
}

static int scan_part(struct search *search, uint64_t start, uint64_t size)
{
	return scan(search, (struct pm_range){ start, start + size }, NULL);
}

/** Searches small regions, and the starts and ends of larger ones. */
static int scan_regions(struct search *search)
{
	const struct pm_regions *regions = search->heap->source.regions;

	for (size_t i = 0; i < regions->count && search->missing > 0 && search->left > 0; i++) {
		const struct pm_region *region = &regions->items[i];
		uint64_t size = pm_range_size((struct pm_range){ region->start, region->end });

		if (!is_candidate(region))
			continue;
		if (scan_part(search, region->start, pm_min(size, REGION_SIZE)) < 0)
			return -1;
		if (size > REGION_SIZE && scan_part(search, region->end - TOP_SIZE, TOP_SIZE) < 0)
			return -1;
	}

	return 0;
}

int pm_thread_descriptors_find(struct pm_heap_handle *heap, struct pm_thread_descriptor *threads,
                               size_t count, struct pm_error *error)
{
	struct search search = { .heap = heap,
		                 .threads = threads,
		                 .count = count,
		                 .left = STACKS_SIZE,
		                 .error = error };

	qsort(threads, count, sizeof *threads, by_tid);
#ifdef __x86_64__
	for (size_t i = 0; i < count; i++)
		search.missing += threads[i].address == 0;
#endif

	if (scan_stacks(&search) < 0)
		return -1;

	search.left = REGIONS_SIZE;
	return scan_regions(&search);
}
