/* SPDX-License-Identifier: MIT */
/* Scans of fake targets by several threads: compared with one window over each part of memory. */
#include <procmem/scan.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <procmem/pattern_scan.h>
#include <procmem/strings_scan.h>
#include <cmocka.h>

#include "reader/fake_reader.h"
#include "scan/hits.h"
#include "support/patterns.h"

enum { PAGE = 4096, PAGES_MOST = 600, BASE_PAGE = 16 };

/** What a page of the fake target is. */
enum page_state {
	PAGE_UNMAPPED,
	PAGE_PRESENT,
	PAGE_HOLE, /* in a world of files: a page of the file */
	PAGE_BAD,  /* present, but it cannot be read */
};

/** A fake target: pages from address BASE_PAGE * PAGE on. */
struct world {
	size_t pages;
	enum page_state states[PAGES_MOST];
	uint8_t *bytes;
	struct pm_regions regions;
	struct pm_fake_range ranges[PAGES_MOST];
	struct pm_fake_target target;
	bool of_files; /* all regions are mapped files, of which untouched pages are wanted */
	struct pm_fake_range file_ranges[PAGES_MOST];
	struct pm_fake_target files;
};

static uint64_t address_of(size_t page)
{
	return (uint64_t)(BASE_PAGE + page) * PAGE;
}

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	struct world *world = context;

	(void)error;
	for (size_t i = 0; i < world->pages; i++) {
		struct pm_page_run run = { address_of(i), address_of(i + 1), PM_PAGE_PRESENT };
		if (run.start < start || run.end > end ||
		    (world->states[i] != PAGE_PRESENT && world->states[i] != PAGE_BAD))
			continue;
		int result = visit(visitor, &run);
		if (result)
			return result;
	}

	return 0;
}

static void add_region(struct world *world, size_t first, size_t end, bool writable,
                       const char *name)
{
	struct pm_region region = { .start = address_of(first),
		                    .end = address_of(end),
		                    .mapping = name };
	region.perms = (uint8_t)(PM_PERM_READ | (writable ? PM_PERM_WRITE : 0));
	region.vm_flags = PM_VM_KNOWN | PM_VM_READ;

	if (world->of_files) {
		region.inode = *name ? 2 : 1;
		region.offset = first * PAGE;
		region.mapping = *name ? "/other" : "/file";
	}

	assert_int_equal(pm_regions_append(&world->regions, &region, NULL), 0);
}

/** Makes regions, some of which continue each other, and the ranges of the fake reader. */
static void finish_world(struct world *world, uint64_t *random)
{
	pm_regions_init(&world->regions);
	for (size_t i = 0; i < world->pages;) {
		size_t end = i;
		while (end < world->pages && world->states[end] != PAGE_UNMAPPED &&
		       end - i < 1 + random_next(random) % 12)
			end++;
		if (end > i)
			add_region(world, i, end, random_next(random) % 2,
			           random_next(random) % 6 == 0 ? "[anon:other]" : "");
		i = end > i ? end : i + 1;
	}

	world->target = (struct pm_fake_target){ .ranges = world->ranges };
	world->files = (struct pm_fake_target){ .ranges = world->file_ranges };
	for (size_t i = 0; i < world->pages; i++) {
		if (world->states[i] == PAGE_PRESENT)
			world->ranges[world->target.count++] = (struct pm_fake_range){
				address_of(i), world->bytes + i * PAGE, PAGE
			};
		if (world->states[i] == PAGE_HOLE)
			world->file_ranges[world->files.count++] = (struct pm_fake_range){
				address_of(i), world->bytes + i * PAGE, PAGE
			};
	}
}

static void random_world(struct world *world, uint64_t *random)
{
	*world = (struct world){ .pages = 1 + random_next(random) % 60,
		                 .of_files = random_next(random) % 2 };
	world->bytes = malloc(world->pages * PAGE);
	assert_non_null(world->bytes);
	random_text(world->bytes, world->pages * PAGE, random);

	for (size_t i = 0; i < world->pages; i++) {
		uint64_t number = random_next(random) % 24;
		world->states[i] = number == 0  ? PAGE_BAD
		                   : number < 3 ? PAGE_HOLE
		                   : number < 4 ? PAGE_UNMAPPED
		                                : PAGE_PRESENT;
		if (world->of_files && number >= 12)
			world->states[i] = PAGE_HOLE;
		if (number == 23)
			memset(world->bytes + i * PAGE, 0, PAGE);
	}

	finish_world(world, random);
}

static void drop_world(struct world *world)
{
	pm_regions_deinit(&world->regions);
	free(world->bytes);
}

/* --- the expected hits: each part alone --- */

struct reference {
	struct hit_list *hits;
};

static int take(struct pm_hits *hits, const struct pm_window *window, struct pm_error *error)
{
	struct reference *reference = hits->context;
	(void)error;
	for (size_t i = 0; i < hits->count; i++) {
		const struct pm_found *found = &hits->items[i];
		hit_list_add(reference->hits,
		             (struct hit){ window->address + found->start, found->size,
		                           found->source, found->encoding, false });
	}

	return 0;
}

/**
 * Whether a page is the continuation of the one before it: of the same region, or of one that
 * continues that.
 */
static bool goes_on(const struct world *world, size_t page)
{
	if (page == 0 || page >= world->pages || world->states[page] == PAGE_UNMAPPED ||
	    world->states[page - 1] == PAGE_UNMAPPED)
		return false;
	const struct pm_region *region = pm_regions_find(&world->regions, address_of(page));
	const struct pm_region *before = pm_regions_find(&world->regions, address_of(page) - 1);
	return region == before || pm_region_continues(before, region);
}

/** Scans pages `[first, end)` in one window. */
static void scan_stretch(const struct pm_scanner *scanner, const struct world *world, size_t first,
                         size_t end, struct hit_list *hits)
{
	struct reference reference = { hits };
	struct pm_hits found = { .consume = take, .context = &reference };
	struct pm_scan_counts counts = { 0 };
	struct pm_error error = { 0 };
	size_t size = (end - first) * PAGE;
	bool hole = !world->of_files && goes_on(world, end) && world->states[end] == PAGE_HOLE;
	uint8_t *copy = calloc(1, 1 + size + PAGE);

	assert_non_null(copy);
	memcpy(copy + 1, world->bytes + first * PAGE, size);

	struct pm_window window = { .bytes = copy + 1,
		                    .address = address_of(first),
		                    .size = size,
		                    .after = hole ? PAGE : 0 };

	window.begins = !goes_on(world, first);
	window.before = !window.begins;
	window.ends = !goes_on(world, end);

	void *thread = scanner->ops->open(scanner, &error);
	if (!thread || scanner->ops->scan(thread, &window, &found, &counts, &error) != 0)
		fail_msg("%s", error.text);
	scanner->ops->close(thread);
	pm_hits_deinit(&found);
	free(copy);
}

/** Whether a page is searched. */
static bool is_wanted(const struct world *world, size_t page)
{
	return world->states[page] == PAGE_PRESENT ||
	       (world->of_files && world->states[page] == PAGE_HOLE);
}

static void expected_hits(const struct pm_scanner *scanner, const struct world *world,
                          struct hit_list *hits)
{
	for (size_t i = 0; i < world->pages;) {
		size_t end = i + 1;
		while (is_wanted(world, i) && end < world->pages && is_wanted(world, end) &&
		       goes_on(world, end))
			end++;
		if (is_wanted(world, i))
			scan_stretch(scanner, world, i, end, hits);
		i = end;
	}
}

/* --- the scan --- */

/** What the callbacks of a scan collect. */
struct collected {
	struct hit_list hits;
	uint64_t unreadable;
	uint64_t last;
	size_t most; /* hits that are wanted */
	unsigned ticks;
};

static int found(void *context, unsigned worker, const struct pm_hit *hit,
                 struct pm_scan_batch *batch, struct pm_error *error)
{
	(void)context;
	assert_true(worker < 4);

	/* The bytes around it may be read. */
	volatile uint8_t sum = 0;
	for (const uint8_t *at = hit->bytes - hit->before; at < hit->bytes + hit->size + hit->after;
	     at++)
		sum = (uint8_t)(sum + *at);

	assert_false(hit->changed);
	return pm_scan_append(batch, hit->bytes, hit->size < 8 ? hit->size : 8, error);
}

static int deliver(void *context, const struct pm_scan_delivery *delivery, struct pm_error *error)
{
	struct collected *collected = context;
	(void)error;
	assert_int_equal(delivery->length, delivery->size < 8 ? delivery->size : 8);
	hit_list_add(&collected->hits, (struct hit){ delivery->address, delivery->size,
	                                             delivery->source, delivery->encoding, false });
	return collected->hits.count == collected->most;
}

static void unreadable(void *context, const struct pm_unreadable *range)
{
	struct collected *collected = context;
	assert_true(range->start >= collected->last);
	collected->last = range->end;
	collected->unreadable += range->end - range->start;
}

static int tick(void *context, const struct pm_scan_totals *totals)
{
	struct collected *collected = context;
	assert_true(totals->hits <= collected->hits.count);
	collected->ticks++;
	return 0;
}

static int scan_world(struct world *world, const struct pm_scanner *scanner, unsigned workers,
                      size_t unit, struct collected *collected, struct pm_scan_totals *totals,
                      struct pm_error *error)
{
	struct pm_page_source pages = { .walk = walk,
		                        .context = world,
		                        .untouched = PM_SEGMENT_HOLE };
	const struct pm_plan_options options = { .pages = &pages,
		                                 .unit_size = unit,
		                                 .files = world->of_files };
	struct pm_reader reader = pm_fake_reader(&world->target),
			 files = pm_fake_reader(&world->files);

	struct pm_plan *plan;
	assert_int_equal(pm_plan_open(&world->regions, NULL, 0, &options, &plan, error), 0);

	struct pm_scan scan = { .scanner = scanner,
		                .regions = &world->regions,
		                .plan = plan,
		                .workers = workers,
		                .around = 16,
		                .again = true };

	scan.source = (struct pm_unit_source){ .target = &reader,
		                               .unreadable = unreadable,
		                               .context = collected };
	scan.source.files = world->of_files ? &files : NULL;
	scan.found = found;
	scan.deliver = deliver;
	scan.tick = tick;
	scan.context = collected;

	int result = pm_scan_run(&scan, totals, error);
	pm_plan_close(plan);

	return result;
}

static int by_address(const void *a, const void *b)
{
	const struct hit *first = a, *second = b;
	int order = (first->start > second->start) - (first->start < second->start);
	return order ? order : (int)first->encoding - (int)second->encoding;
}

static void sort(struct hit_list *hits)
{
	if (hits->count > 0)
		qsort(hits->items, hits->count, sizeof *hits->items, by_address);
}

static void compare(struct world *world, const struct pm_scanner *scanner, const char *what)
{
	struct hit_list wanted = { 0 };
	uint64_t bad = 0;
	for (size_t i = 0; i < world->pages; i++)
		bad += world->states[i] == PAGE_BAD ? PAGE : 0;

	expected_hits(scanner, world, &wanted);
	sort(&wanted);

	static const size_t units[] = { PAGE, 3 * PAGE, 16 * PAGE };
	for (unsigned i = 0; i < 6; i++) {
		struct collected collected = { 0 };
		struct pm_scan_totals totals;
		struct pm_error error = { 0 };
		if (scan_world(world, scanner, 1 + i % 3, units[i / 2], &collected, &totals,
		               &error) < 0)
			fail_msg("%s: %s", what, error.text);
		assert_int_equal(collected.unreadable, bad);
		assert_int_equal(totals.unreadable, bad);

		assert_int_equal(totals.hits, collected.hits.count);
		sort(&collected.hits);
		if (totals.gave_up == 0)
			assert_same_hits(&wanted, &collected.hits, NULL, what);
		hit_list_deinit(&collected.hits);
	}

	hit_list_deinit(&wanted);
}

static void random_patterns(void **state)
{
	(void)state;
	for (uint64_t turn = 0; turn < 80; turn++) {
		uint64_t random = turn * 104729;
		char text[RANDOM_PATTERN_MOST], what[2 * RANDOM_PATTERN_MOST];
		struct world world;
		struct pm_scanner *scanner;
		struct pm_error error = { 0 };

		random_pattern(text, 0, &random);
		const struct pm_pattern pattern = { text, strlen(text), 0 };
		if (pm_pattern_scanner_create(&pattern, 1, &scanner, &error) < 0)
			fail_msg("%s", error.text);
		random_world(&world, &random);
		snprintf(what, sizeof what, "turn %d: %s", (int)turn, text);
		compare(&world, scanner, what);
		pm_scanner_destroy(scanner);

		drop_world(&world);
	}
}

static void random_strings(void **state)
{
	(void)state;
	for (uint64_t turn = 0; turn < 80; turn++) {
		uint64_t random = turn * 31337;
		struct world world;
		struct pm_scanner *scanner;
		char what[40];
		const struct pm_strings_options options = {
			.encodings = 1 + (unsigned)(random_next(&random) % 127),
			.min_length = 3 + random_next(&random) % 20,
			.white_space = random_next(&random) % 2,
			.aligned = random_next(&random) % 2
		};

		assert_int_equal(pm_strings_scanner_create(&options, &scanner, NULL), 0);
		random_world(&world, &random);
		snprintf(what, sizeof what, "turn %d", (int)turn);
		compare(&world, scanner, what);
		pm_scanner_destroy(scanner);
		drop_world(&world);
	}
}

/** Makes a world of zeros, all present, with a border of two regions in the middle. */
static void plain_world(struct world *world, size_t pages, bool continued)
{
	*world = (struct world){ .pages = pages };
	world->bytes = calloc(pages, PAGE);
	assert_non_null(world->bytes);
	pm_regions_init(&world->regions);

	for (size_t i = 0; i < pages; i++)
		world->states[i] = PAGE_PRESENT;

	add_region(world, 0, pages / 2, true, "");
	add_region(world, pages / 2, pages, true, continued ? "" : "[anon:other]");
	world->ranges[0] = (struct pm_fake_range){ address_of(0), world->bytes, pages * PAGE };
	world->target = (struct pm_fake_target){ .ranges = world->ranges, .count = 1 };
}

/**
 * A marker at every offset around a border is found once; where the border is that of other memory,
 * only if it lies on one side.
 */
static void markers_at_borders(void **state)
{
	static const char marker[] = "pre:MARKER<12345>END";
	enum { LENGTH = sizeof marker - 1 };
	(void)state;

	struct pm_scanner *scanners[3];
	const struct pm_strings_options options = { .min_length = LENGTH };
	const struct pm_pattern patterns[] = { { "pre:MARKER<[0-9]+>END", 21, 0 },
		                               { "pre:[A-Z]+<12345>E\\w{2}", 23, 0 } };

	assert_int_equal(pm_strings_scanner_create(&options, &scanners[0], NULL), 0);
	assert_int_equal(pm_pattern_scanner_create(&patterns[0], 1, &scanners[1], NULL), 0);
	assert_int_equal(pm_pattern_scanner_create(&patterns[1], 1, &scanners[2], NULL), 0);

	for (int border = 0; border < 3; border++) {
		struct world world;
		plain_world(&world, 8, border != 2);

		/* Borders of units lie at every page, those of regions at page 4. */
		size_t middle = (border == 0 ? 3 : 4) * PAGE;
		for (size_t at = middle - LENGTH - 2; at < middle + 2; at++) {
			memset(world.bytes, 0, 8 * PAGE);
			memcpy(world.bytes + at, marker, LENGTH);

			bool whole = border != 2 || at + LENGTH <= middle || at >= middle;
			for (int i = 0; i < 3; i++) {
				struct collected collected = { 0 };
				struct pm_scan_totals totals;
				struct pm_error error = { 0 };
				assert_int_equal(scan_world(&world, scanners[i], 2, PAGE,
				                            &collected, &totals, &error),
				                 0);
				if (collected.hits.count != whole)
					fail_msg("border %d, search %d, at %zu: %zu hits", border,
					         i, at, collected.hits.count);

				assert_true(!whole ||
				            (collected.hits.items[0].start == address_of(0) + at &&
				             collected.hits.items[0].size == LENGTH));
				hit_list_deinit(&collected.hits);
			}
		}

		drop_world(&world);
	}

	for (int i = 0; i < 3; i++)
		pm_scanner_destroy(scanners[i]);
}

/** Millions of hits need no more memory than a few, and come in order. */
static void many_hits_in_order(void **state)
{
	(void)state;
	struct world world;
	struct pm_scanner *scanner;
	const struct pm_pattern pattern = { "a", 1, 0 };
	assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &scanner, NULL), 0);
	plain_world(&world, PAGES_MOST, true);
	memset(world.bytes, 'a', PAGES_MOST * PAGE);
	struct collected collected = { 0 };
	struct pm_scan_totals totals;
	struct pm_error error = { 0 };
	assert_int_equal(scan_world(&world, scanner, 3, 0, &collected, &totals, &error), 0);
	assert_int_equal(collected.hits.count, PAGES_MOST * PAGE);
	for (size_t i = 0; i < collected.hits.count; i++) {
		if (collected.hits.items[i].start != address_of(0) + i)
			fail_msg("hit %zu is at %zu", i, collected.hits.items[i].start);
	}
	hit_list_deinit(&collected.hits);

	collected = (struct collected){ .most = 10 };
	assert_int_equal(scan_world(&world, scanner, 3, 0, &collected, &totals, &error), 0);
	assert_int_equal(collected.hits.count, 10);
	hit_list_deinit(&collected.hits);
	drop_world(&world);
	pm_scanner_destroy(scanner);
}

/**
 * Fills each third unit with more hits than a worker keeps, so that its worker has to wait, the
 * others with few; at each border of units a hit crosses it.
 */
static void fill_unevenly(struct world *world, size_t unit)
{
	size_t size = world->pages * PAGE;
	for (size_t i = 0; i < size; i++) {
		size_t place = i % unit;
		world->bytes[i] = i / unit % 3 == 2 || place < 9 || unit - place <= 9 ? 'a' : 'b';
	}

	/* Else the first pair of each unit would begin with it. */
	world->bytes[0] = 'b';
}

/** Nearly each unit is scanned again: a hit of the one before ends in it, and workers wait. */
static void units_are_scanned_again(void **state)
{
	enum { PAGES = 240, UNIT = 8 * PAGE };
	(void)state;

	struct world world;
	struct pm_scanner *scanner;
	const struct pm_pattern pattern = { "aa", 2, 0 };
	assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &scanner, NULL), 0);
	plain_world(&world, PAGES, true);
	fill_unevenly(&world, UNIT);

	for (unsigned turn = 0; turn < 12; turn++) {
		struct collected collected = { 0 };
		struct pm_scan_totals totals;
		struct pm_error error = { 0 };
		size_t count = 0;

		assert_int_equal(scan_world(&world, scanner, 1 + turn % 4, UNIT, &collected,
		                            &totals, &error),
		                 0);

		for (size_t i = 0; i + 1 < PAGES * PAGE; i++) {
			if (world.bytes[i] != 'a' || world.bytes[i + 1] != 'a')
				continue;
			if (count >= collected.hits.count ||
			    collected.hits.items[count].start != address_of(0) + i)
				fail_msg("%u workers: hit %zu is not at %zu", 1 + turn % 4, count,
				         i);
			count++;
			i++;
		}

		assert_int_equal(collected.hits.count, count);
		assert_int_equal(totals.searched, PAGES * PAGE);
		hit_list_deinit(&collected.hits);
	}

	drop_world(&world);
	pm_scanner_destroy(scanner);
}

static void target_goes_away(void **state)
{
	(void)state;
	struct world world;
	struct pm_scanner *scanner;
	const struct pm_pattern pattern = { "a", 1, 0 };

	assert_int_equal(pm_pattern_scanner_create(&pattern, 1, &scanner, NULL), 0);
	plain_world(&world, 8, true);
	world.target.gone = true;

	struct collected collected = { 0 };
	struct pm_scan_totals totals;
	struct pm_error error = { 0 };
	assert_int_equal(scan_world(&world, scanner, 2, PAGE, &collected, &totals, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	drop_world(&world);
	pm_scanner_destroy(scanner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_patterns),         cmocka_unit_test(random_strings),
		cmocka_unit_test(markers_at_borders),      cmocka_unit_test(many_hits_in_order),
		cmocka_unit_test(units_are_scanned_again), cmocka_unit_test(target_goes_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
