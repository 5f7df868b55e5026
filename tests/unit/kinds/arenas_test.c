/* SPDX-License-Identifier: MIT */
/*
 * Heaps of malloc arenas in simulated memory: which evidence proves them, and which memory is only
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

static void arena_of_two_heaps(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	uint64_t second = base + 4 * HEAP_MAX, arena = base + 0x30;

	pm_regions_init(&regions);
	fake_memory_region(&regions, base, HEAP_MAX, RW);
	fake_memory_region(&regions, second, 2 * MIB, RW);
	fake_memory_region(&regions, second + 2 * MIB, HEAP_MAX - 2 * MIB, 0);
	fake_memory_heap(&memory, base, arena, 0, HEAP_MAX, HEAP_MAX);
	fake_memory_heap(&memory, second, arena, base, MIB, 2 * MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);

	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);
	assert_string_equal(detail_text(&regions.items[0]), "arena 1 (7f0000000030), heap 1 of 2");
	assert_int_equal(regions.items[1].kind, PM_KIND_ARENA);
	assert_string_equal(detail_text(&regions.items[1]), "arena 1 (7f0000000030), heap 2 of 2");
	assert_int_equal(regions.items[2].kind, PM_KIND_RESERVE);
	assert_true(regions.items[2].arena == arena);
	pm_regions_deinit(&regions);
}

static void full_heaps_share_a_region(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	uint64_t arena = base + 0x30;

	pm_regions_init(&regions);
	fake_memory_region(&regions, base, 2 * HEAP_MAX + MIB, RW);
	fake_memory_heap(&memory, base, arena, 0, HEAP_MAX, HEAP_MAX);
	fake_memory_heap(&memory, base + HEAP_MAX, arena, base, HEAP_MAX, HEAP_MAX);
	fake_memory_heap(&memory, base + 2 * HEAP_MAX, base + 2 * HEAP_MAX + 0x30, 0, MIB, MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_non_null(
		strstr(detail_text(&regions.items[0]), "arena 2 (7f0000000030), heap 2 of 2"));

	assert_non_null(
		strstr(detail_text(&regions.items[0]), "arena 1 (7f0008000030), heap 1 of 1"));
	pm_regions_deinit(&regions);
}

static void similar_memory_is_not_an_arena(void **state)
{
	(void)state;
	const uint64_t arena = base + 0x30;
	const struct {
		const char *what;
		uint64_t arena, previous, used, open;
	} cases[] = {
		{ "zeros", 0, 0, 0, 0 },
		{ "accessible size is not the region's", arena, 0, MIB, 3 * MIB },
		{ "more in use than accessible", arena, 0, 3 * MIB, 2 * MIB },
		{ "arena outside of the first heap", base + 3 * MIB, 0, MIB, 2 * MIB },
		{ "second heap without its first", base + 8 * HEAP_MAX + 0x30, base + 8 * HEAP_MAX,
		  MIB, 2 * MIB },
		{ "previous heap not aligned", base + 8 * HEAP_MAX + 0x30,
		  base + 8 * HEAP_MAX + 4096, MIB, 2 * MIB },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pm_regions regions;
		struct fake_memory memory = { 0 };
		pm_regions_init(&regions);
		fake_memory_region(&regions, base, 2 * MIB, RW);
		fake_memory_heap(&memory, base, cases[i].arena, cases[i].previous, cases[i].used,
		                 cases[i].open);
		fake_memory_assign(&regions, &memory);
		if (regions.items[0].kind != PM_KIND_ANON)
			fail_msg("%s: is %s", cases[i].what,
			         pm_kind_name((enum pm_kind)regions.items[0].kind));
		pm_regions_deinit(&regions);
	}
}

static void order_is_that_of_the_chain(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	uint64_t arena = base + 2 * HEAP_MAX + 0x20; /* as before glibc 2.35 */

	pm_regions_init(&regions);
	for (uint64_t i = 0; i < 3; i++) {
		fake_memory_region(&regions, base + i * HEAP_MAX, MIB, RW);
		fake_memory_region(&regions, base + i * HEAP_MAX + MIB, HEAP_MAX - MIB, 0);
	}

	fake_memory_heap(&memory, base + 2 * HEAP_MAX, arena, 0, MIB, MIB);
	fake_memory_heap(&memory, base, arena, base + 2 * HEAP_MAX, MIB, MIB);
	fake_memory_heap(&memory, base + HEAP_MAX, arena, base, MIB, MIB);
	fake_memory_assign(&regions, &memory);
	assert_non_null(strstr(detail_text(&regions.items[4]), "heap 1 of 3"));
	assert_non_null(strstr(detail_text(&regions.items[0]), "heap 2 of 3"));
	assert_non_null(strstr(detail_text(&regions.items[2]), "heap 3 of 3"));
	assert_non_null(strstr(detail_text(&regions.items[3]), "rest of arena 1"));

	pm_regions_deinit(&regions);
}

static void heaps_can_change_during_the_walk(void **state)
{
	(void)state;
	/* maps was read before the heap grew: the inaccessible rest is still where it must be. */
	struct pm_regions regions;
	struct fake_memory memory = { 0 };

	pm_regions_init(&regions);
	fake_memory_region(&regions, base, 2 * MIB, RW);
	fake_memory_region(&regions, base + 2 * MIB, HEAP_MAX - 2 * MIB, 0);
	fake_memory_heap(&memory, base, base + 0x30, 0, 3 * MIB, 3 * MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_int_equal(regions.items[0].proof, PM_PROOF_PROVEN);
	pm_regions_deinit(&regions);
}

static void the_kernel_may_split_a_heap(void **state)
{
	(void)state;
	/* As MADV_HUGEPAGE does for a part of it. */
	struct pm_regions regions;
	struct fake_memory memory = { 0 };

	pm_regions_init(&regions);
	fake_memory_region(&regions, base, 2 * MIB, RW);
	fake_memory_region(&regions, base + 2 * MIB, 4 * MIB, RW);
	fake_memory_region(&regions, base + 6 * MIB, HEAP_MAX - 6 * MIB, 0);
	fake_memory_heap(&memory, base, base + 0x30, 0, 5 * MIB, 6 * MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_int_equal(regions.items[1].kind, PM_KIND_ARENA);

	assert_string_equal(detail_text(&regions.items[0]), detail_text(&regions.items[1]));
	assert_true(regions.items[2].arena == base + 0x30);
	pm_regions_deinit(&regions);
}

static void cyclic_heaps_prove_nothing(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	uint64_t arena = base + 0x30;

	pm_regions_init(&regions);
	for (uint64_t i = 0; i < 3; i++) {
		fake_memory_region(&regions, base + i * HEAP_MAX, MIB, RW);
		fake_memory_region(&regions, base + i * HEAP_MAX + MIB, HEAP_MAX - MIB, 0);
	}

	fake_memory_heap(&memory, base, arena, base + 2 * HEAP_MAX, MIB, MIB);
	fake_memory_heap(&memory, base + HEAP_MAX, arena, base, MIB, MIB);
	fake_memory_heap(&memory, base + 2 * HEAP_MAX, arena, base + HEAP_MAX, MIB, MIB);
	fake_memory_assign(&regions, &memory);

	for (size_t i = 0; i < regions.count; i += 2)
		assert_int_equal(regions.items[i].kind, PM_KIND_ANON);

	pm_regions_deinit(&regions);
}

static void without_the_first_heap_it_is_inferred(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct fake_memory memory = { 0 };
	pm_regions_init(&regions);
	fake_memory_region(&regions, base, MIB, RW)->bytes[PM_SIZE_RSS] = 0; /* swapped out */
	fake_memory_region(&regions, base + MIB, HEAP_MAX - MIB, 0);
	fake_memory_region(&regions, base + HEAP_MAX, MIB, RW);
	fake_memory_region(&regions, base + HEAP_MAX + MIB, HEAP_MAX - MIB, 0);

	fake_memory_heap(&memory, base, base + 0x30, 0, MIB, MIB);
	fake_memory_heap(&memory, base + HEAP_MAX, base + 0x30, base, MIB, MIB);
	fake_memory_assign(&regions, &memory);
	assert_int_equal(regions.items[0].kind, PM_KIND_ANON);
	assert_int_equal(regions.items[2].kind, PM_KIND_ARENA);
	assert_int_equal(regions.items[2].proof, PM_PROOF_INFERRED);
	assert_string_equal(detail_text(&regions.items[2]), "arena at 7f0000000030");
	pm_regions_deinit(&regions);
}

static void flags_identify_unreadable_arenas(void **state)
{
	(void)state;
	struct pm_regions regions;
	struct pm_kinds_evidence evidence = { .refusal = "for a test" };
	pm_regions_init(&regions);
	fake_memory_region(&regions, base, MIB, RW)->vm_flags = PM_VM_KNOWN | PM_VM_NORESERVE;
	fake_memory_region(&regions, base + MIB, HEAP_MAX - MIB, 0);
	fake_memory_region(&regions, base + 2 * HEAP_MAX, MIB, RW)->vm_flags = PM_VM_KNOWN |
	                                                                       PM_VM_NORESERVE |
	                                                                       PM_VM_ACCOUNT;

	fake_memory_region(&regions, base + 2 * HEAP_MAX + MIB, HEAP_MAX - MIB, 0);
	fake_memory_region(&regions, base + 4 * HEAP_MAX, MIB, RW)->vm_flags = PM_VM_KNOWN |
	                                                                       PM_VM_NORESERVE;
	assert_int_equal(pm_kinds_assign(&regions, &evidence, NULL), 0);
	assert_int_equal(regions.items[0].kind, PM_KIND_ARENA);
	assert_int_equal(regions.items[0].proof, PM_PROOF_INFERRED);
	assert_int_equal(regions.items[1].kind, PM_KIND_RESERVE);
	assert_int_equal(regions.items[2].kind, PM_KIND_ANON);

	assert_non_null(strstr(regions.items[2].why, "for a test"));
	assert_int_equal(regions.items[4].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_of_two_heaps),
		cmocka_unit_test(full_heaps_share_a_region),
		cmocka_unit_test(similar_memory_is_not_an_arena),
		cmocka_unit_test(order_is_that_of_the_chain),
		cmocka_unit_test(heaps_can_change_during_the_walk),
		cmocka_unit_test(the_kernel_may_split_a_heap),
		cmocka_unit_test(cyclic_heaps_prove_nothing),
		cmocka_unit_test(without_the_first_heap_it_is_inferred),
		cmocka_unit_test(flags_identify_unreadable_arenas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
