/* SPDX-License-Identifier: MIT */
/* Differences of samples: single known changes, and random changes compared with a model of the
 * address space that has one entry per page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <procmem/growth.h>

enum { PAGE = 4096, RW = PM_PERM_READ | PM_PERM_WRITE };

/** Adds a region whose pages are all resident. */
static struct pm_region *add(struct pm_regions *regions, uint64_t start, uint64_t pages,
                             unsigned perms, const char *mapping)
{
	struct pm_region region = {
		.start = start,
		.end = start + pages * PAGE,
		.perms = (uint8_t)perms,
		.mapping = mapping,
		.inode = mapping[0] == '/' ? 7 : 0,
		.known = PM_SIZE_BIT(PM_SIZE_RSS),
	};

	region.bytes[PM_SIZE_RSS] = perms ? pages * PAGE : 0;
	assert_int_equal(pm_regions_append(regions, &region, NULL), 0);

	return &regions->items[regions->count - 1];
}

/** Two samples and their difference. */
struct pair {
	struct pm_regions before;
	struct pm_regions after;
	struct pm_growth growth;
};

static void compare(struct pair *pair)
{
	struct pm_error error;
	assert_int_equal(pm_growth_compare(&pair->before, &pair->after, &pair->growth, &error), 0);
}

static void release(struct pair *pair)
{
	pm_growth_deinit(&pair->growth);
	pm_regions_deinit(&pair->before);
	pm_regions_deinit(&pair->after);
}

static void assert_part(const struct pair *pair, size_t index, enum pm_change change, int64_t pages)
{
	assert_true(index < pair->growth.count);
	const struct pm_growth_part *part = &pair->growth.parts[index];
	assert_string_equal(pm_change_name(part->change), pm_change_name(change));
	assert_int_equal((int64_t)(part->is.rss - part->was.rss), pages * PAGE);
}

static void grows_downwards(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x700000, 16, RW, "");
	add(&pair.after, 0x600000, 272, RW, "");
	compare(&pair);
	assert_int_equal(pair.growth.count, 1);
	assert_part(&pair, 0, PM_CHANGE_GREW, 256);
	release(&pair);
}

static void merges_and_splits(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x100000, 4, RW, "");
	add(&pair.before, 0x108000, 4, RW, "");
	add(&pair.after, 0x100000, 16, RW, "");
	add(&pair.before, 0x200000, 16, RW, "");
	add(&pair.after, 0x200000, 4, RW, "");
	add(&pair.after, 0x208000, 4, RW, "");

	compare(&pair);
	assert_int_equal(pair.growth.count, 2);
	assert_part(&pair, 0, PM_CHANGE_MERGED, 8);
	assert_part(&pair, 1, PM_CHANGE_SPLIT, -8);
	release(&pair);
}

static void protected_middle_stays_with_its_memory(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x100000, 12, RW, "");
	add(&pair.after, 0x100000, 4, RW, "");
	add(&pair.after, 0x104000, 4, PM_PERM_READ, "");
	add(&pair.after, 0x108000, 4, RW, "");
	compare(&pair);
	assert_int_equal(pair.growth.count, 1);

	assert_part(&pair, 0, PM_CHANGE_SPLIT, 0);
	release(&pair);
}

/** An arena grows into its reserve: they remain two parts. */
static void arena_grows_into_its_reserve(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x4000000, 33, RW, "");
	add(&pair.before, 0x4021000, 95, 0, "");
	add(&pair.after, 0x4000000, 64, RW, "");
	add(&pair.after, 0x4040000, 64, 0, "");
	compare(&pair);
	assert_int_equal(pair.growth.count, 2);

	assert_part(&pair, 0, PM_CHANGE_GREW, 31);
	assert_part(&pair, 1, PM_CHANGE_SHRANK, 0);
	assert_int_equal(pair.growth.parts[1].was.size - pair.growth.parts[1].is.size, 31 * PAGE);
	release(&pair);
}

static void new_heap_belongs_to_its_arena(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x4000000, 64, RW, "")->arena = 0x4000030;
	add(&pair.after, 0x4000000, 64, RW, "")->arena = 0x4000030;
	add(&pair.after, 0x8000000, 32, RW, "")->arena = 0x4000030;
	compare(&pair);
	assert_int_equal(pair.growth.count, 1);
	assert_part(&pair, 0, PM_CHANGE_GREW, 32);

	assert_int_equal(pair.growth.parts[0].after_count, 2);
	release(&pair);
}

/** The kernel reuses freed addresses at once: the region there now is another one. */
static void reused_address_is_new(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x100000, 8, RW, "");
	add(&pair.after, 0x100000, 8, RW, "/data");
	compare(&pair);
	assert_int_equal(pair.growth.count, 2);
	assert_part(&pair, 0, PM_CHANGE_GONE, -8);
	assert_part(&pair, 1, PM_CHANGE_NEW, 8);

	release(&pair);
}

static void moves(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	/* mremap(2) to a larger range, where one more page was touched; a file mapped elsewhere;
	 * two equal regions, which prove nothing. */
	add(&pair.before, 0x100000, 100, RW, "");
	add(&pair.before, 0x300000, 5, PM_PERM_READ, "/data");
	add(&pair.after, 0x500000, 5, PM_PERM_READ, "/data");
	add(&pair.after, 0x900000, 200, RW, "")->bytes[PM_SIZE_RSS] = 101 * PAGE;

	add(&pair.before, 0xa00000, 50, RW | PM_PERM_EXEC, "");
	add(&pair.before, 0xb00000, 50, RW | PM_PERM_EXEC, "");
	add(&pair.after, 0xc00000, 50, RW | PM_PERM_EXEC, "");
	compare(&pair);
	assert_int_equal(pair.growth.count, 5);
	assert_part(&pair, 0, PM_CHANGE_MOVED, 1);
	assert_part(&pair, 1, PM_CHANGE_MOVED, 0);
	assert_part(&pair, 2, PM_CHANGE_GONE, -50);

	assert_part(&pair, 3, PM_CHANGE_GONE, -50);
	assert_part(&pair, 4, PM_CHANGE_NEW, 50);
	release(&pair);
}

/**
 * A block of malloc's grew by mremap(2), and other memory took its former addresses: no part
 * contains both.
 */
static void address_of_moved_block_can_be_reused(void **state)
{
	(void)state;
	for (uint64_t taken = 50; taken <= 150; taken += 50) {
		struct pair pair = { 0 };
		add(&pair.before, 0x100000, 100, RW, "")->kind = PM_KIND_MALLOC;
		add(&pair.after, 0x100000, taken, RW, "")->kind = PM_KIND_ANON;
		add(&pair.after, 0x900000, 120, RW, "")->kind = PM_KIND_MALLOC;
		/* It was written up to its end before it moved. */
		pair.before.items[0].bytes[PM_SIZE_RSS] = 70 * PAGE;
		compare(&pair);
		assert_int_equal(pair.growth.count, 2);
		assert_part(&pair, 0, PM_CHANGE_MOVED, 50);
		assert_part(&pair, 1, PM_CHANGE_NEW, (int64_t)taken);
		release(&pair);
	}
}

/** More is known about the same memory than before. */
static void other_kind_of_the_same_memory(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	add(&pair.before, 0x100000, 100, RW, "")->kind = PM_KIND_ANON;
	add(&pair.after, 0x100000, 100, RW, "")->kind = PM_KIND_MALLOC;
	add(&pair.before, 0x900000, 100, RW, "")->kind = PM_KIND_ANON;
	add(&pair.after, 0x900000, 150, RW, "")->kind = PM_KIND_MALLOC;
	compare(&pair);
	assert_int_equal(pair.growth.count, 2);

	assert_part(&pair, 0, PM_CHANGE_SAME, 0);
	assert_part(&pair, 1, PM_CHANGE_GREW, 50);
	release(&pair);
}

static void nothing_changed(void **state)
{
	(void)state;
	struct pair pair = { 0 };
	compare(&pair);
	assert_int_equal(pair.growth.count, 0);
	pm_growth_deinit(&pair.growth);
	add(&pair.before, 0x100000, 8, RW, "");
	add(&pair.after, 0x100000, 8, RW, "");
	compare(&pair);

	assert_part(&pair, 0, PM_CHANGE_SAME, 0);
	release(&pair);
}

/** The random address space: for each page its backing (0: not mapped), and whether it is resident.
 */
enum { PAGES = 600, BACKINGS = 5, ROUNDS = 3000 };

struct page {
	unsigned char backing; /* 1: anonymous rw, 2: anonymous r, 3: reserve, 4: file */
	unsigned char resident;
};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void edit(struct page *pages, uint32_t *seed)
{
	size_t first = next_random(seed) % PAGES, length = 1 + next_random(seed) % 40;
	unsigned backing = next_random(seed) % BACKINGS, what = next_random(seed) % 4;

	if (first + length > PAGES)
		length = PAGES - first;
	if (what == 0) {
		size_t to = next_random(seed) % (PAGES - length + 1);
		struct page moved[64];
		memcpy(moved, pages + first, length * sizeof *pages);
		memset(pages + first, 0, length * sizeof *pages);
		memcpy(pages + to, moved, length * sizeof *pages);
	} else if (what == 1) {
		for (size_t i = first; i < first + length; i++)
			pages[i].resident = pages[i].backing != 0 && pages[i].backing != 3;
	} else {
		for (size_t i = first; i < first + length; i++)
			pages[i] = (struct page){ .backing = (unsigned char)backing };
	}
}

/** Lists regions as the kernel does: neighbours with the same backing are merged. */
static void list(const struct page *pages, struct pm_regions *regions)
{
	static const unsigned perms[BACKINGS] = { 0, RW, PM_PERM_READ, 0, PM_PERM_READ };
	for (size_t i = 0, next; i < PAGES; i = next) {
		size_t resident = 0;
		for (next = i; next < PAGES && pages[next].backing == pages[i].backing; next++)
			resident += pages[next].resident;
		if (pages[i].backing == 0)
			continue;
		struct pm_region *region = add(regions, (i + 1) * PAGE, next - i,
		                               perms[pages[i].backing],
		                               pages[i].backing == 4 ? "/data" : "");
		region->bytes[PM_SIZE_RSS] = resident * PAGE;
		region->offset = pages[i].backing == 4 ? i * PAGE : 0;
	}
}

static uint64_t count_pages(const struct page *pages, int resident)
{
	uint64_t count = 0;
	for (size_t i = 0; i < PAGES; i++)
		count += resident ? pages[i].resident : pages[i].backing != 0;
	return count;
}

/** Checks that each part is the sum of the regions that are assigned to it. */
static void check_parts(const struct pair *pair)
{
	const struct pm_growth *growth = &pair->growth;
	struct pm_growth_part *sums = calloc(growth->count + 1, sizeof *sums);
	for (size_t i = 0; i < pair->before.count; i++) {
		struct pm_growth_part *sum = &sums[growth->before_part[i]];
		sum->before_count++;
		sum->was.size += pm_region_size(&pair->before.items[i]);
		sum->was.rss += pair->before.items[i].bytes[PM_SIZE_RSS];
	}

	for (size_t i = 0; i < pair->after.count; i++) {
		struct pm_growth_part *sum = &sums[growth->after_part[i]];
		sum->after_count++;
		sum->is.size += pm_region_size(&pair->after.items[i]);
		sum->is.rss += pair->after.items[i].bytes[PM_SIZE_RSS];
	}

	for (size_t i = 0; i < growth->count; i++) {
		const struct pm_growth_part *part = &growth->parts[i];
		assert_int_equal(part->before_count, sums[i].before_count);
		assert_int_equal(part->after_count, sums[i].after_count);
		assert_int_equal(part->was.size, sums[i].was.size);
		assert_int_equal(part->was.rss, sums[i].was.rss);
		assert_int_equal(part->is.size, sums[i].is.size);
		assert_int_equal(part->is.rss, sums[i].is.rss);
		assert_int_equal(part->change == PM_CHANGE_NEW, part->before_count == 0);
		assert_int_equal(part->change == PM_CHANGE_GONE, part->after_count == 0);
	}

	free(sums);
}

/** Checks that a page with the same backing in both samples links its two regions. */
static void check_pages(const struct pair *pair, const struct page *was, const struct page *is)
{
	for (size_t i = 0; i < PAGES; i++) {
		if (was[i].backing == 0 || was[i].backing != is[i].backing)
			continue;
		size_t before = pm_regions_index(&pair->before, (i + 1) * PAGE),
		       after = pm_regions_index(&pair->after, (i + 1) * PAGE);
		assert_int_equal(pair->growth.before_part[before], pair->growth.after_part[after]);
	}
}

static void random_edits_are_accounted_for(void **state)
{
	(void)state;
	uint32_t seed = 20260131;
	struct page pages[PAGES] = { 0 }, was[PAGES];
	for (int round = 0; round < ROUNDS; round++) {
		struct pair pair = { 0 };

		memcpy(was, pages, sizeof was);
		for (uint32_t edits = next_random(&seed) % 12; edits > 0; edits--)
			edit(pages, &seed);

		list(was, &pair.before);
		list(pages, &pair.after);
		compare(&pair);
		assert_int_equal(pair.growth.was.size, count_pages(was, 0) * PAGE);
		assert_int_equal(pair.growth.was.rss, count_pages(was, 1) * PAGE);
		assert_int_equal(pair.growth.is.size, count_pages(pages, 0) * PAGE);
		assert_int_equal(pair.growth.is.rss, count_pages(pages, 1) * PAGE);
		check_parts(&pair);

		check_pages(&pair, was, pages);
		release(&pair);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_downwards),
		cmocka_unit_test(merges_and_splits),
		cmocka_unit_test(protected_middle_stays_with_its_memory),
		cmocka_unit_test(arena_grows_into_its_reserve),
		cmocka_unit_test(new_heap_belongs_to_its_arena),
		cmocka_unit_test(reused_address_is_new),
		cmocka_unit_test(moves),
		cmocka_unit_test(address_of_moved_block_can_be_reused),
		cmocka_unit_test(other_kind_of_the_same_memory),
		cmocka_unit_test(nothing_changed),
		cmocka_unit_test(random_edits_are_accounted_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
