/* SPDX-License-Identifier: MIT */
/* PartitionAlloc and Oilpan in fake memory: what is labelled, and what must not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fake_v8.h"

#define METADATA   UINT64_C(0x6000003000)
#define POOL       UINT64_C(0x6100000000)
#define CAGE       UINT64_C(0x7000000000)
#define SUPER_PAGE (2 * MIB)
#define END        UINT64_MAX

enum { PAGE = 4096 };

static void begin(struct fake_v8 *fake)
{
	fake_v8_init(fake, FAKE_V8_13, "/usr/lib/chromium/chromium");
}

/** Expects the bytes of an owner that are proven and inferred, and ends the process. */
static void expect(struct fake_v8 *fake, enum pm_owner owner, uint64_t proven, uint64_t inferred)
{
	struct pm_runtimes *runtimes = fake_v8_open(fake);

	assert_int_equal(fake_v8_bytes(runtimes, owner, PM_PROOF_PROVEN, 0, END), proven);
	assert_int_equal(fake_v8_bytes(runtimes, owner, PM_PROOF_INFERRED, 0, END), inferred);
	assert_int_equal(runtimes->count, 1);
	assert_string_equal(runtimes->items[0].family, "chromium");
	pm_runtimes_close(runtimes);
	fake_v8_deinit(fake);
}

/** The last super page has no free slot: its address follows from those of the others. */
static void test_super_pages(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake);
	fake_v8_add_super_pages(&fake, METADATA, POOL, 3);
	expect(&fake, PM_OWNER_CHROMIUM_PARTITION, 3 * (SUPER_PAGE + PAGE), 0);
}

/** Older versions have the metadata in the super page. */
static void test_metadata_in_super_page(void **state)
{
	(void)state;
	struct fake_v8 fake;
	const uint64_t root = FAKE_V8_DATA + 0x2000, meta = POOL + PAGE;

	begin(&fake);
	fake_memory_region(&fake.regions, POOL, PAGE, 0);
	fake_memory_region(&fake.regions, meta, PAGE, RW);
	fake_memory_region(&fake.regions, POOL + 2 * PAGE, 2 * PAGE, 0);
	fake_memory_region(&fake.regions, POOL + 4 * PAGE, SUPER_PAGE - 4 * PAGE, RW);
	fake_memory_put(&fake.memory, meta, root);
	fake_memory_put(&fake.memory, meta + 32, POOL + 0x8000);
	fake_memory_put(&fake.memory, meta + 48, root + 0x200);
	expect(&fake, PM_OWNER_CHROMIUM_PARTITION, SUPER_PAGE, 0);
}

/** A direct map has several super pages, and metadata for the first one. */
static void test_direct_map_with_metadata(void **state)
{
	(void)state;
	const uint64_t sizes[] = { 3 * SUPER_PAGE, 3 * SUPER_PAGE + PAGE, 64 * SUPER_PAGE };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		const uint64_t at = METADATA + SUPER_PAGE, start = POOL + SUPER_PAGE;
		struct fake_v8 fake;

		begin(&fake);
		fake_v8_add_super_pages(&fake, METADATA, POOL, 4);
		/* The metadata of the second super page is replaced, that of the others removed. */
		for (size_t r = 0; r < 2; r++)
			fake.regions.items[5 + r].perms = 0;
		fake_memory_put(&fake.memory, at + 32, 0);
		fake_memory_put(&fake.memory, at + 48, at + 0x60);
		fake_memory_put(&fake.memory, at + 0xa8, at + 0x60);
		fake_memory_put(&fake.memory, at + 0xb0, sizes[i]);
		struct pm_runtimes *runtimes = fake_v8_open(&fake);

		assert_int_equal(fake_v8_bytes(runtimes, PM_OWNER_CHROMIUM_PARTITION,
		                               PM_PROOF_PROVEN, start, start + 3 * SUPER_PAGE),
		                 i == 0 ? 3 * SUPER_PAGE : 0);
		pm_runtimes_close(runtimes);
		fake_v8_deinit(&fake);
	}
}

/** Adds a region after guard pages, in a reservation. */
static void add_guarded(struct fake_v8 *fake, uint64_t guard, uint64_t reservation)
{
	const uint64_t start = CAGE + 0x4000;

	fake_memory_region(&fake->regions, start - guard, guard, 0);
	fake_memory_region(&fake->regions, start, MIB, RW);
	fake_memory_region(&fake->regions, start + MIB, reservation, 0);
}

/** Memory after guard pages is inferred to be a direct map, but only beside known super pages. */
static void test_direct_map(void **state)
{
	(void)state;
	for (unsigned super_pages = 0; super_pages < 3; super_pages += 2) {
		struct fake_v8 fake;
		begin(&fake);
		fake_v8_add_super_pages(&fake, METADATA, POOL, super_pages);
		add_guarded(&fake, 0x4000, UINT64_C(4) << 30);
		expect(&fake, PM_OWNER_CHROMIUM_PARTITION, super_pages * (SUPER_PAGE + PAGE),
		       super_pages > 0 ? MIB : 0);
	}
}

/** A stack has a smaller guard, and is not in a reservation. */
static void test_stacks(void **state)
{
	(void)state;
	const uint64_t sizes[][2] = { { PAGE, UINT64_C(4) << 30 }, { 0x4000, 64 * MIB } };

	for (size_t i = 0; i < 2; i++) {
		struct fake_v8 fake;
		begin(&fake);
		fake_v8_add_super_pages(&fake, METADATA, POOL, 2);
		add_guarded(&fake, sizes[i][0], sizes[i][1]);
		expect(&fake, PM_OWNER_CHROMIUM_PARTITION, 2 * (SUPER_PAGE + PAGE), 0);
	}
}

/** Free slots in two super pages, a bucket of another root, a root that is not a variable. */
static void test_metadata_that_contradicts_itself(void **state)
{
	(void)state;
	const uint64_t root = FAKE_V8_DATA + 0x2000;
	const struct {
		uint64_t offset, value;
	} changes[] = {
		{ 64 + 16, root + 0x170 }, /* with the free slot that follows */
		{ 32 + 16, root + MIB },   { 32 + 16, root - 8 }, { 0, FAKE_V8_CODE_START },
		{ 0, FAKE_V8_HEAPS },      { 8, METADATA + 8 },   { 32, POOL + 0x3000 },
	};

	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct fake_v8 fake;
		begin(&fake);
		fake_v8_add_super_pages(&fake, METADATA, POOL, 2);
		fake_memory_put(&fake.memory, METADATA + 64, POOL + SUPER_PAGE + 0x5000);
		fake_memory_put(&fake.memory, METADATA + changes[i].offset, changes[i].value);
		expect(&fake, PM_OWNER_CHROMIUM_PARTITION, 0, 0);
	}
}

/** Pages of metadata of one pool have the same distance to their super pages. */
static void test_pool_that_contradicts_itself(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake);
	fake_v8_add_super_pages(&fake, METADATA, POOL, 3);
	fake_memory_put(&fake.memory, METADATA + SUPER_PAGE + 32, POOL + 0x5000);
	expect(&fake, PM_OWNER_CHROMIUM_PARTITION, 0, 0);
}

/** Pages are proven, the rest of the cage is inferred. */
static void test_oilpan(void **state)
{
	(void)state;
	struct fake_v8 fake;
	const uint64_t pages = 8 * (UINT64_C(128) << 10);

	begin(&fake);
	fake_v8_add_oilpan(&fake, CAGE, 8);
	expect(&fake, PM_OWNER_CHROMIUM_OILPAN, pages, (UINT64_C(4) << 30) - pages);
}

/** Without a cage, only the pages are those of Oilpan. */
static void test_oilpan_without_a_cage(void **state)
{
	(void)state;
	struct fake_v8 fake;

	begin(&fake);
	fake_v8_add_oilpan(&fake, CAGE, 8);
	fake.regions.items[fake.regions.count - 1].end -= MIB;
	expect(&fake, PM_OWNER_CHROMIUM_OILPAN, 8 * (UINT64_C(128) << 10), 0);
}

/** The space of another heap, and a space without a vtable */
static void test_oilpan_that_contradicts_itself(void **state)
{
	(void)state;
	struct fake_v8 fake;

	begin(&fake);
	fake_v8_add_oilpan(&fake, CAGE, 8);
	fake_memory_put(&fake.memory, fake_v8_heap(0) + 8, fake_v8_heap(3));
	expect(&fake, PM_OWNER_CHROMIUM_OILPAN, 0, 0);

	begin(&fake);
	fake_v8_add_oilpan(&fake, CAGE, 8);
	fake_memory_put(&fake.memory, FAKE_V8_DATA + 0x560, 0);
	expect(&fake, PM_OWNER_CHROMIUM_OILPAN, 0, 0);
}

static void test_named_memory(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake);
	fake_memory_region(&fake.regions, CAGE, MIB, RW)->mapping = "[anon:partition_alloc]";
	expect(&fake, PM_OWNER_CHROMIUM_PARTITION, 0, MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_super_pages),
		cmocka_unit_test(test_metadata_in_super_page),
		cmocka_unit_test(test_direct_map_with_metadata),
		cmocka_unit_test(test_direct_map),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_metadata_that_contradicts_itself),
		cmocka_unit_test(test_pool_that_contradicts_itself),
		cmocka_unit_test(test_oilpan),
		cmocka_unit_test(test_oilpan_without_a_cage),
		cmocka_unit_test(test_oilpan_that_contradicts_itself),
		cmocka_unit_test(test_named_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
