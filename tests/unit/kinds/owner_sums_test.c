/* SPDX-License-Identifier: MIT */
/*
 * Sums by owner, with owners and page states that the test defines. Each test computes the expected
 * sums by counting pages one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <procmem/owner_sums.h>
#include <procmem/runtimes.h>

#include "kinds/owners.h"
#include "support/fake_memory.h"

enum { PAGE = 4096, PAGES = 64 };

static const uint64_t base = UINT64_C(0x7f0000000000);

/** The page states of a region of PAGES pages at `base`. */
struct pages {
	unsigned states[PAGES];
};

static int walk(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit, void *visitor,
                struct pm_error *error)
{
	const struct pages *pages = context;

	(void)error;
	for (size_t i = 0; i < PAGES; i++) {
		const struct pm_page_run run = { base + i * PAGE, base + (i + 1) * PAGE,
			                         pages->states[i] };
		if (pages->states[i] == 0 || run.end <= start || run.start >= end)
			continue;
		if (visit(visitor, &run) != 0)
			return 1;
	}
	return 0;
}

/** A region with owners. */
struct scene {
	struct pages pages;
	struct pm_page_source source;
	struct pm_owner_range ranges[8];
	struct pm_runtimes runtimes;
	struct pm_owner_sums_source sums;
	struct pm_region region;
};

/** Makes a region of anonymous memory with three owners and a gap. Every third page is resident. */
static void make(struct scene *scene)
{
	static const struct pm_owner_range ranges[] = {
		{ { 0, 0x2000 }, PM_OWNER_JAVA_HEAP, PM_PROOF_PROVEN },
		/* Only a part of this range is in the region. */
		{ { 0x8000, 0x20000 }, PM_OWNER_JAVA_CODE, PM_PROOF_INFERRED },
		{ { 0x20000, 0x20800 }, PM_OWNER_JAVA_GC, PM_PROOF_PROVEN },
		{ { 0x3f000, 0x50000 }, PM_OWNER_JAVA_HEAP, PM_PROOF_PROVEN },
	};

	*scene = (struct scene){ .region = { .start = base,
		                             .end = base + PAGES * PAGE,
		                             .kind = PM_KIND_ARENA,
		                             .proof = PM_PROOF_PROVEN,
		                             .owner = PM_OWNER_MALLOC,
		                             .owner_proof = PM_PROOF_PROVEN,
		                             .owner_mixed = true,
		                             .mapping = "",
		                             .why = "",
		                             .known = PM_SIZE_BIT(PM_SIZE_RSS) |
		                                      PM_SIZE_BIT(PM_SIZE_SWAP) |
		                                      PM_SIZE_BIT(PM_SIZE_PSS) } };
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		scene->ranges[i] = ranges[i];
		scene->ranges[i].range.start += base;
		scene->ranges[i].range.end += base;
		scene->runtimes.range_count++;
	}

	for (size_t i = 0; i < PAGES; i++) {
		if (i % 3 == 0)
			scene->pages.states[i] = PM_PAGE_PRESENT;
		else if (i % 7 == 0)
			scene->pages.states[i] = PM_PAGE_SWAPPED;
		else if (i % 5 == 0)
			scene->pages.states[i] = PM_PAGE_PRESENT | PM_PAGE_ZERO;
		scene->region.bytes[PM_SIZE_RSS] += i % 3 == 0 ? PAGE : 0;
		scene->region.bytes[PM_SIZE_SWAP] += i % 3 != 0 && i % 7 == 0 ? PAGE : 0;
	}
	scene->region.bytes[PM_SIZE_PSS] = scene->region.bytes[PM_SIZE_RSS] / 2 + 1;

	scene->source = (struct pm_page_source){ .walk = walk, .context = &scene->pages };
	scene->runtimes.ranges = scene->ranges;
	scene->sums.runtimes = &scene->runtimes;
	scene->sums.pages = &scene->source;
}

static uint64_t total(const struct pm_owner_sums *sums, enum pm_size size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < PM_OWNER_COUNT; i++)
		sum += sums->items[i].bytes[size];
	return sum;
}

/** Returns the owner of a byte of the scene, by trying all ranges. */
static enum pm_owner owner_of(const struct scene *scene, uint64_t address)
{
	for (size_t i = 0; i < scene->runtimes.range_count; i++)
		if (address >= scene->ranges[i].range.start && address < scene->ranges[i].range.end)
			return (enum pm_owner)scene->ranges[i].owner;
	return PM_OWNER_MALLOC;
}

static void region_with_several_owners_is_divided_by_its_pages(void **state)
{
	struct scene scene;
	struct pm_owner_sums sums = { 0 };
	uint64_t rss[PM_OWNER_COUNT] = { 0 }, swap[PM_OWNER_COUNT] = { 0 },
		 size[PM_OWNER_COUNT] = { 0 };

	(void)state;
	make(&scene);
	assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, NULL), 0);

	/* Halves of pages: one of the ranges ends within a page. */
	for (uint64_t at = base; at < base + PAGES * PAGE; at += PAGE / 2) {
		unsigned page = scene.pages.states[(at - base) / PAGE];
		enum pm_owner owner = owner_of(&scene, at);

		size[owner] += PAGE / 2;
		rss[owner] += page == PM_PAGE_PRESENT ? PAGE / 2 : 0;
		swap[owner] += page == PM_PAGE_SWAPPED ? PAGE / 2 : 0;
	}
	for (size_t i = 0; i < PM_OWNER_COUNT; i++) {
		assert_int_equal(sums.items[i].size, size[i]);
		assert_int_equal(sums.items[i].bytes[PM_SIZE_RSS], rss[i]);
		assert_int_equal(sums.items[i].bytes[PM_SIZE_SWAP], swap[i]);
		assert_int_equal(sums.items[i].regions, size[i] > 0);
	}

	assert_int_equal(sums.approximate, 0);
	assert_int_equal(sums.items[PM_OWNER_JAVA_CODE].inferred,
	                 rss[PM_OWNER_JAVA_CODE] + swap[PM_OWNER_JAVA_CODE]);
	assert_int_equal(sums.items[PM_OWNER_JAVA_HEAP].inferred, 0);
	assert_int_equal(total(&sums, PM_SIZE_PSS), scene.region.bytes[PM_SIZE_PSS]);
}

static void sums_are_those_of_the_region_even_if_pages_changed(void **state)
{
	static const uint64_t sizes[] = { 0, 1, PAGE, 7 * PAGE, PAGES * PAGE };
	struct scene scene;

	(void)state;
	make(&scene);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct pm_owner_sums sums = { 0 };
		uint64_t size = 0;

		scene.region.bytes[PM_SIZE_RSS] = sizes[i];
		scene.region.bytes[PM_SIZE_SWAP] = sizes[4 - i];
		assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, NULL), 0);
		assert_int_equal(total(&sums, PM_SIZE_RSS), sizes[i]);
		assert_int_equal(total(&sums, PM_SIZE_SWAP), sizes[4 - i]);
		assert_int_equal(total(&sums, PM_SIZE_PSS), scene.region.bytes[PM_SIZE_PSS]);
		assert_true(sums.approximate > 0);
		for (size_t owner = 0; owner < PM_OWNER_COUNT; owner++)
			size += sums.items[owner].size;
		assert_int_equal(size, PAGES * PAGE);
	}
}

static void without_page_states_sizes_are_divided_by_addresses(void **state)
{
	struct scene scene;
	struct pm_owner_sums sums = { 0 };

	(void)state;
	make(&scene);
	scene.sums.pages = NULL;
	scene.region.bytes[PM_SIZE_RSS] = PAGES * PAGE / 2;
	assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, NULL), 0);
	/* The heap has three of 64 pages. */
	assert_int_equal(sums.items[PM_OWNER_JAVA_HEAP].bytes[PM_SIZE_RSS], 3 * PAGE / 2);
	assert_int_equal(total(&sums, PM_SIZE_RSS), PAGES * PAGE / 2);
	assert_true(sums.approximate > 0);
}

static void region_with_one_owner_counts_as_a_whole(void **state)
{
	struct scene scene;
	struct pm_owner_sums sums = { 0 };

	(void)state;
	make(&scene);
	scene.region.owner_mixed = false;
	scene.region.owner = PM_OWNER_STACK;
	scene.region.owner_proof = PM_PROOF_INFERRED;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, NULL), 0);

	const struct pm_owner_sum *sum = &sums.items[PM_OWNER_STACK];
	assert_int_equal(sum->regions, 2);
	assert_int_equal(sum->size, 2 * PAGES * PAGE);
	assert_int_equal(sum->largest, PAGES * PAGE);
	assert_int_equal(sum->bytes[PM_SIZE_RSS], 2 * scene.region.bytes[PM_SIZE_RSS]);
	assert_int_equal(sum->inferred, pm_owner_sum_weight(sum));
	assert_int_equal(total(&sums, PM_SIZE_RSS), sum->bytes[PM_SIZE_RSS]);
	assert_int_equal(sums.approximate, 0);
}

static void owner_of_an_address_is_that_of_its_range(void **state)
{
	struct scene scene;

	(void)state;
	make(&scene);
	for (uint64_t at = base; at < base + PAGES * PAGE; at += PAGE / 4) {
		struct pm_owner_range found = pm_owner_sums_find(&scene.runtimes, &scene.region,
		                                                 at);

		assert_int_equal(found.owner, owner_of(&scene, at));
		assert_true(found.range.start <= at && at < found.range.end);
		assert_true(found.range.start >= base && found.range.end <= base + PAGES * PAGE);
		assert_int_equal(owner_of(&scene, found.range.end - 1), found.owner);
	}

	/* Without runtimes, the region has one owner. */
	struct pm_owner_range whole = pm_owner_sums_find(NULL, &scene.region, base + PAGE);
	assert_int_equal(whole.owner, PM_OWNER_MALLOC);
	assert_int_equal(pm_range_size(whole.range), PAGES * PAGE);
}

static int walk_gone(void *context, uint64_t start, uint64_t end, pm_page_visitor *visit,
                     void *visitor, struct pm_error *error)
{
	(void)context;
	(void)start;
	(void)end;
	(void)visit;
	(void)visitor;
	error->kind = PM_ERROR_GONE;
	return -1;
}

static void failure_leaves_the_sums_unchanged(void **state)
{
	struct scene scene;
	struct pm_error error = { 0 };
	struct pm_owner_sums sums = { 0 };
	const struct pm_owner_sums before = sums;

	(void)state;
	make(&scene);
	scene.source.walk = walk_gone;
	assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_GONE);
	assert_memory_equal(&sums, &before, sizeof sums);

	volatile sig_atomic_t cancel = 1;
	scene.source.walk = walk;
	scene.sums.cancel = &cancel;
	assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, &error), -1);
	assert_int_equal(error.kind, PM_ERROR_CANCELLED);
}

static void kinds_find_the_owners_of_mixed_regions(void **state)
{
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	struct pm_owner_range range = { { base + 6 * MIB, base + 8 * MIB },
		                        PM_OWNER_GO_HEAP,
		                        PM_PROOF_PROVEN };
	const struct pm_runtimes runtimes = { .ranges = &range, .range_count = 1 };
	struct pm_reader reader = fake_memory_reader(&memory);
	const struct pm_kinds_evidence evidence = { .reader = &reader,
		                                    .any_page = true,
		                                    .runtimes = &runtimes };
	const struct pm_owner_sums_source source = { .runtimes = &runtimes };
	struct pm_owner_sums sums = { 0 };

	(void)state;
	pm_regions_init(&regions);
	fake_memory_region(&regions, base + MIB, 2 * MIB, RW);
	fake_memory_region(&regions, base + 4 * MIB, 3 * MIB, RW);
	fake_memory_region(&regions, base + 7 * MIB, MIB, RW);
	fake_memory_chunk(&memory, base + MIB, 2 * MIB);
	assert_int_equal(pm_kinds_assign(&regions, &evidence, NULL), 0);

	assert_int_equal(regions.items[0].owner, PM_OWNER_MALLOC);
	assert_false(regions.items[0].owner_mixed);
	assert_true(regions.items[1].owner_mixed);
	assert_int_equal(regions.items[2].owner, PM_OWNER_GO_HEAP);
	assert_false(regions.items[2].owner_mixed);

	assert_int_equal(pm_owner_sums_read(&source, &regions, &sums, NULL), 0);
	assert_int_equal(sums.items[PM_OWNER_MALLOC].bytes[PM_SIZE_RSS], 2 * MIB);
	assert_int_equal(sums.items[PM_OWNER_GO_HEAP].bytes[PM_SIZE_RSS], 2 * MIB);
	assert_int_equal(sums.items[PM_OWNER_UNKNOWN].bytes[PM_SIZE_RSS], 2 * MIB);
	pm_regions_deinit(&regions);
}

/** A range whose owner is not known takes its memory away from the owner of the kind. */
static void memory_without_an_owner_is_counted_as_such(void **state)
{
	(void)state;
	struct pm_owner_sums sums = { 0 };
	struct scene scene;

	make(&scene);
	scene.ranges[1].owner = PM_OWNER_UNKNOWN;
	scene.ranges[1].proof = PM_PROOF_NONE;
	assert_int_equal(pm_owner_sums_add(&scene.sums, &scene.region, &sums, NULL), 0);

	const struct pm_owner_sum *unknown = &sums.items[PM_OWNER_UNKNOWN];
	uint64_t expected = 0;
	for (size_t i = 0; i < PAGES; i++)
		if (owner_of(&scene, base + i * PAGE) == PM_OWNER_UNKNOWN && i % 3 == 0)
			expected += PAGE;
	assert_true(expected > 0);
	assert_int_equal(unknown->bytes[PM_SIZE_RSS], expected);
	assert_int_equal(unknown->inferred, 0);
	assert_int_equal(total(&sums, PM_SIZE_RSS), scene.region.bytes[PM_SIZE_RSS]);
	assert_int_equal(total(&sums, PM_SIZE_SWAP), scene.region.bytes[PM_SIZE_SWAP]);
}

/** The proof of a region is that of its main owner; what is not known has none. */
static void parts_without_an_owner_do_not_change_the_proof(void **state)
{
	(void)state;
	struct pm_region region = { .start = base,
		                    .end = base + PAGES * PAGE,
		                    .kind = PM_KIND_MALLOC,
		                    .proof = PM_PROOF_INFERRED,
		                    .mapping = "",
		                    .why = "" };
	struct pm_regions regions = { .items = &region, .count = 1 };
	struct pm_owner_range ranges[] = {
		{ { base, base + 0x1000 }, PM_OWNER_UNKNOWN, PM_PROOF_NONE },
		{ { base + 0x1000, base + 0x30000 }, PM_OWNER_JAVA_GC, PM_PROOF_PROVEN },
	};
	const struct pm_runtimes runtimes = { .ranges = ranges, .range_count = 2 };

	pm_kinds_assign_owners(&regions, &runtimes);
	assert_int_equal(region.owner, PM_OWNER_JAVA_GC);
	assert_int_equal(region.owner_proof, PM_PROOF_PROVEN);
	assert_true(region.owner_mixed);

	ranges[0].range.end = ranges[1].range.start = base + 0x3f000;
	ranges[1].range.end = base + PAGES * PAGE;
	pm_kinds_assign_owners(&regions, &runtimes);
	assert_int_equal(region.owner, PM_OWNER_UNKNOWN);
	assert_int_equal(region.owner_proof, PM_PROOF_NONE);
	assert_true(region.owner_mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(region_with_several_owners_is_divided_by_its_pages),
		cmocka_unit_test(sums_are_those_of_the_region_even_if_pages_changed),
		cmocka_unit_test(without_page_states_sizes_are_divided_by_addresses),
		cmocka_unit_test(region_with_one_owner_counts_as_a_whole),
		cmocka_unit_test(owner_of_an_address_is_that_of_its_range),
		cmocka_unit_test(failure_leaves_the_sums_unchanged),
		cmocka_unit_test(kinds_find_the_owners_of_mixed_regions),
		cmocka_unit_test(memory_without_an_owner_is_counted_as_such),
		cmocka_unit_test(parts_without_an_owner_do_not_change_the_proof),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
