/* SPDX-License-Identifier: MIT */
/* Chunks and cages of V8 in fake memory: what is labelled, and what must not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/fake_v8.h"

#define FIRST UINT64_C(0x100000000)
#define CAGE  UINT64_C(0x7000000000)
#define END   UINT64_MAX

/** Chunks of all spaces of an isolate: one of each, the large one with 4 MiB. */
static void begin(struct fake_v8 *fake, enum fake_v8_version version)
{
	fake_v8_init(fake, version, "/usr/bin/node");
	fake_v8_add_isolate(fake, 0, 512 * MIB);
	fake_v8_add_chunk(fake, 0, FAKE_V8_NEW, FIRST, FAKE_V8_CHUNK, FAKE_V8_TO_PAGE);
	fake_v8_add_chunk(fake, 0, FAKE_V8_OLD, FIRST + 2 * MIB, FAKE_V8_CHUNK, FAKE_V8_OTHER);
	fake_v8_add_chunk(fake, 0, FAKE_V8_CODE, FIRST + 4 * MIB, FAKE_V8_CHUNK, FAKE_V8_OTHER);
	fake_v8_add_chunk(fake, 0, FAKE_V8_LARGE, FIRST + 6 * MIB, 4 * MIB, FAKE_V8_OTHER);
}

/** Expects the bytes of V8 that are proven and inferred, and ends the process. */
static void expect(struct fake_v8 *fake, uint64_t proven, uint64_t inferred)
{
	struct pm_runtimes *runtimes = fake_v8_open(fake);

	assert_int_equal(fake_v8_bytes(runtimes, PM_OWNER_V8_HEAP, PM_PROOF_PROVEN, 0, END) +
	                         fake_v8_bytes(runtimes, PM_OWNER_V8_CODE, PM_PROOF_PROVEN, 0, END),
	                 proven);
	assert_int_equal(fake_v8_bytes(runtimes, PM_OWNER_V8_HEAP, PM_PROOF_INFERRED, 0, END) +
	                         fake_v8_bytes(runtimes, PM_OWNER_V8_CODE, PM_PROOF_INFERRED, 0,
	                                       END),
	                 inferred);
	pm_runtimes_close(runtimes);
	fake_v8_deinit(fake);
}

static void test_all_spaces_of_each_version(void **state)
{
	(void)state;
	for (unsigned version = 0; version < FAKE_V8_VERSIONS; version++) {
		struct fake_v8 fake;
		begin(&fake, (enum fake_v8_version)version);
		struct pm_runtimes *runtimes = fake_v8_open(&fake);

		assert_int_equal(fake_v8_bytes(runtimes, PM_OWNER_V8_HEAP, PM_PROOF_PROVEN, 0, END),
		                 2 * FAKE_V8_CHUNK + 4 * MIB);
		assert_int_equal(fake_v8_bytes(runtimes, PM_OWNER_V8_CODE, PM_PROOF_PROVEN,
		                               FIRST + 4 * MIB, END),
		                 FAKE_V8_CHUNK);
		assert_int_equal(runtimes->count, 1);
		assert_string_equal(runtimes->items[0].family, "v8");
		assert_true(runtimes->items[0].complete);
		assert_string_equal(runtimes->items[0].missing, "");
		assert_string_equal(
			runtimes->items[0].variant,
			"1 isolate: old 4.5M (large objects 4.0M, code 256.0K), young 256.0K, "
			"kept for reuse -");
		pm_runtimes_close(runtimes);
		fake_v8_deinit(&fake);
	}
}

static void test_limit_of_the_old_generation(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_11);
	struct pm_runtimes *runtimes = fake_v8_open(&fake);

	assert_int_equal(runtimes->limit_count, 1);
	assert_int_equal(runtimes->limits[0].kind, PM_RUNTIME_LIMIT_V8_OLD_SPACE);
	assert_int_equal(runtimes->limits[0].max, 512 * MIB);
	assert_int_equal(runtimes->limits[0].used, 4 * MIB + 2 * FAKE_V8_CHUNK - 3 * 0x1140);
	assert_true(runtimes->limits[0].approximate);
	assert_true(runtimes->limits[0].used_known);
	pm_runtimes_close(runtimes);
	fake_v8_deinit(&fake);
}

/** The sizes of the Heap must confirm each other. */
static void test_no_limit_if_sizes_disagree(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_11);
	fake_memory_put(&fake.memory, fake_v8_heap(0) + UINT64_C(8) * 15, 1023 * MIB);
	struct pm_runtimes *runtimes = fake_v8_open(&fake);

	assert_int_equal(runtimes->limit_count, 0);
	pm_runtimes_close(runtimes);
	fake_v8_deinit(&fake);
}

/** Worker threads have isolates of their own. The limit is that of the fullest one. */
static void test_two_isolates(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_12);
	fake_v8_add_isolate(&fake, 1, 16 * MIB);
	fake_v8_add_chunk(&fake, 1, FAKE_V8_LARGE, FIRST + 16 * MIB, 8 * MIB, FAKE_V8_OTHER);
	struct pm_runtimes *runtimes = fake_v8_open(&fake);

	assert_int_equal(runtimes->limit_count, 1);
	assert_int_equal(runtimes->limits[0].max, 16 * MIB);
	assert_int_equal(runtimes->limits[0].used, 8 * MIB - 0x1140);
	assert_memory_equal(runtimes->items[0].variant, "2 isolates", 10);
	pm_runtimes_close(runtimes);
	fake_v8_deinit(&fake);
}

/** A space of another heap does not confirm a chunk. */
static void test_space_of_another_heap(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_11);
	fake_memory_put(&fake.memory, fake_v8_space(0, FAKE_V8_OLD) + 8, fake_v8_heap(1));
	expect(&fake, 2 * FAKE_V8_CHUNK + 4 * MIB, FAKE_V8_CHUNK);
}

/** Without any confirmed space, nothing is labelled. */
static void test_no_space_has_a_vtable(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_11);
	fake_memory_put(&fake.memory, FAKE_V8_DATA + 0x560, FAKE_V8_DATA);
	struct pm_runtimes *runtimes = fake_v8_open(&fake);
	assert_string_equal(runtimes->items[0].missing,
	                    "no chunks of a known version of V8 were found");
	pm_runtimes_close(runtimes);
	expect(&fake, 0, 0);
}

/** Vtables cannot be read: core files do not have the pages of files. */
static void test_unreadable_vtables(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_12);
	fake.without_data = true;
	fake.regions.items[0].inode = fake.regions.items[1].inode = 0;
	struct pm_runtimes *runtimes = fake_v8_open(&fake);

	assert_int_equal(runtimes->limit_count, 1);
	assert_int_equal(runtimes->limits[0].used, 4 * MIB + 2 * FAKE_V8_CHUNK - 3 * 0x1140);
	pm_runtimes_close(runtimes);
	expect(&fake, 0, 3 * FAKE_V8_CHUNK + 4 * MIB);
}

/** A chunk that no list has is kept for reuse: it is not a part of the heap. */
static void test_pooled_chunk(void **state)
{
	(void)state;
	for (unsigned version = FAKE_V8_12; version < FAKE_V8_VERSIONS; version++) {
		struct fake_v8 fake;
		begin(&fake, (enum fake_v8_version)version);
		fake_memory_put(&fake.memory, fake_v8_space(0, FAKE_V8_LARGE) + 40, 0);
		struct pm_runtimes *runtimes = fake_v8_open(&fake);

		assert_int_equal(fake_v8_bytes(runtimes, PM_OWNER_V8_INTERNAL, PM_PROOF_INFERRED,
		                               FIRST + 6 * MIB, FIRST + 10 * MIB),
		                 4 * MIB);
		assert_int_equal(runtimes->limits[0].used, 2 * FAKE_V8_CHUNK - 2 * 0x1140);
		pm_runtimes_close(runtimes);
		expect(&fake, 3 * FAKE_V8_CHUNK, 0);
	}
}

/** A copy of a chunk in a buffer has the addresses of the original. */
static void test_copy_of_a_chunk(void **state)
{
	(void)state;
	for (unsigned version = 0; version < FAKE_V8_VERSIONS; version++) {
		struct fake_v8 fake;
		begin(&fake, (enum fake_v8_version)version);
		fake_memory_region(&fake.regions, FIRST + 32 * MIB, FAKE_V8_CHUNK, RW);
		fake_v8_put_header(&fake, 0, FAKE_V8_OLD, FIRST + 32 * MIB, FIRST + 2 * MIB,
		                   FAKE_V8_CHUNK, FAKE_V8_OTHER);
		expect(&fake, 3 * FAKE_V8_CHUNK + 4 * MIB, 0);
	}
}

/** A chunk that is longer than what is mapped, as the header of a chunk that was unmapped. */
static void test_chunk_that_is_not_mapped(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_12);
	fake_memory_region(&fake.regions, FIRST + 32 * MIB, FAKE_V8_CHUNK, RW);
	fake_v8_put_header(&fake, 0, FAKE_V8_LARGE, FIRST + 32 * MIB, FIRST + 32 * MIB, MIB,
	                   FAKE_V8_OTHER);
	expect(&fake, 3 * FAKE_V8_CHUNK + 4 * MIB, 0);
}

/** Zeros, and memory of other allocators at multiples of 256 KiB, are not chunks. */
static void test_other_memory(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_13);
	fake_memory_region(&fake.regions, FIRST + 32 * MIB, 8 * MIB, RW);
	for (uint64_t at = FIRST + 33 * MIB; at < FIRST + 40 * MIB; at += FAKE_V8_CHUNK) {
		fake_memory_put(&fake.memory, at, 0x4);
		fake_memory_put(&fake.memory, at + 8, fake_v8_heap(0));
	}
	expect(&fake, 3 * FAKE_V8_CHUNK + 4 * MIB, 0);
}

/** The same memory in a program without V8 */
static void test_other_program(void **state)
{
	(void)state;
	struct fake_v8 fake;
	begin(&fake, FAKE_V8_11);
	fake.regions.items[0].mapping = fake.regions.items[1].mapping = "/usr/bin/nodes";
	expect(&fake, 0, 0);
}

static void test_named_memory(void **state)
{
	(void)state;
	struct fake_v8 fake;
	fake_v8_init(&fake, FAKE_V8_13, "/usr/lib/libnode.so.108");
	fake_memory_region(&fake.regions, FIRST, MIB, RW)->mapping = "[anon:v8]";
	fake_memory_region(&fake.regions, FIRST + 2 * MIB, MIB, RW)->mapping = "[anon:other]";
	expect(&fake, 0, MIB);
}

static void test_cage(void **state)
{
	(void)state;
	struct fake_v8 fake;
	fake_v8_init(&fake, FAKE_V8_13, "/usr/lib/chromium/chromium");
	fake_v8_add_cage(&fake, CAGE, 8);
	expect(&fake, 0, UINT64_C(4) << 30);
}

/** A cage needs several chunks, and is reserved as a whole. */
static void test_no_cage(void **state)
{
	(void)state;
	struct fake_v8 fake;
	fake_v8_init(&fake, FAKE_V8_13, "/usr/lib/chromium/chromium");
	fake_v8_add_cage(&fake, CAGE, 3);
	expect(&fake, 0, 0);

	fake_v8_init(&fake, FAKE_V8_13, "/usr/lib/chromium/chromium");
	fake_v8_add_cage(&fake, CAGE, 8);
	fake.regions.items[fake.regions.count - 1].end -= MIB;
	expect(&fake, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_spaces_of_each_version),
		cmocka_unit_test(test_limit_of_the_old_generation),
		cmocka_unit_test(test_no_limit_if_sizes_disagree),
		cmocka_unit_test(test_two_isolates),
		cmocka_unit_test(test_space_of_another_heap),
		cmocka_unit_test(test_no_space_has_a_vtable),
		cmocka_unit_test(test_unreadable_vtables),
		cmocka_unit_test(test_pooled_chunk),
		cmocka_unit_test(test_copy_of_a_chunk),
		cmocka_unit_test(test_chunk_that_is_not_mapped),
		cmocka_unit_test(test_other_memory),
		cmocka_unit_test(test_other_program),
		cmocka_unit_test(test_named_memory),
		cmocka_unit_test(test_cage),
		cmocka_unit_test(test_no_cage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
