/* SPDX-License-Identifier: MIT */
/*
 * A mapped chunk begins at the start of a page: prev_size is 0, and of the flags of `size` only
 * IS_MMAPPED is set. The kernel merges mappings, so that chunks can be anywhere in a region. Since
 * 2.43, `size` does not include the header, and bit 0 of prev_size marks huge pages.
 *
 * posix_memalign(3) writes a second header in front of the address that it returns. Its prev_size
 * is the distance from the start of the mapping. The first header remains, and realloc(3) does not
 * change it: it can exceed the mapping. realloc(3) keeps the distance when it moves the mapping, so
 * the address need no longer be aligned. If fewer bytes are found than malloc has counted, the
 * regions are searched again, for second headers in front of any page.
 *
 * A running process can map chunks after its regions were read. If fewer chunks are found than
 * malloc has counted, the regions are read again, once.
 *
 * mprotect(2) and madvise(2) divide a chunk into several regions. If fewer chunks are found than
 * malloc has counted, regions that cannot be written are searched, too, and chunks that extend over
 * several regions.
 *
 * Other memory can contain words that look like such a header: pages of the metaspace of a JVM do.
 * A chunk has a whole mapping, so it usually begins or ends where another chunk or a region does.
 * If more chunks are found than malloc has counted, chunks that neither begin nor end there are
 * left out, provided that this makes the number and the bytes equal to the counters of malloc.
 */
#include "heap/glibc_mapped.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/range.h"
#include "heap/glibc_chain.h"
#include "heap/glibc_find.h"
#include "heap/glibc_pages.h"
#include "heap/glibc_second.h"
#include "heap/glibc_start.h"
#include "heap/glibc_walk.h"

enum {
	SLICE = 1 << 28, /* bytes whose page states are known at a time */
	/* Consecutive pages that cannot be read, after which the rest of a region is left out. Only
	 * if page states are not known: the memory of a core file can be missing. */
	FAILURES_MAX = 256,
	LEAD_PAGES = 1 << 18, /* pages that are searched for headers that were moved */
};

/* Maximum size in bytes of a mapping, and of a region that is searched although it cannot be
 * written. */
static const uint64_t mapping_max = UINT64_C(1) << 47, protected_max = UINT64_C(1) << 34;

/** A chunk that was found. */
struct found {
	uint64_t address; /* start of the mapping */
	uint64_t size;    /* bytes of the mapping */
	uint64_t lead;    /* see pm_heap_segment.lead */
	/* Whether it begins, or ends, at the border of another chunk, of a region or of a heap */
	bool adjacent;
};

/** A search. */
struct search {
	struct pm_glibc *glibc;
	struct pm_heap_window *window;
	struct pm_heap_arena *main;
	struct pm_range *skip; /* ascending, without overlaps */
	size_t skip_count;
	size_t next_skip; /* the first range that ends after `at` */
	uint64_t at;      /* address of the next page to test */
	uint64_t end;     /* end of the region */
	uint64_t limit;   /* where a chunk must end: `end`, or the end of a later region */
	bool jumped;      /* `at` follows a chunk or a range that was skipped */
	uint64_t border;  /* start of the region, or the end of the last chunk or skipped range */
	bool wants_parts; /* the main arena has parts in mapped memory */
	/* Pages that may still be searched for second headers at other places than alignments */
	unsigned lead_pages;
	bool moved; /* such a header was found */
	unsigned failures;
	struct found *found; /* ascending */
	size_t found_count;
	size_t found_capacity;
	struct pm_error *error;
};

/**
 * Adds the chunk whose first header is at `at`, unless it exceeds the region.
 * @param size  size of the mapping according to the first header
 */
static int add_chunk(struct search *search, uint64_t size)
{
	struct found found = { .address = search->at };
	struct pm_glibc_second second = { search->at, search->limit - search->at, size, 0 };

	if (pm_glibc_second_find(search->glibc, &second, search->error) < 0)
		return -1;
	if (second.lead == 0 && search->lead_pages > 0) {
		if (pm_glibc_second_find_moved(search->glibc, &second, &search->lead_pages,
		                               search->error) < 0)
			return -1;
		search->moved |= second.lead != 0;
	}

	found.lead = second.lead;
	size = second.size;
	if (size > search->limit - search->at)
		return 0;
	if (pm_array_reserve(&search->found, &search->found_capacity, search->found_count, 1,
	                     sizeof *search->found, search->error) < 0)
		return -1;

	found.size = size;
	found.adjacent = search->at == search->border || search->at + size == search->end ||
	                 search->at + size == search->limit;
	if (search->at == search->border && search->found_count > 0) {
		struct found *last = &search->found[search->found_count - 1];
		last->adjacent |= last->address + last->size == search->at;
	}

	search->found[search->found_count++] = found;
	search->at += size;
	search->border = search->at;
	search->jumped = true;
	return 0;
}

/**
 * Walks over a part of the main arena that was mapped because sbrk(2) failed. Nothing happens if no
 * such part starts at `at`.
 */
static int try_part(struct search *search)
{
	struct pm_glibc *glibc = search->glibc;
	const uint64_t top = glibc->arenas[0].top, page = glibc->page;
	struct pm_glibc_heap part = { search->at, search->at, search->end, true };
	uint64_t head = 0;
	bool starts = false;

	if (pm_glibc_start_test(glibc, search->at, search->end, &starts, search->error) < 0)
		return -1;
	if (!starts)
		return 0;

	if (top >= part.start && top < part.end) {
		int got = pm_heap_window_word(search->window, top + 8, &head, search->error);
		if (got < 0)
			return -1;
		part.end = top + pm_min(head & ~(uint64_t)PM_GLIBC_FLAGS, search->end - top);
	}
	if (pm_glibc_walk(glibc, 0, &part, search->main, search->error) < 0)
		return -1;

	search->at = (part.end + page - 1) & ~(page - 1);
	search->border = search->at;
	search->jumped = true;
	return 0;
}

/**
 * Reads the header at `at`. After a chunk, other chunks often follow: then only the page is read.
 * Otherwise, many pages are read at once.
 */
static int read_header(struct search *search, uint64_t end, unsigned char *header)
{
	const void *bytes;
	int got;

	if (search->jumped)
		return pm_heap_window_peek(search->window, search->at, header, PM_GLIBC_HEADER,
		                           search->error);

	got = pm_heap_window_at(search->window, search->at, PM_GLIBC_HEADER, end, &bytes,
	                        search->error);
	if (got > 0)
		memcpy(header, bytes, PM_GLIBC_HEADER);
	return got;
}

/** Tests the page at `at`, and moves `at` to the next page to test. */
static int test_page(struct search *search, uint64_t end)
{
	unsigned char header[PM_GLIBC_HEADER];
	const uint64_t before = search->at;
	int got = read_header(search, end, header);

	if (got < 0)
		return -1;

	search->jumped = false;
	search->failures = got == 0 ? search->failures + 1 : 0;
	if (got > 0) {
		uint64_t size = pm_glibc_mapping_size(search->glibc, header, 0, mapping_max);
		uint64_t head = pm_glibc_word(header + 8);

		if (size != 0 && add_chunk(search, size) < 0)
			return -1;
		if (search->wants_parts && pm_glibc_word(header) == 0 &&
		    (head & PM_GLIBC_FLAGS) == PM_GLIBC_PREV_INUSE && try_part(search) < 0)
			return -1;
	}

	if (search->at == before)
		search->at += search->glibc->page;
	return 0;
}

/** Moves `at` to the end of the range of other memory that contains it. */
static bool skip_range(struct search *search)
{
	while (search->next_skip < search->skip_count &&
	       search->skip[search->next_skip].end <= search->at)
		search->next_skip++;

	if (search->next_skip == search->skip_count ||
	    search->skip[search->next_skip].start > search->at)
		return false;

	const uint64_t page = search->glibc->page;
	search->at = (search->skip[search->next_skip].end + page - 1) & ~(page - 1);
	search->border = search->at;
	search->jumped = true;
	return true;
}

/** Tests contiguous pages that can be read. */
static int search_pages(struct search *search, struct pm_range pages)
{
	if (search->at < pages.start)
		search->at = pages.start;

	while (search->at < pages.end) {
		if (!search->glibc->heap->source.pages && search->failures >= FAILURES_MAX) {
			search->at = pages.end;
			break;
		}
		if (!skip_range(search) && test_page(search, pages.end) < 0)
			return -1;
	}
	return 0;
}

/**
 * Searches a region from `at` on.
 * @param limit  where a chunk must end
 */
static int search_region(struct search *search, const struct pm_region *region, uint64_t limit)
{
	const struct pm_heap_source *source = &search->glibc->heap->source;
	struct pm_glibc_pages pages = { 0 };
	int result = 0;

	search->at = pm_max(search->at, region->start);
	search->border = search->at;
	search->end = region->end;
	search->limit = limit;
	search->jumped = true;
	search->failures = 0;

	for (uint64_t at = region->start; result == 0 && at < region->end;) {
		struct pm_range slice = { at, at + pm_min(region->end - at, SLICE) };

		result = pm_glibc_pages_find(source, slice, &pages, search->error);
		for (size_t i = 0; result == 0 && i < pages.count; i++)
			result = search_pages(search, pages.items[i]);
		at = pm_max(slice.end, pm_min(search->at, region->end));
	}

	free(pages.items);
	return result;
}

/** Returns whether the memory of a region is private, and not that of a file or device. */
static bool is_private(const struct pm_region *region)
{
	return (region->perms & PM_PERM_SHARED) == 0 &&
	       (region->vm_flags & (PM_VM_IO | PM_VM_PFNMAP)) == 0 &&
	       (pm_region_is_anonymous(region) ||
	        strncmp(region->mapping, "/anon_hugepage", 14) == 0);
}

/** Returns whether malloc can have mapped memory of a region. */
static bool is_candidate(const struct pm_region *region)
{
	unsigned write = PM_PERM_WRITE | PM_PERM_MAYBE(PM_PERM_WRITE);

	return (region->perms & write) != 0 && is_private(region);
}

/** Merges the memory of the arenas, the ranges of the caller and the chunks into one list. */
static int make_skip(struct search *search)
{
	const struct pm_heap_source *source = &search->glibc->heap->source;
	const struct pm_glibc *glibc = search->glibc;
	size_t count = glibc->range_count + source->skip_count, kept = 0;

	count += search->found_count;
	struct pm_range *skip = malloc((count + 1) * sizeof *skip);

	if (!skip)
		return pm_error_out_of_memory(search->error);

	for (size_t i = 0; i < glibc->range_count; i++)
		skip[i] = glibc->ranges[i];
	for (size_t i = 0; i < source->skip_count; i++)
		skip[glibc->range_count + i] = source->skip[i];
	for (size_t i = 0; i < search->found_count; i++) {
		const struct found *found = &search->found[i];
		skip[count - 1 - i] = (struct pm_range){ found->address,
			                                 found->address + found->size };
	}
	qsort(skip, count, sizeof *skip, pm_range_compare);

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && skip[i].start <= skip[kept - 1].end)
			skip[kept - 1].end = pm_max(skip[kept - 1].end, skip[i].end);
		else
			skip[kept++] = skip[i];
	}

	free(search->skip);
	search->skip = skip;
	search->skip_count = kept;
	search->next_skip = 0;
	return 0;
}

/** Number and bytes of chunks. */
struct sum {
	uint64_t count;
	uint64_t bytes;
};

static bool is_equal(struct sum one, struct sum other)
{
	return one.count == other.count && one.bytes == other.bytes;
}

/**
 * Selects the chunks to leave out: all that are not adjacent to a border, or one of them.
 *
 * @param excess  what was found, but is not in the counters of malloc; count > 0
 * @param only    receives the size in bytes of the chunk to leave out; 0 for all
 * @return        whether this leaves exactly the counted chunks
 */
static bool select_false(const struct search *search, struct sum excess, uint64_t *only)
{
	struct sum all = { 0 };
	size_t matches = 0;

	for (size_t i = 0; i < search->found_count; i++) {
		const struct found *found = &search->found[i];
		if (found->adjacent)
			continue;
		all.count++;
		all.bytes += found->size;
		matches += found->size == excess.bytes;
	}

	*only = is_equal(all, excess) ? 0 : excess.bytes;
	return is_equal(all, excess) || (excess.count == 1 && matches == 1);
}

static struct sum sum_of(const struct search *search)
{
	struct sum sum = { 0 };

	for (size_t i = 0; i < search->found_count; i++) {
		sum.count++;
		sum.bytes += search->found[i].size;
	}
	return sum;
}

/** Adds the chunks to the index and to the figures, except those that are other memory. */
static int add_found(struct search *search)
{
	const struct pm_glibc *glibc = search->glibc;
	struct pm_heap_handle *heap = glibc->heap;
	const struct sum sum = sum_of(search);
	uint64_t only = 0;

	const struct sum excess = { sum.count - glibc->parameters.mapped_count,
		                    sum.bytes - glibc->parameters.mapped };
	bool leave_out = glibc->parameters.address != 0 &&
	                 sum.count > glibc->parameters.mapped_count &&
	                 sum.bytes > glibc->parameters.mapped &&
	                 select_false(search, excess, &only);

	for (size_t i = 0; i < search->found_count; i++) {
		const struct found *found = &search->found[i];
		if (leave_out && !found->adjacent && (only == 0 || found->size == only))
			continue;

		if (pm_heap_index_add_mapped(&heap->index, found->address, found->size, found->lead,
		                             search->error) < 0)
			return -1;
		heap->result.mapped += found->size;
		heap->result.mapped_lead += found->lead;
		heap->result.mapped_count++;
	}

	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct found *one = a, *other = b;
	return (one->address > other->address) - (one->address < other->address);
}

/** Returns the end of the private regions that follow a region without a gap. */
static uint64_t end_of_private(const struct pm_regions *regions, size_t index)
{
	uint64_t end = regions->items[index].end;

	for (size_t i = index + 1;
	     i < regions->count && regions->items[i].start == end && is_private(&regions->items[i]);
	     i++)
		end = regions->items[i].end;
	return end;
}

/** Searches the chunks that were divided into several regions, or that cannot be written. */
static int search_divided(struct search *search)
{
	const struct pm_regions *regions = search->glibc->heap->source.regions;
	int result = make_skip(search);
	uint64_t limit = 0;

	search->at = 0;
	search->wants_parts = false;
	for (size_t i = 0; result == 0 && i < regions->count; i++) {
		const struct pm_region *region = &regions->items[i];
		if (!is_private(region))
			continue;

		if (region->start >= limit)
			limit = end_of_private(regions, i);
		bool wanted = is_candidate(region) ? limit > region->end
		                                   : pm_region_size(region) <= protected_max;
		if (wanted)
			result = search_region(search, region, limit);
	}

	return result;
}

/** Returns whether fewer chunks were found than malloc has counted. */
static bool has_missing(const struct search *search)
{
	const struct pm_glibc_parameters *counted = &search->glibc->parameters;
	const struct sum sum = sum_of(search);

	return counted->address != 0 && sum.count < counted->mapped_count &&
	       sum.bytes < counted->mapped;
}

/** Searches the regions that can be written. */
static int search_writable(struct search *search)
{
	const struct pm_regions *regions = search->glibc->heap->source.regions;
	int result = make_skip(search);

	search->at = 0;
	for (size_t i = 0; result == 0 && i < regions->count; i++)
		if (is_candidate(&regions->items[i]))
			result = search_region(search, &regions->items[i], regions->items[i].end);

	return result;
}

/**
 * Searches chunks that a running process has mapped since its regions were read. The counters of
 * malloc can be older than the chunks, too.
 */
static int find_newer(struct search *search)
{
	struct pm_glibc *glibc = search->glibc;

	if (!glibc->heap->source.process || !pm_glibc_can_change(glibc) || !has_missing(search))
		return 0;

	pm_heap_window_forget(search->window);
	if (pm_glibc_find_parameters(glibc, search->error) < 0)
		return -1;
	if (!has_missing(search))
		return 0;

	const size_t before = search->found_count;
	bool wants_parts = search->wants_parts;
	search->wants_parts = false;
	int result = pm_glibc_grow_all(glibc, is_candidate, search->error);
	if (result == 0)
		result = search_writable(search);
	search->wants_parts = wants_parts;

	if (search->found_count > before)
		qsort(search->found, search->found_count, sizeof *search->found, by_address);
	return result;
}

/**
 * Searches for chunks of posix_memalign(3) that realloc(3) has moved: their first headers do not
 * say how large they are. If there are such chunks, the chunks of this search replace those of the
 * first search.
 */
static int find_moved(struct search *search)
{
	const struct pm_glibc_parameters *counted = &search->glibc->parameters;

	if (counted->address == 0 || sum_of(search).bytes >= counted->mapped)
		return 0;

	struct search again = { .glibc = search->glibc,
		                .window = search->window,
		                .main = search->main,
		                .lead_pages = LEAD_PAGES,
		                .error = search->error };
	int result = search_writable(&again);

	if (result == 0 && again.moved) {
		free(search->found);
		search->found = again.found;
		search->found_count = again.found_count;
		search->found_capacity = again.found_capacity;
		search->lead_pages = again.lead_pages;
		again.found = NULL;
	}

	free(again.found);
	free(again.skip);
	return result;
}

/** Searches chunks that malloc has counted and that were not found. */
static int find_missing(struct search *search)
{
	const struct pm_glibc_parameters *counted = &search->glibc->parameters;
	const size_t before = search->found_count;

	if (!has_missing(search))
		return 0;
	if (search_divided(search) < 0)
		return -1;

	/* If there are more chunks than malloc has counted, some are other memory: keep none of
	 * them. */
	const struct sum sum = sum_of(search);
	if (sum.count > counted->mapped_count || sum.bytes > counted->mapped)
		search->found_count = before;
	if (search->found_count > before)
		qsort(search->found, search->found_count, sizeof *search->found, by_address);
	return 0;
}

int pm_glibc_mapped_find(struct pm_glibc *glibc, struct pm_heap_arena *main, struct pm_error *error)
{
	struct search search = {
		.glibc = glibc,
		.window = glibc->heap->window,
		.main = main,
		.wants_parts = !glibc->arenas[0].contiguous && glibc->arenas[0].system > 0,
		.error = error,
	};
	int result = search_writable(&search);

	if (result == 0)
		result = find_newer(&search);
	if (result == 0)
		result = find_moved(&search);
	if (result == 0)
		result = find_missing(&search);
	if (result == 0)
		result = add_found(&search);

	free(search.found);
	free(search.skip);
	return result;
}
