/* SPDX-License-Identifier: MIT */
/*
 * Rules for malloc in simulated memory: which evidence proves a kind, and which memory is only
 * similar.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/detail_text.h"
#include "support/fake_memory.h"

static const uint64_t base = UINT64_C(0x7f0000000000);

static void chunks_are_walked(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	pm_regions_init(&regions);
	fake_memory_region(&regions, base + MIB, 3 * MIB, RW);     /* three equal ones */
	fake_memory_region(&regions, base + 8 * MIB, 3 * MIB, RW); /* two of different sizes */
	fake_memory_region(&regions, base + 16 * MIB, 4 * MIB,
	                   RW); /* one that covers three quarters */

	fake_memory_region(&regions, base + 32 * MIB, 4 * MIB, RW); /* one that covers a quarter */
	fake_memory_region(&regions, base + 48 * MIB, MIB, RW);     /* one that would not fit */
	for (int i = 1; i < 4; i++)
		fake_memory_chunk(&memory, base + (uint64_t)i * MIB, MIB);

	fake_memory_chunk(&memory, base + 8 * MIB, MIB);
	fake_memory_chunk(&memory, base + 9 * MIB, 2 * MIB);
	fake_memory_chunk(&memory, base + 16 * MIB, 3 * MIB);
	fake_memory_chunk(&memory, base + 32 * MIB, MIB);
	fake_memory_chunk(&memory, base + 48 * MIB, 2 * MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_MALLOC);
	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);

	assert_string_equal(detail_text(&regions.items[0]), "3 malloc chunks of 1.0M");
	assert_string_equal(detail_text(&regions.items[1]), "2 malloc chunks, 2.0M down to 1.0M");
	assert_int_equal(regions.items[2].kind, PM_KIND_MALLOC);
	assert_int_equal(regions.items[2].proof, PM_PROOF_INFERRED);
	assert_string_equal(detail_text(&regions.items[2]),
	                    "1 malloc chunk of 3.0M in the first 3.0M");
	assert_int_equal(regions.items[3].kind, PM_KIND_ANON);
	assert_int_equal(regions.items[4].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

static void untouched_memory_is_not_read(void **state)
{
	(void)state;
	/* The memory would prove an arena, but its page is not there: reading it would change the
	 * target. */
	struct pm_regions regions;
	struct fake_memory memory = { 0 };

	pm_regions_init(&regions);
	fake_memory_region(&regions, base, 2 * MIB, RW);
	regions.items[0].bytes[PM_SIZE_RSS] = 0;
	fake_memory_heap(&memory, base, base + 0x30, 0, MIB, 2 * MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ANON);
	assert_non_null(strstr(regions.items[0].why, "holds no memory"));
	pm_regions_deinit(&regions);
}

static void data_without_access_is_memory(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	pm_regions_init(&regions);
	fake_memory_region(&regions, base, MIB, 0);
	fake_memory_region(&regions, base + 2 * MIB, MIB, 0);
	regions.items[1].bytes[PM_SIZE_RSS] = 4096;
	fake_memory_assign(&regions, &memory);

	assert_int_equal(regions.items[0].kind, PM_KIND_RESERVE);
	assert_int_equal(regions.items[1].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_walked),
		cmocka_unit_test(untouched_memory_is_not_read),
		cmocka_unit_test(data_without_access_is_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
