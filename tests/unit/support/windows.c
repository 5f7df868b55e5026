/* SPDX-License-Identifier: MIT */
#include "support/windows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/hits.h"

/** Context of the callbacks of one scan. */
struct run {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	const struct cut *cut;
	size_t lookbehind;
	uint8_t *copy; /* the bytes of the window only, so that a sanitizer detects accesses beyond
	                  them */
	struct hit_list *hits;
	size_t ends[PM_STREAMS]; /* of the last hit of each stream */
	bool overlaps;           /* as in pm_scanner */
	bool conflict;           /* a hit starts within the last one and ends after it */
	struct hit_list unit;    /* hits of this window */
	size_t unit_ends[PM_STREAMS];
};

/** Makes `[start - lookbehind, end)` of the buffer visible. */
static void show(struct run *run, struct pm_window *window, size_t start, size_t size, size_t after)
{
	size_t before = pm_min_size(start, run->lookbehind);

	free(run->copy);
	run->copy = malloc(before + size + after + 1);
	assert_non_null(run->copy);
	memcpy(run->copy, run->bytes + start - before, before + size + after);
	window->bytes = run->copy + before;
	window->address = run->address + start;
	window->before = before;
	window->size = size;

	window->after = after;
	window->begins = start == before;
	window->more = start + size + after < run->size;
	window->ends = !window->more;
}

static int grow(struct pm_window *window, size_t at, struct pm_error *error)
{
	struct run *run = window->context;
	size_t start = (size_t)(window->address - run->address) + at, size = window->size - at;
	size_t after = pm_min_size(window->after * 2 + 1, run->size - start - size);

	(void)error;
	if (run->cut->most && after > run->cut->most)
		return 0;

	show(run, window, start, size, after);
	memset(window->from, 0, sizeof window->from);
	return 1;
}

static int take(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	struct run *run = hits->context;

	(void)error;
	for (size_t i = 0; i < hits->count; i++) {
		const struct pm_found *found = &hits->items[i];
		size_t base = (size_t)(window->address - run->address);
		struct hit hit = { base + found->start, found->size, found->source, found->encoding,
			           found->truncated };
		assert_true(found->attempt < window->size);
		assert_true(found->start + found->size <= pm_window_end(window));
		if (base + found->attempt < run->ends[found->stream]) {
			run->conflict |= hit.start + hit.size > run->ends[found->stream];
			continue;
		}
		hit_list_add(&run->unit, hit);
		run->unit_ends[found->stream] = hit.start + (run->overlaps ? 1 : hit.size);
	}

	return 0;
}

static void scan_window(struct run *run, const struct pm_scanner *scanner, void *thread,
                        size_t start, size_t size, struct pm_scan_counts *counts)
{
	struct pm_hits hits = { .consume = take, .context = run };
	struct pm_error error = { 0 };
	/* The search of the window before has to continue in this one. */
	bool again = false;
	for (int i = 0; i < scanner->carries; i++)
		again |= run->ends[i] > start;
	do {
		struct pm_window window = { .grow = grow, .context = run };
		show(run, &window, start, size,
		     pm_min_size(run->cut->overlap, run->size - start - size));

		for (int i = 0; i < PM_STREAMS && again; i++)
			window.from[i] = run->ends[i] > start
			                         ? pm_min_size(run->ends[i] - start, size)
			                         : 0;

		memcpy(run->unit_ends, run->ends, sizeof run->ends);
		run->unit.count = 0;
		run->conflict = false;
		if (scanner->ops->scan(thread, &window, &hits, counts, &error) != 0)
			fail_msg("scan: %s", error.text);
		for (int i = 0; i < PM_STREAMS; i++)
			if (window.resume[i] > 0)
				run->unit_ends[i] = pm_max_size(
					run->unit_ends[i],
					(size_t)(window.address - run->address) + window.resume[i]);
		assert_false(again && run->conflict);
		again = run->conflict;
	} while (again);

	for (size_t i = 0; i < run->unit.count; i++)
		hit_list_add(run->hits, run->unit.items[i]);

	memcpy(run->ends, run->unit_ends, sizeof run->ends);
	pm_hits_deinit(&hits);
}

void scan_buffer(const struct pm_scanner *scanner, const uint8_t *bytes, size_t size,
                 uint64_t address, const struct cut *cut, struct hit_list *hits,
                 struct pm_scan_counts *counts)
{
	struct pm_error error = { 0 };
	struct pm_scan_counts ignored = { 0 };
	void *thread = scanner->ops->open(scanner, &error);
	if (!thread)
		fail_msg("open: %s", error.text);

	struct run run = { .bytes = bytes,
		           .size = size,
		           .address = address,
		           .cut = cut,
		           .lookbehind = scanner->lookbehind,
		           .overlaps = scanner->overlaps,
		           .hits = hits };
	size_t unit = cut->unit ? cut->unit : size;

	for (size_t start = 0; start < size; start += unit)
		scan_window(&run, scanner, thread, start, pm_min_size(unit, size - start),
		            counts ? counts : &ignored);

	scanner->ops->close(thread);
	hit_list_deinit(&run.unit);
	free(run.copy);
}

void hit_list_add(struct hit_list *hits, struct hit hit)
{
	assert_int_equal(pm_array_reserve(&hits->items, &hits->capacity, hits->count, 1,
	                                  sizeof *hits->items, NULL),
	                 0);
	hits->items[hits->count++] = hit;
}

void hit_list_deinit(struct hit_list *hits)
{
	free(hits->items);
	*hits = (struct hit_list){ 0 };
}

static void print_hits(const struct hit_list *hits, size_t from, const uint8_t *bytes)
{
	for (size_t i = from; i < hits->count && i < from + 3; i++) {
		print_message("  %zu: %zu bytes at %zu, source %u, %s%s:", i, hits->items[i].size,
		              hits->items[i].start, hits->items[i].source,
		              pm_encoding_name(hits->items[i].encoding),
		              hits->items[i].truncated ? ", truncated" : "");
		for (size_t j = 0; bytes && j < hits->items[i].size && j < 40; j++)
			print_message(" %02x", bytes[hits->items[i].start + j]);
		print_message("\n");
	}
}

size_t count_same_hits(const struct hit_list *wanted, const struct hit_list *found)
{
	size_t i = 0;
	/* Field by field: the padding between fields is undefined. */
	while (i < wanted->count && i < found->count &&
	       wanted->items[i].start == found->items[i].start &&
	       wanted->items[i].size == found->items[i].size &&
	       wanted->items[i].source == found->items[i].source &&
	       wanted->items[i].encoding == found->items[i].encoding &&
	       wanted->items[i].truncated == found->items[i].truncated)
		i++;

	return i;
}

void assert_same_hits(const struct hit_list *wanted, const struct hit_list *found,
                      const uint8_t *bytes, const char *what)
{
	size_t i = count_same_hits(wanted, found);
	if (i == wanted->count && i == found->count)
		return;

	print_message("%s: hit %zu of %zu (%zu found) differs; wanted:\n", what, i, wanted->count,
	              found->count);
	print_hits(wanted, i, bytes);
	print_message("found:\n");
	print_hits(found, i, bytes);
	fail_msg("%s", what);
}

uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
