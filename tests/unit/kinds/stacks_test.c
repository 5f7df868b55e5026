/* SPDX-License-Identifier: MIT */
/* Stacks of threads: of a process that says where they are, and in saved lists without flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/detail_text.h"
#include "support/fake_memory.h"
#include "support/look.h"
#include "support/target.h"

static const uint64_t base = UINT64_C(0x7f0000000000);

static void assign(struct look *look)
{
	struct pm_error error = { 0 };
	struct pm_kinds_evidence evidence = { .process = look->process,
		                              .reader = &look->memory,
		                              .pagemap = look->pagemap };
	if (pm_kinds_assign(&look->regions, &evidence, &error) < 0)
		fail_msg("%s", error.text);
}

/** The region of the fact `region NAME ... tid=TID`, and the text "TID NAME". */
static const struct pm_region *region_of(const struct look *look, const struct target *target,
                                         const char *name, char *text, size_t size)
{
	uint64_t start, end;
	target_range(target, name, &start, &end);

	char words[64];
	int tid = 0;
	snprintf(words, sizeof words, "region %s", name);
	assert_int_equal(sscanf(target_fact(target, words), "%*s tid=%d", &tid), 1);
	snprintf(text, size, "%d %s", tid, name);
	return &look->regions.items[look_region(look, start)];
}

static void running_threads_are_named(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip_because("where glibc keeps thread descriptors is known for x86-64 only");
#endif

	struct target target;
	struct look look;
	char text[64];
	target_start(&target, "stacks", NULL);
	look_open(&look, target.pid);
	assign(&look);

	const struct pm_region *region = region_of(&look, &target, "busy", text, sizeof text);
	assert_int_equal(region->kind, PM_KIND_STACK);
	assert_int_equal(region->proof, PM_PROOF_PROVEN);
	assert_string_equal(detail_text(region), text);
	assert_int_equal(region[-1].kind, PM_KIND_GUARD);
	look_close(&look);
	target_stop(&target);
}

static void stacks_of_one_region_are_counted(void **state)
{
	(void)state;
	struct target target;
	struct look look;
	char lower[64], upper[64];

	target_start(&target, "stacks", NULL);
	if (target_fact(&target, "unsupported merged")) {
		target_stop(&target);
		skip_because("this kernel has no MADV_GUARD_INSTALL");
	}

	look_open(&look, target.pid);
	assign(&look);

	const struct pm_region *region = region_of(&look, &target, "lower", lower, sizeof lower);
	assert_ptr_equal(region, region_of(&look, &target, "upper", upper, sizeof upper));
	assert_int_equal(region->kind, PM_KIND_STACK);
	assert_int_equal(region->proof, PM_PROOF_PROVEN);
	assert_int_equal(region->thread, 0);
	assert_int_equal(strncmp(detail_text(region), "2 stacks: ", strlen("2 stacks: ")), 0);
	assert_non_null(strstr(detail_text(region), lower));
	assert_non_null(strstr(detail_text(region), upper));

	look_close(&look);
	target_stop(&target);
}

static void abandoned_stacks_have_no_thread(void **state)
{
	(void)state;
	struct target target;
	struct look look;
	char text[64];

	target_start(&target, "stacks", NULL);
	look_open(&look, target.pid);
	assign(&look);

	const struct pm_region *region = region_of(&look, &target, "ended", text, sizeof text);
	if (!(region->vm_flags & PM_VM_NOHUGEPAGE)) {
		look_close(&look);
		target_stop(&target);
		skip_because(
			"this kernel does not flag stacks (before 6.7, or without huge pages)");
	}

	assert_int_equal(region->kind, PM_KIND_STACK);
	assert_int_equal(region->proof, PM_PROOF_INFERRED);
	assert_int_equal(region->thread, 0);
	assert_string_equal(detail_text(region), "no thread found on it");
	look_close(&look);
	target_stop(&target);
}

static void stacks_in_saved_lists_are_recognized_by_guard_and_length(void **state)
{
	(void)state;
	struct pm_regions regions;
	pm_regions_init(&regions);
	fake_memory_region(&regions, base, 4096, 0);
	fake_memory_region(&regions, base + 4096, 8 * MIB, RW);
	fake_memory_region(&regions, base + 32 * MIB, 4 * 4096, 0);
	fake_memory_region(&regions, base + 32 * MIB + 4 * 4096, MIB - 4 * 4096, RW);
	fake_memory_region(&regions, base + 64 * MIB, 4096, 0);

	fake_memory_region(&regions, base + 64 * MIB + 4096, 3 * MIB, RW);
	fake_memory_region(&regions, base + 96 * MIB, 8 * MIB, RW);
	assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);
	assert_int_equal(regions.items[0].kind, PM_KIND_GUARD);
	assert_int_equal(regions.items[1].kind, PM_KIND_STACK);
	assert_int_equal(regions.items[1].proof, PM_PROOF_INFERRED);
	assert_int_equal(regions.items[3].kind, PM_KIND_STACK);

	/* A guard alone, or a length alone, proves nothing. */
	assert_int_equal(regions.items[4].kind, PM_KIND_RESERVE);
	assert_int_equal(regions.items[5].kind, PM_KIND_ANON);
	assert_int_equal(regions.items[6].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

static void flags_count_more_than_lengths(void **state)
{
	(void)state;
	struct pm_regions regions;
	pm_regions_init(&regions);
	fake_memory_region(&regions, base, 4096, 0);
	fake_memory_region(&regions, base + 4096, 8 * MIB, RW)->vm_flags = PM_VM_KNOWN;
	fake_memory_region(&regions, base + 32 * MIB, 4096, 0);
	fake_memory_region(&regions, base + 32 * MIB + 4096, 3 * MIB, RW)->vm_flags =
		PM_VM_KNOWN | PM_VM_NOHUGEPAGE;

	fake_memory_region(&regions, base + 64 * MIB, 3 * MIB, RW)->vm_flags = PM_VM_KNOWN |
	                                                                       PM_VM_NOHUGEPAGE;
	assert_int_equal(pm_kinds_assign(&regions, NULL, NULL), 0);
	assert_int_equal(regions.items[1].kind, PM_KIND_ANON);
	assert_int_equal(regions.items[3].kind, PM_KIND_STACK);
	assert_int_equal(regions.items[4].kind, PM_KIND_ANON);
	pm_regions_deinit(&regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_threads_are_named),
		cmocka_unit_test(stacks_of_one_region_are_counted),
		cmocka_unit_test(abandoned_stacks_have_no_thread),
		cmocka_unit_test(stacks_in_saved_lists_are_recognized_by_guard_and_length),
		cmocka_unit_test(flags_count_more_than_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
