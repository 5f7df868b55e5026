/* SPDX-License-Identifier: MIT */
/* The parts of a cgroup from memory.stat of both versions. */
#include <procmem/cgroup_parts.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/** The swap cache and shmem are in `file`; zswap is in `kernel`. No byte is counted twice. */
static void v2_parts_do_not_overlap(void **state)
{
	(void)state;
	static const char stat[] =
		"anon 1000\nfile 5000\nkernel 900\nkernel_stack 50\npagetables 60\n"
		"sec_pagetables 5\npercpu 10\nsock 70\nvmalloc 20\nshmem 3000\n"
		"zswap 400\nfile_mapped 8\nfile_dirty 9\nfile_writeback 11\n"
		"swapcached 100\ninactive_file 700\nactive_file 1100\n"
		"unevictable 33\nslab_reclaimable 200\nslab_unreclaimable 100\n"
		"slab 300\n";
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, stat, 12345, 7000, &split);

	assert_true(split.known);
	assert_true(split.kernel_split);
	assert_int_equal(split.parts[PM_CGROUP_ANON], 1000);
	assert_int_equal(split.parts[PM_CGROUP_SHMEM], 3000);
	assert_int_equal(split.parts[PM_CGROUP_FILE_INACTIVE], 700);
	assert_int_equal(split.parts[PM_CGROUP_FILE_ACTIVE], 1100);
	assert_int_equal(split.parts[PM_CGROUP_FILE_PINNED], 5000 - 3000 - 100 - 1800);
	assert_int_equal(split.parts[PM_CGROUP_PAGE_TABLES], 65);
	assert_int_equal(split.parts[PM_CGROUP_STACKS], 50);
	assert_int_equal(split.parts[PM_CGROUP_ZSWAP], 400);
	assert_int_equal(split.parts[PM_CGROUP_SOCKETS], 70);
	assert_int_equal(split.parts[PM_CGROUP_KERNEL_OTHER],
	                 900 - 200 - 100 - 65 - 50 - 10 - 20 - 400);
	assert_int_equal(pm_cgroup_parts_kernel(&split), 500);

	/* 1000 anon, 4900 page cache, 900 kernel, 70 sockets; then the swap cache. */
	assert_int_equal(split.parts[PM_CGROUP_SWAP_CACHE], 100);
	assert_int_equal(pm_cgroup_parts_sum(&split), 6970);
	assert_int_equal(split.rest, 30);
	assert_int_equal(split.excess, 0);
	assert_int_equal(split.dirty, 9);
	assert_int_equal(split.writeback, 11);
	assert_int_equal(split.unevictable, 33);
	assert_int_equal(split.mapped_file, 8);
}

/** Pages of the swap cache that a process maps are counted as anonymous memory already. */
static void swap_cache_does_not_exceed_the_usage(void **state)
{
	(void)state;
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, "anon 1000\nfile 300\nswapcached 300\n", 0, 1100, &split);
	assert_int_equal(split.parts[PM_CGROUP_SWAP_CACHE], 100);
	assert_int_equal(split.rest, 0);
	assert_int_equal(split.excess, 0);
	assert_int_equal(split.swap_cached, 300);
}

/** Statistics that are larger than the usage are reported, not hidden. */
static void excess_is_reported(void **state)
{
	(void)state;
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, "anon 1000\n", 0, 900, &split);
	assert_int_equal(split.excess, 100);
	assert_int_equal(split.rest, 0);
	assert_int_equal(split.parts[PM_CGROUP_ANON], 1000);
}

/** Pages that are freed lazily are in inactive_file, but not in file. */
static void lists_do_not_exceed_the_page_cache(void **state)
{
	(void)state;
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, "file 100\ninactive_file 5000\nactive_file 40\n", 0, 100, &split);
	assert_int_equal(split.parts[PM_CGROUP_FILE_ACTIVE], 40);
	assert_int_equal(split.parts[PM_CGROUP_FILE_INACTIVE], 60);
	assert_int_equal(split.parts[PM_CGROUP_FILE_PINNED], 0);
	assert_int_equal(split.excess, 0);
}

/** In v1, only numbers with total_ contain descendants. The kernel is one number. */
static void v1_parts(void **state)
{
	(void)state;
	static const char stat[] = "cache 1\nrss 2\nshmem 3\ninactive_file 4\n"
				   "total_cache 500\ntotal_rss 200\ntotal_shmem 400\n"
				   "total_inactive_file 60\ntotal_active_file 30\ntotal_dirty 7\n";
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(1, stat, 50, 800, &split);
	assert_false(split.kernel_split);
	assert_int_equal(split.parts[PM_CGROUP_ANON], 200);
	assert_int_equal(split.parts[PM_CGROUP_SHMEM], 400);
	assert_int_equal(split.parts[PM_CGROUP_FILE_INACTIVE], 60);
	assert_int_equal(split.parts[PM_CGROUP_FILE_ACTIVE], 30);
	assert_int_equal(split.parts[PM_CGROUP_FILE_PINNED], 10);
	assert_int_equal(split.parts[PM_CGROUP_KERNEL_OTHER], 50);
	assert_int_equal(split.rest, 50);
	assert_int_equal(split.dirty, 7);
}

/** Kernels before 5.18 do not report `kernel`: the details are all that is known. */
static void kernel_without_its_sum(void **state)
{
	(void)state;
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, "anon 10\nslab_reclaimable 20\nkernel_stack 30\n", 0, 100, &split);
	assert_int_equal(split.parts[PM_CGROUP_KERNEL_OTHER], 0);
	assert_int_equal(pm_cgroup_parts_kernel(&split), 50);
	assert_int_equal(split.rest, 40);
}

/** Without a usage, as in the root of v2, nothing is compared. */
static void unknown_usage(void **state)
{
	(void)state;
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, "anon 10\n", 0, UINT64_MAX, &split);
	assert_int_equal(split.rest, 0);
	assert_int_equal(split.excess, 0);
}

static void sums_do_not_overflow(void **state)
{
	(void)state;
	struct pm_cgroup_split split;
	pm_cgroup_parts_split(2, "anon 18446744073709551615\nsock 18446744073709551615\n", 0, 5,
	                      &split);
	assert_true(pm_cgroup_parts_sum(&split) == UINT64_MAX);
	assert_true(split.excess == UINT64_MAX - 5);
}

static void parts_have_different_names(void **state)
{
	(void)state;
	for (int one = 0; one < PM_CGROUP_PARTS; one++)
		for (int other = 0; other < one; other++)
			assert_string_not_equal(pm_cgroup_parts_name((enum pm_cgroup_part)one),
			                        pm_cgroup_parts_name((enum pm_cgroup_part)other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v2_parts_do_not_overlap),
		cmocka_unit_test(swap_cache_does_not_exceed_the_usage),
		cmocka_unit_test(excess_is_reported),
		cmocka_unit_test(lists_do_not_exceed_the_page_cache),
		cmocka_unit_test(v1_parts),
		cmocka_unit_test(kernel_without_its_sum),
		cmocka_unit_test(unknown_usage),
		cmocka_unit_test(sums_do_not_overflow),
		cmocka_unit_test(parts_have_different_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
